import { isMap, isScalar, isSeq } from 'yaml'
import type { z } from 'zod'
import { shownKey } from '../config/problem.ts'
import { readYaml, type Yaml } from '../config/yaml.ts'
import { nearest } from '../text/suggest.ts'
import { type AgentDefinition, agentSchema } from './agent.ts'

/** Why an agent can't be used. `source` is the file with line and column where they are known. */
export interface AgentProblem {
  readonly source: string
  readonly message: string
  readonly line?: number
  readonly key?: string
}

export type ParsedAgent =
  | { readonly definition: AgentDefinition; readonly at: (key: readonly PropertyKey[]) => AgentProblem }
  | { readonly problems: readonly AgentProblem[] }

/** Reads the text of an `agent.yaml`. Pure; what is wrong comes back with line, key and what is expected. */
export function parseAgent(text: string, file: string): ParsedAgent {
  const yaml = readYaml(text)
  if ('flaw' in yaml) {
    const { line, column, flaw } = yaml
    return { problems: [{ source: `${file}:${line}:${column}`, line, message: `not valid YAML: ${flaw}` }] }
  }
  const at = (key: readonly PropertyKey[]): AgentProblem => {
    const { line, column } = yaml.placeAt(offsetOf(yaml, key))
    return { source: `${file}:${line}:${column}`, line, key: spoken(key), message: '' }
  }
  const parsed = agentSchema.safeParse(yaml.value)
  if (parsed.success) return { definition: parsed.data, at }
  return { problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, at)) }
}

function problemsOf(
  issue: z.core.$ZodIssue,
  at: (key: readonly PropertyKey[]) => AgentProblem,
): AgentProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((name) => {
      const meant = nearest(name, knownAt(issue.path))
      const hint =
        meant === undefined ? `known here: ${knownAt(issue.path).join(', ')}` : `did you mean ${meant}?`
      return { ...at([...issue.path, name]), message: `unknown key ${shownKey(name)}; ${hint}` }
    })
  }
  // A tool that is written as a map is meant to be a script: what is wrong with it as a name says nothing.
  const asScript = issue.code === 'invalid_union' ? issue.errors.at(-1) : undefined
  if (asScript?.some((inner) => inner.path.length > 0 || inner.code === 'unrecognized_keys')) {
    return asScript.flatMap((inner) => problemsOf({ ...inner, path: [...issue.path, ...inner.path] }, at))
  }
  const where = at(issue.path)
  return [{ ...where, message: `${where.key || 'the whole file'}: ${wordsFor(issue)}` }]
}

function wordsFor(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union')
    return "expected the name of a tool, a file that exports one (./tool.ts), or a script's name, description, script, parameters and effect"
  if (issue.code === 'invalid_value') return `expected one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'invalid_type') return `expected ${issue.expected}, ${issue.message.split(', ').at(-1)}`
  return issue.message
}

/** The keys that may stand at a path of the schema. */
function knownAt(path: readonly PropertyKey[]): string[] {
  const [section, , field] = path
  if (section === undefined) return Object.keys(agentSchema.shape)
  if (field === 'when') return KEYS['when'] ?? []
  return KEYS[String(section)] ?? KEYS['tools'] ?? []
}

const KEYS: Readonly<Record<string, string[]>> = {
  when: ['known', 'unknown', 'equals', 'above', 'last', 'called_below'],
  candidates: ['when', 'tool', 'args', 'reason'],
  status: ['when', 'text', 'set'],
  skip_when: ['when', 'text'],
  fails_when: ['when', 'text'],
  check: ['tool', 'problems'],
  extension: ['name', 'share', 'schema'],
  commands: ['program', 'starts', 'refuse'],
  mcp: ['name', 'command', 'args', 'env', 'url', 'tools', 'trusted', 'declaration_tokens'],
  tools: ['name', 'description', 'script', 'parameters', 'effect', 'externals', 'limits'],
}

/** Where a key is written, or the nearest key around it that is. */
function offsetOf({ contents }: Yaml, key: readonly PropertyKey[]): number {
  let node: unknown = contents
  let offset = contents?.range?.[0] ?? 0
  for (const part of key) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === part)
      if (!pair || !isScalar(pair.key)) break
      offset = pair.key.range?.[0] ?? offset
      node = pair.value
    } else if (isSeq(node) && typeof part === 'number') {
      const item = node.items[part]
      if (isScalar(item) || isMap(item) || isSeq(item)) offset = item.range?.[0] ?? offset
      node = item
    } else break
  }
  return offset
}

const spoken = (key: readonly PropertyKey[]): string =>
  key
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('')
