import { TwotrackError } from '../errors.ts'
import { nearest } from '../text/suggest.ts'
import { configTree, type Leaf, leaves, type Section } from './keys.ts'
import { choices, fieldNames } from './type-text.ts'

/** Where a value was written. */
export interface Place {
  /** `twotrack.yaml:3:5`, a variable's name, `--set`. */
  readonly label: string
  readonly file?: string
  readonly line?: number
  readonly column?: number
}

/** Something that keeps the configuration from being used. */
export interface Problem extends Place {
  readonly message: string
  readonly key?: string
}

const PROBLEMS_TOLD_MAX = 20

/** One error for all problems, so that a person can mend them in one go. `details` is the first one as data. */
export function badConfig(problems: readonly Problem[]): TwotrackError {
  const { label: _, message: __, ...first } = problems[0] ?? { label: '', message: '' }
  const told = problems.slice(0, PROBLEMS_TOLD_MAX)
  const lines = told.map((problem) => `${problem.label}: ${problem.message}`)
  if (told.length < problems.length) lines.push(`and ${problems.length - told.length} more problems`)
  return new TwotrackError('bad_config', lines.join('\n'), { details: { ...first, problems: told } })
}

export function unknownKey(name: string, inside: Section, place: Place): Problem {
  const path = shown(inside.path === '' ? name : `${inside.path}.${name}`)
  return { ...place, key: path, message: `unknown key ${path}; ${advice(name, inside)}` }
}

function advice(name: string, inside: Section): string {
  const sibling = nearest(name, inside.members.keys())
  if (sibling !== undefined) return `did you mean ${sibling}?`
  const elsewhere = leaves(configTree())
  const meant = nearest(
    name,
    elsewhere.map((leaf) => leaf.name),
  )
  const leaf = elsewhere.find((candidate) => candidate.name === meant)
  if (leaf !== undefined) return `did you mean ${leaf.path}?`
  const known = [...inside.members.keys()].join(', ')
  return inside.path === '' ? `known here: ${known}` : `known in ${inside.path}: ${known}`
}

export function notASection(section: Section, value: unknown, place: Place): Problem {
  const expected = `expected keys under it (${[...section.members.keys()].join(', ')})`
  const where = section.path === '' ? 'the whole file' : section.path
  return {
    ...place,
    key: section.path,
    message: `${where} is ${received(value)}; ${expected}, each on its own line as "key: value"`,
  }
}

/** What is wrong with a value for a key; empty when nothing is. */
export function checkValue(leaf: Leaf, value: unknown, place: Place): Problem[] {
  if (value !== undefined && leaf.schema.safeParse(value).success) return []
  const strange = strangeField(leaf, value)
  if (strange !== undefined) {
    const meant = nearest(strange, fieldNames(leaf))
    const key = shown(`${leaf.path}.${strange}`)
    const hint = meant === undefined ? `known: ${fieldNames(leaf).join(', ')}` : `did you mean ${meant}?`
    return [{ ...place, key, message: `unknown key ${key}; ${hint}` }]
  }
  const meant = misspelt(leaf, value)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return [
    {
      ...place,
      key: leaf.path,
      message: `${leaf.path} is ${received(value)}; expected ${leaf.type}${hint}`,
    },
  ]
}

function strangeField(leaf: Leaf, value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const known = fieldNames(leaf)
  return known.length === 0 ? undefined : Object.keys(value).find((name) => !known.includes(name))
}

function misspelt(leaf: Leaf, value: unknown): string | undefined {
  const known = choices(leaf)
  for (const word of Array.isArray(value) ? value : [value]) {
    if (typeof word === 'string' && !known.includes(word)) return nearest(word, known)
  }
  return undefined
}

/** A value in words, short whatever it is; never looks deeper than one level, so cycles do no harm. */
function received(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  if (typeof value === 'string') return `the text ${shortened(value)}`
  if (typeof value === 'number') return `the number ${value}`
  if (Array.isArray(value)) return `the list [${value.slice(0, 8).map(scalar).join(', ')}]`
  if (typeof value === 'object')
    return `a map with the keys ${Object.keys(value).slice(0, 8).map(shown).join(', ')}`
  return String(value)
}

const scalar = (value: unknown): string =>
  typeof value === 'string'
    ? shortened(value)
    : typeof value === 'object' && value !== null
      ? '…'
      : String(value)

/** The most characters of somebody's text that a message repeats. */
const SHOWN_CHARS_MAX = 80

const shortened = (text: string): string =>
  JSON.stringify(text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text)

/** A key as it may be printed: plain when it looks like one, quoted and cut otherwise. */
export const shown = (key: string): string => (/^[\w.-]{1,80}$/.test(key) ? key : shortened(key))
