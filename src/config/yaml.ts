import { LineCounter, type Node, parseDocument } from 'yaml'
import { messageOf } from '../errors.ts'

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

/** Reads one YAML 1.2 document. Duplicate keys, unknown tags and too many aliases are flaws. */
export function readYaml(text: string): Yaml | YamlFlaw {
  const lines = new LineCounter()
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    stringKeys: true,
    prettyErrors: false,
    resolveKnownTags: false,
    logLevel: 'error',
  })
  const [flaw] = [...document.errors, ...document.warnings]
  if (flaw !== undefined) return { flaw: flaw.message, ...placeAt(flaw.pos[0]) }
  try {
    const value: unknown = document.toJS({ maxAliasCount: CONFIG_ALIASES_MAX })
    return { value, contents: document.contents, placeAt }
  } catch (thrown) {
    // Aliases are resolved only now; the message names the alias, the library does not say where it is.
    return { flaw: messageOf(thrown), line: 1, column: 1 }
  }
}
