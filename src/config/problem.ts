import { TwotrackError } from '../errors.ts'
import { nearest } from '../text/suggest.ts'
import { type ConfigKey, type ConfigSection, configKeys, type Shape, words } from './keys.ts'

/** Where a value was written. */
export interface ConfigPlace {
  /** `twotrack.yaml:3:5`, a variable's name, `--set`. */
  readonly label: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

/** Something that keeps the configuration from being used. */
export interface ConfigProblem extends ConfigPlace {
  readonly message: string
  readonly key?: string
}

const PROBLEMS_REPORTED_MAX = 20

/** One error for all problems, so that a person can mend them in one go. `details` is the first one as data. */
export function badConfig(problems: readonly ConfigProblem[]): TwotrackError {
  const { label: _, message: __, ...first } = problems[0] ?? { label: '', message: '' }
  const reported = problems.slice(0, PROBLEMS_REPORTED_MAX)
  const lines = reported.map((problem) => `${problem.label}: ${problem.message}`)
  if (reported.length < problems.length) lines.push(`and ${problems.length - reported.length} more problems`)
  return new TwotrackError('bad_config', lines.join('\n'), { details: { ...first, problems: reported } })
}

/** The likeliest of the known names, or all of them. */
export const suggestion = (word: string, known: readonly string[], intro = 'known'): string => {
  const meant = nearest(word, known)
  return meant === undefined ? `${intro}: ${known.join(', ')}` : `did you mean ${meant}?`
}

export function unknownKey(name: string, inside: ConfigSection, place: ConfigPlace): ConfigProblem {
  const key = shownKey(inside.path === '' ? name : `${inside.path}.${name}`)
  const here = [...inside.members.keys()]
  const keys = configKeys()
  const meant = nearest(
    name,
    keys.map((one) => one.name),
  )
  const elsewhere = nearest(name, here) === undefined ? keys.find((one) => one.name === meant) : undefined
  const hint = elsewhere
    ? `did you mean ${elsewhere.path}?`
    : suggestion(name, here, inside.path === '' ? 'known here' : `known in ${inside.path}`)
  return { ...place, key, message: `unknown key ${key}; ${hint}` }
}

export function notASection(
  { path, members }: ConfigSection,
  value: unknown,
  place: ConfigPlace,
): ConfigProblem {
  const expected = `expected keys under it (${[...members.keys()].join(', ')}), each on its own line as "key: value"`
  return { ...place, key: path, message: `${path || 'the whole file'} is ${received(value)}; ${expected}` }
}

/** Why a value, which its schema refuses, is not one for a key: the first place in it that is wrong. */
export function badValue(
  { path, schema, shape }: ConfigKey,
  value: unknown,
  place: ConfigPlace,
): ConfigProblem {
  const [first] = schema.safeParse(value).error?.issues ?? []
  const alternatives = first?.code === 'invalid_union' ? first.errors.flat() : []
  const issue = alternatives.find(({ code }) => code === 'unrecognized_keys') ?? first
  const at = issue?.path ?? []
  const named = at.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}.${String(part)}`),
    path,
  )
  const inner = at.reduce<Shape>(shapeIn, shape)
  if (issue?.code === 'unrecognized_keys') {
    const [strange = ''] = issue.keys
    const fields = formsOf(inner).flatMap(({ properties }) => Object.keys(properties ?? {}))
    const key = shownKey(`${named}.${strange}`)
    return { ...place, key, message: `unknown key ${key}; ${suggestion(strange, fields)}` }
  }
  const wrong = at.reduce<unknown>((holder, part) => Object(holder)[part], value)
  const meant = nearest(String(wrong), (inner.enum ?? []).map(String))
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  const own = issue?.code === 'custom' && issue.message !== 'Invalid input' ? issue.message : words(inner)
  return { ...place, key: path, message: `${named} is ${received(wrong)}; expected ${own}${hint}` }
}

/** What is expected at a place in a value. */
const shapeIn = (shape: Shape, part: PropertyKey): Shape => {
  for (const { items, properties, additionalProperties } of formsOf(shape)) {
    const found = typeof part === 'number' ? items : (properties?.[String(part)] ?? additionalProperties)
    if (typeof found === 'object' && !Array.isArray(found)) return found
  }
  return {}
}

const formsOf = (shape: Shape): Shape[] => [
  shape,
  ...(shape.anyOf ?? []).filter((one) => typeof one === 'object'),
]

/** A value in words, short whatever it is; never looks deeper than one level, so cycles do no harm. */
function received(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  if (typeof value === 'string') return `the text ${shortened(value)}`
  if (typeof value === 'number') return `the number ${value}`
  if (Array.isArray(value)) return `the list [${value.slice(0, 8).map(item).join(', ')}]`
  if (typeof value === 'object')
    return `a map with the keys ${Object.keys(value).slice(0, 8).map(shownKey).join(', ')}`
  return String(value)
}

const item = (value: unknown): string =>
  typeof value === 'string' ? shortened(value) : value instanceof Object ? '…' : String(value)

/** The most characters of somebody's text that a message repeats. */
const SHOWN_CHARS_MAX = 80

const shortened = (text: string): string =>
  JSON.stringify(text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text)

/** A key as it may be printed: plain when it looks like one, quoted and cut otherwise. */
export const shownKey = (key: string): string => (/^[\w.[\]-]{1,80}$/.test(key) ? key : shortened(key))
