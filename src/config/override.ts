import { CONFIG_BYTES_MAX } from '../limits.ts'
import { nearest } from '../text/suggest.ts'
import { configTree, type Leaf, leaves, type Section } from './keys.ts'
import type { Parsed, Setting } from './parse.ts'
import { checkValue, type Place, type Problem, shown, unknownKey } from './problem.ts'
import { takesText } from './type-text.ts'
import { readYaml } from './yaml.ts'

/**
 * Values from `TWOTRACK_RUNNER_…` variables. A variable that starts like a section but names no key is refused;
 * any other `TWOTRACK_` variable is not configuration and is left alone.
 */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): Parsed {
  const known = new Map(leaves(configTree()).map((leaf) => [leaf.variable, leaf]))
  const prefixes = [...configTree().members.keys()].map((name) => `TWOTRACK_${name.toUpperCase()}_`)
  return collect(
    Object.entries(env).flatMap(([variable, text]) => {
      if (text === undefined || !prefixes.some((prefix) => variable.startsWith(prefix))) return []
      const leaf = known.get(variable)
      return [leaf === undefined ? unknownVariable(variable, known) : read(leaf, text, { label: variable })]
    }),
  )
}

function unknownVariable(variable: string, known: ReadonlyMap<string, Leaf>): Problem {
  const meant = nearest(variable, known.keys())
  const hint = meant === undefined ? `known: ${[...known.keys()].join(', ')}` : `did you mean ${meant}?`
  return { label: shown(variable), message: `unknown configuration variable; ${hint}` }
}

/** Values from `--set key=value`, in order; of two for the same key the last one counts. */
export function fromAssignments(assignments: readonly string[]): Parsed {
  return collect(assignments.map(fromAssignment))
}

function fromAssignment(assignment: string): Setting | Problem {
  const place = { label: '--set' }
  const equals = assignment.indexOf('=')
  if (equals < 1) {
    return { ...place, message: `${shown(assignment)} has no key and value; write it as key=value` }
  }
  const found = find(assignment.slice(0, equals).trim(), place)
  return 'leaf' in found ? read(found.leaf, assignment.slice(equals + 1), place) : found
}

function find(path: string, place: Place): { leaf: Leaf } | Problem {
  let section: Section = configTree()
  const names = path.split('.')
  for (const [index, name] of names.entries()) {
    const member = section.members.get(name)
    if (member === undefined) return unknownKey(name, section, place)
    if (member.kind === 'section') section = member
    else if (index === names.length - 1) return { leaf: member }
    else
      return {
        ...place,
        key: path,
        message: `${member.path} is one value, ${member.type}; set it as a whole`,
      }
  }
  const keys = [...section.members.keys()].join(', ')
  return { ...place, key: path, message: `${path} is a section; set one of its keys: ${keys}` }
}

function read(leaf: Leaf, text: string, place: Place): Setting | Problem {
  const parsed = parseValue(leaf, text)
  if ('flaw' in parsed) {
    const message = `${leaf.path} cannot be read: ${parsed.flaw}; expected ${leaf.type}`
    return { ...place, key: leaf.path, message }
  }
  return checkValue(leaf, parsed.value, place)[0] ?? { leaf, value: parsed.value }
}

// Text is taken as it stands, since the shell has dealt with quotes; anything else is a YAML value.
function parseValue(leaf: Leaf, text: string): { value: unknown } | { flaw: string } {
  if (text.length > CONFIG_BYTES_MAX) return { flaw: `it is longer than ${CONFIG_BYTES_MAX} characters` }
  return takesText(leaf) ? { value: text } : readYaml(text)
}

function collect(found: readonly (Setting | Problem)[]): Parsed {
  return {
    settings: found.filter((entry) => 'leaf' in entry),
    problems: found.filter((entry) => 'message' in entry),
  }
}
