import { isMap, isScalar, type Pair } from 'yaml'
import { configTree, type Leaf, type Section } from './keys.ts'
import { checkValue, notASection, type Place, type Problem, unknownKey } from './problem.ts'
import { readYaml } from './yaml.ts'

/** A value that was written somewhere for a key. */
export interface Setting {
  readonly leaf: Leaf
  readonly value: unknown
}

/** The settings may be used only when there are no problems. */
export interface Parsed {
  readonly settings: readonly Setting[]
  readonly problems: readonly Problem[]
}

/** Reads the text of a configuration file. Pure; what is wrong comes back with its line and column. */
export function parseConfig(text: string, file: string): Parsed {
  const yaml = readYaml(text)
  const place = ({ line, column }: { line: number; column: number }): Place => ({
    label: `${file}:${line}:${column}`,
    file,
    line,
    column,
  })
  if ('flaw' in yaml) {
    return { settings: [], problems: [{ ...place(yaml), message: `not valid YAML: ${yaml.flaw}` }] }
  }
  const { placeAt } = yaml
  const settings: Setting[] = []
  const problems: Problem[] = []
  walk(configTree(), yaml.value, yaml.contents, place({ line: 1, column: 1 }))
  return { settings, problems }

  /** `node` runs beside `value` only to know the places; where an alias leads elsewhere, the last place stays. */
  function walk(section: Section, value: unknown, node: unknown, at: Place): void {
    if (value === null) return // a section whose keys are all commented out
    if (typeof value !== 'object' || Array.isArray(value)) {
      problems.push(notASection(section, value, at))
      return
    }
    const pairs = new Map(isMap(node) ? node.items.map((pair) => [keyOf(pair), pair]) : [])
    for (const [name, inner] of Object.entries(value)) {
      const pair = pairs.get(name)
      const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined
      const here = start === undefined ? at : place(placeAt(start))
      const member = section.members.get(name)
      if (member === undefined) problems.push(unknownKey(name, section, here))
      else if (member.kind === 'section') walk(member, inner, pair?.value, here)
      else {
        problems.push(...checkValue(member, inner, here))
        settings.push({ leaf: member, value: inner })
      }
    }
  }
}

const keyOf = (pair: Pair): unknown => (isScalar(pair.key) ? pair.key.value : undefined)
