import { dirname, resolve } from 'node:path'
import { isMap, isScalar, type Pair } from 'yaml'
import { CONFIG_BYTES_MAX } from '../limits.ts'
import { type Config, configSchema } from './config.ts'
import { findProject, readConfigFile } from './file.ts'
import { type ConfigKey, type ConfigSection, configKeys, configTree } from './keys.ts'
import {
  badConfig,
  badValue,
  type ConfigPlace,
  type ConfigProblem,
  notASection,
  shownKey,
  suggestion,
  unknownKey,
} from './problem.ts'
import { readYaml } from './yaml.ts'

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
  const given = options.file === undefined ? undefined : resolve(cwd, options.file)
  const { file, root } = given === undefined ? findProject(cwd) : { file: given, root: dirname(given) }
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
    root,
    ...(file === undefined ? {} : { file }),
  }
}

const valuesIn = ({ members }: ConfigSection, values: ReadonlyMap<string, unknown>): object =>
  Object.fromEntries(
    [...members].map(([name, member]) => [
      name,
      member.kind === 'key' ? values.get(member.path) : valuesIn(member, values),
    ]),
  )

/** A value that was written somewhere for a key. */
interface Setting {
  readonly key: ConfigKey
  readonly value: unknown
}

type Found = Setting | ConfigProblem
/** @internal */
export const isProblem = (found: object): found is ConfigProblem => 'message' in found

const checked = (key: ConfigKey, value: unknown, place: ConfigPlace): Found =>
  value !== undefined && key.schema.safeParse(value).success ? { key, value } : badValue(key, value, place)

/**
 * What the text of a configuration file says; what is wrong comes with its line and column.
 * @internal
 */
export function fromFile(text: string, file: string): Found[] {
  const yaml = readYaml(text)
  const place = ({ line, column }: { line: number; column: number }): ConfigPlace => ({
    label: `${file}:${line}:${column}`,
    file,
    line,
    column,
  })
  if ('flaw' in yaml) return [{ ...place(yaml), message: `not valid YAML: ${yaml.flaw}` }]
  const { placeAt } = yaml
  return read(configTree, yaml.value, yaml.contents, place({ line: 1, column: 1 }))

  /** `node` runs beside `value` only to know the places; where an alias leads elsewhere, the last place stays. */
  function read(section: ConfigSection, value: unknown, node: unknown, at: ConfigPlace): Found[] {
    if (value === null) return [] // a section whose keys are all commented out
    if (typeof value !== 'object' || Array.isArray(value)) return [notASection(section, value, at)]
    const pairs = new Map(isMap(node) ? node.items.map((pair) => [nameOf(pair), pair]) : [])
    return Object.entries(value).flatMap(([name, inner]): Found[] => {
      const pair = pairs.get(name)
      const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined
      const here = start === undefined ? at : place(placeAt(start))
      const member = section.members.get(name)
      if (member === undefined) return [unknownKey(name, section, here)]
      return member.kind === 'key' ? [checked(member, inner, here)] : read(member, inner, pair?.value, here)
    })
  }
}

const nameOf = ({ key }: Pair): unknown => (isScalar(key) ? key.value : undefined)

/**
 * Values from `TWOTRACK_RUNNER_…` variables. A variable that starts like a section but names no key is refused;
 * any other `TWOTRACK_` variable is not configuration and is left alone.
 */
function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Found[] {
  const known = new Map(configKeys().map((key) => [key.variable, key]))
  const prefixes = [...configTree.members.keys()].map((name) => `TWOTRACK_${name.toUpperCase()}_`)
  return Object.entries(env).flatMap(([variable, text]): Found[] => {
    const key = known.get(variable)
    if (text === undefined || !(key || prefixes.some((prefix) => variable.startsWith(prefix)))) return []
    if (key !== undefined) return [fromText(key, text, { label: variable })]
    const message = `unknown configuration variable; ${suggestion(variable, [...known.keys()])}`
    return [{ label: shownKey(variable), message }]
  })
}

/** Values from `--set key=value`, in order; of two for the same key the last one counts. */
const fromAssignments = (assignments: readonly string[]): Found[] =>
  assignments.map((assignment) => {
    const place = { label: '--set' }
    const equals = assignment.indexOf('=')
    if (equals < 1)
      return { ...place, message: `${shownKey(assignment)} has no key and value; write it as key=value` }
    const found = find(assignment.slice(0, equals).trim(), place)
    return isProblem(found) ? found : fromText(found, assignment.slice(equals + 1), place)
  })

function find(path: string, place: ConfigPlace): ConfigKey | ConfigProblem {
  let at: ConfigSection | ConfigKey = configTree
  for (const name of path.split('.')) {
    if (at.kind === 'key')
      return { ...place, key: path, message: `${at.path} is one value, ${at.type}; set it as a whole` }
    const member: ConfigSection | ConfigKey | undefined = at.members.get(name)
    if (member === undefined) return unknownKey(name, at, place)
    at = member
  }
  if (at.kind === 'key') return at
  const keys = [...at.members.keys()].join(', ')
  return { ...place, key: path, message: `${path} is a section; set one of its keys: ${keys}` }
}

/** Text is taken as it stands, since the shell has dealt with quotes; anything else is a YAML value. */
function fromText(key: ConfigKey, text: string, place: ConfigPlace): Found {
  const takesText = key.shape.type === 'string' && key.shape.enum === undefined
  const parsed =
    text.length > CONFIG_BYTES_MAX
      ? { flaw: `it is longer than ${CONFIG_BYTES_MAX} characters` }
      : takesText
        ? { value: text }
        : readYaml(text)
  if ('value' in parsed) return checked(key, parsed.value, place)
  const message = `${key.path} cannot be read: ${parsed.flaw}; expected ${key.type}`
  return { ...place, key: key.path, message }
}
