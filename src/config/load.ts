import { dirname, resolve } from 'node:path'
import { type Config, configSchema } from './config.ts'
import { findConfigFile, readConfigFile } from './file.ts'
import { configKeys, configTree, type Section } from './keys.ts'
import { badConfig } from './problem.ts'
import { fromAssignments, fromEnvironment, fromFile, isProblem } from './read.ts'

type Source = 'default' | 'file' | 'environment' | '--set'

export interface LoadOptions {
  /** Where the search for `twotrack.yaml` starts. */
  readonly cwd: string
  /** This file instead of one that is searched for; it must exist. */
  readonly file?: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Assignments `key=value`, as given to `--set`. */
  readonly set: readonly string[]
}

export interface LoadedConfig {
  readonly config: Config
  /** Where the value of each key comes from, by the key's path. */
  readonly sources: Readonly<Record<string, Source>>
  /** The file that was read, if there was one. */
  readonly file?: string
  /** The folder that relative paths in the configuration start from. */
  readonly root: string
}

/**
 * The configuration of a folder: defaults, then the file, then the environment, then `--set`; later ones win.
 * Throws `bad_config` with everything that is wrong in any of them, even where a later one would win.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const cwd = resolve(options.cwd)
  const file = options.file === undefined ? findConfigFile(cwd) : resolve(cwd, options.file)
  const layers = [
    ['file', file === undefined ? [] : fromFile(readConfigFile(file), file)],
    ['environment', fromEnvironment(options.env)],
    ['--set', fromAssignments(options.set)],
  ] as const
  const problems = layers.flatMap(([, found]) => found.filter(isProblem))
  if (problems.length > 0) throw badConfig(problems)

  const sources = new Map<string, Source>(configKeys().map(({ path }) => [path, 'default']))
  const values = new Map<string, unknown>()
  for (const [source, found] of layers)
    for (const setting of found) {
      if (isProblem(setting)) continue
      sources.set(setting.key.path, source)
      values.set(setting.key.path, setting.value)
    }
  return {
    config: configSchema.parse(valuesIn(configTree, values)),
    sources: Object.fromEntries(sources),
    root: file === undefined ? cwd : dirname(file),
    ...(file === undefined ? {} : { file }),
  }
}

const valuesIn = ({ members }: Section, values: ReadonlyMap<string, unknown>): object =>
  Object.fromEntries(
    [...members].map(([name, member]) => [
      name,
      member.kind === 'key' ? values.get(member.path) : valuesIn(member, values),
    ]),
  )
