import { type Document, isCollection, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { messageOf } from '../errors.ts'
import { JSON_DEPTH_MAX } from '../limits.ts'

/**
 * Aliases that a configuration file may resolve, nested ones multiplied.
 * @internal
 */
export const CONFIG_ALIASES_MAX = 100

/** A YAML text as a value, and the nodes it was made of, whose ranges `placeAt` turns into lines. */
export interface Yaml {
  readonly value: unknown
  readonly contents: Node | null
  readonly placeAt: (offset: number) => { line: number; column: number }
}

/** Why a text is not YAML that can be used here, and where. */
interface YamlFlaw {
  readonly flaw: string
  readonly line: number
  readonly column: number
}

/** Reads one YAML 1.2 document. Duplicate keys, unknown tags, too many aliases and circles are flaws. */
export function readYaml(text: string): Yaml | YamlFlaw {
  const lines = new LineCounter()
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    stringKeys: true,
    // The library compares each key with all others of its map, which takes minutes for those of a lock file.
    uniqueKeys: false,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'error',
  })
  const [flaw] = [...document.errors, ...document.warnings]
  if (flaw !== undefined) return { flaw: flaw.message, ...placeAt(flaw.pos[0]) }
  try {
    const found = flawIn(document)
    if (found !== undefined) return { flaw: found.flaw, ...placeAt(found.offset) }
    const value: unknown = document.toJS({ maxAliasCount: CONFIG_ALIASES_MAX })
    if (isDeep(value)) return { flaw: `nested deeper than ${JSON_DEPTH_MAX}`, line: 1, column: 1 }
    return { value, contents: document.contents, placeAt }
  } catch (thrown) {
    // Aliases are resolved only now; the message names the alias, the library does not say where it is.
    return { flaw: messageOf(thrown), line: 1, column: 1 }
  }
}

/** What the library does not refuse: a key that its map has before, and a value that holds itself. */
function flawIn(document: Document): { readonly flaw: string; readonly offset: number } | undefined {
  let found: ReturnType<typeof flawIn>
  const refuse = (flaw: string, node: Node): symbol => {
    found = { flaw, offset: node.range?.[0] ?? 0 }
    return visit.BREAK
  }
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) return refuse('Map keys must be unique', key)
        seen.add(key.value)
      }
      return undefined
    },
    Alias(_, alias, around) {
      const holds = around.some((node) => isCollection(node) && node.anchor === alias.source)
      return holds ? refuse(`*${alias.source} stands within what it names`, alias) : undefined
    },
  })
  return found
}

/** Deeper than anything that is recorded. */
export const isDeep = (value: unknown, depth = 0): boolean =>
  depth > JSON_DEPTH_MAX ||
  (typeof value === 'object' && value !== null && Object.values(value).some((one) => isDeep(one, depth + 1)))
