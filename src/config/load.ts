import { dirname, resolve } from 'node:path'
import { type Config, configSchema } from './config.ts'
import { findConfigFile, readConfigFile } from './file.ts'
import { configTree, leaves } from './keys.ts'
import { fromAssignments, fromEnvironment } from './override.ts'
import { type Parsed, parseConfig } from './parse.ts'
import { badConfig } from './problem.ts'

export type Source = 'default' | 'file' | 'environment' | '--set'

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
  const layers: [Source, Parsed][] = [
    ['environment', fromEnvironment(options.env)],
    ['--set', fromAssignments(options.set)],
  ]
  if (file !== undefined) layers.unshift(['file', parseConfig(readConfigFile(file), file)])

  const problems = layers.flatMap(([, parsed]) => parsed.problems)
  if (problems.length > 0) throw badConfig(problems)

  const sources = new Map<string, Source>(leaves(configTree()).map(({ path }) => [path, 'default']))
  const values: Nested = new Map()
  for (const [source, { settings }] of layers) {
    for (const { leaf, value } of settings) {
      sources.set(leaf.path, source)
      assign(values, leaf.path.split('.'), value)
    }
  }
  return {
    config: configSchema.parse(toObject(values)),
    sources: Object.fromEntries(sources),
    root: file === undefined ? cwd : dirname(file),
    ...(file === undefined ? {} : { file }),
  }
}

/** Sections by name; a key's value is whatever is not a section. */
type Nested = Map<string, unknown>

function assign(into: Nested, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into.set(name, value)
    return
  }
  const section = into.get(name)
  const inner: Nested = section instanceof Map ? section : new Map()
  into.set(name, inner)
  assign(inner, rest, value)
}

const toObject = (values: Nested): Record<string, unknown> =>
  Object.fromEntries(
    [...values].map(([name, value]) => [name, value instanceof Map ? toObject(value) : value]),
  )
