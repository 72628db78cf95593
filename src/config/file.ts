import { lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { LineCounter, type Node, parseDocument } from 'yaml'
import { type ErrorCode, messageOf, TwotrackError } from '../errors.ts'
import { CONFIG_ALIASES_MAX, CONFIG_BYTES_MAX } from '../limits.ts'

const FILE_NAMES = ['twotrack.yaml', 'twotrack.yml']

/** The configuration file of a folder: its own or its nearest parent's, not above the root of its git repository. */
export function findConfigFile(cwd: string): string | undefined {
  let folder = resolve(cwd)
  for (;;) {
    const found = FILE_NAMES.map((name) => join(folder, name)).filter(isThere)
    if (found.length > 1) {
      throw new TwotrackError('bad_config', `${found.join(' and ')} both exist; remove one of them.`, {
        details: { file: found[0] },
      })
    }
    const parent = dirname(folder)
    if (found.length === 1 || isThere(join(folder, '.git')) || parent === folder) return found[0]
    folder = parent
  }
}

// A dangling link counts as there: reading it then says what is wrong, instead of silently using defaults.
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw new TwotrackError('io', `${path} cannot be looked at: ${messageOf(cause)}`, { cause })
  }
}

/** The text of a configuration file. */
export function readConfigFile(file: string): string {
  const refuse = (code: ErrorCode, message: string, cause?: unknown) =>
    new TwotrackError(code, message, { cause, details: { file } })
  let bytes: Uint8Array
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat === undefined) throw refuse('missing', `There is no configuration file ${file}.`)
    if (!stat.isFile()) throw refuse('bad_config', `${file} is not a regular file; give one with YAML in it.`)
    if (stat.size > CONFIG_BYTES_MAX) {
      const most = `larger than ${CONFIG_BYTES_MAX} bytes, the most a configuration may have`
      throw refuse('bad_config', `${file} is ${most}. Is it the right file?`)
    }
    bytes = readFileSync(file)
  } catch (cause) {
    if (cause instanceof TwotrackError) throw cause
    throw refuse('io', `${file} cannot be read: ${messageOf(cause)}`, cause)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw refuse('bad_config', `${file} is not UTF-8 text; save it as UTF-8.`, cause)
  }
}

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
