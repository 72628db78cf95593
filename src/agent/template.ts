import { canonical, isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { nodePath } from '../nodes/source-path.ts'
import { cut } from '../text/cut.ts'
import type { AgentDefinition, Rule, Target } from './agent.ts'
import type { RuleView } from './rule-view.ts'

/** What a name in `{{…}}` stands for; undefined when it is not known. */
export type Lookup = (name: string) => Json | undefined

/**
 * Fills the `{{name}}`s of a value: a text that is one `{{name}}` alone becomes what it stands for, inside a longer
 * text its words. Undefined when a name is not known: half a call would be another call.
 */
export function fillJson(value: Json, lookup: Lookup): Json | undefined {
  if (typeof value === 'string') return fillText(value, lookup)
  if (Array.isArray(value)) {
    const items = value.map((item) => fillJson(item, lookup))
    return items.every((item) => item !== undefined) ? items : undefined
  }
  return isObject(value) ? fillObject(value, lookup) : value
}

export function fillObject(fields: JsonObject, lookup: Lookup): JsonObject | undefined {
  const filled: [string, Json][] = []
  for (const [name, field] of Object.entries(fields)) {
    const value = fillJson(field, lookup)
    if (value === undefined) return undefined
    filled.push([name, value])
  }
  return Object.fromEntries(filled)
}

function fillText(text: string, lookup: Lookup): Json | undefined {
  const parts = partsOf(text)
  const [only] = parts
  if (parts.length === 1 && only?.name !== undefined) return standsFor(only.name, lookup)
  let filled = ''
  for (const { plain, name } of parts) {
    const value = name === undefined ? plain : standsFor(name, lookup)
    if (value === undefined) return undefined
    filled += typeof value === 'string' ? value : canonical(value)
  }
  return filled
}

type Part =
  | { readonly plain: string; readonly name?: undefined }
  | { readonly plain: ''; readonly name: string }

function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let at = 0
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', at)) {
    const close = text.indexOf('}}', open)
    if (close === -1) break
    if (open > at) parts.push({ plain: text.slice(at, open) })
    parts.push({ plain: '', name: text.slice(open + 2, close).trim() })
    at = close + 2
  }
  if (at < text.length || parts.length === 0) parts.push({ plain: text.slice(at) })
  return parts
}

/** The names in a text's templates, for checking them before a run. */
export const templateNames = (text: string): string[] =>
  partsOf(text).flatMap(({ name }) => (name === undefined ? [] : [name]))

/** `key`, `key.field`, or by how much one number is above another: `one - other`, at least 0. */
function standsFor(name: string, lookup: Lookup): Json | undefined {
  const minus = name.indexOf(' - ')
  if (minus === -1) return lookup(name)
  const one = lookup(name.slice(0, minus).trim())
  const other = lookup(name.slice(minus + 3).trim())
  return typeof one === 'number' && typeof other === 'number' ? Math.max(0, one - other) : undefined
}

/** Of an error in a rule's sentence: a candidate with all of a long one would be too long to be proposed. */
const ERROR_CHARS_MAX = 1_200

const RUN_WORDS = ['node_id', 'node_type', 'file_path', 'last_error']

/** The knowledge that a rule's condition and templates name, each once. */
export function knowledgeIn({ when = {}, args, reason }: Pick<Rule, 'when' | 'args' | 'reason'>): string[] {
  const { known = [], unknown = [], equals = {}, above = {} } = when
  const inTemplates = templateNames(`${canonical(args)} ${reason}`).flatMap((name) => name.split(' - '))
  const named = [...known, ...unknown, ...Object.keys(equals), ...Object.keys(above), ...inTemplates]
  const keys = named.map((name) => name.trim().split('.', 1)[0] ?? '')
  return [...new Set(keys)].filter((key) => !RUN_WORDS.includes(key))
}

/** What the rules of an agent may name: what is known, and a few words about the run. */
export function lookupIn({ node, knowledge, last_error }: RuleView): Lookup {
  const words: Record<string, Json> = {
    node_id: node.id,
    node_type: node.type,
    file_path: nodePath(node.id),
    ...(last_error === null ? {} : { last_error: cut(last_error, ERROR_CHARS_MAX) }),
  }
  return (name) => {
    const value = ownOf(knowledge, name)
    if (value !== undefined) return value
    const dot = name.indexOf('.')
    if (dot === -1) return ownOf(words, name)
    return name
      .slice(dot + 1)
      .split('.')
      .reduce<Json | undefined>(
        (holder, field) => (isObject(holder) ? ownOf(holder as JsonObject, field) : undefined),
        ownOf(knowledge, name.slice(0, dot)),
      )
  }
}

const ownOf = <Value>(holder: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(holder, name) ? holder[name] : undefined

/** Names that a node template may use. */
export const TARGET_NAMES = ['node_id', 'node_name', 'node_type', 'file_path', 'node_text'] as const

/** The goal of an agent at its node. A name that is none of the above stays as it is written. */
export function goalFor(definition: AgentDefinition, { node, file_path }: Target): string {
  const words: Record<string, string> = {
    node_id: node.id,
    node_name: node.name,
    node_type: node.type,
    file_path,
    node_text: node.text,
  }
  return partsOf(definition.node_template)
    .map(({ plain, name }) => (name === undefined ? plain : (ownOf(words, name) ?? `{{${name}}}`)))
    .join('')
}
