/** A file's bytes → its nodes, without touching the disk. */

import type { Node as Syntax, Tree } from 'web-tree-sitter'
import { sha256 } from '../sha256.ts'
import { capture } from './capture.ts'
import { type LoadedGrammar, languageOf, loadGrammar } from './grammar.ts'
import type { Language } from './language.ts'
import { type CodeNode, type Import, nodeKey } from './node.ts'
import { type Outline, outline } from './outline.ts'

/** A source file that is read for nodes; larger ones are refused. */
export const SOURCE_BYTES_MAX = 4 * 1024 * 1024
/** Steps of the parser for each byte of a file, before it gives up on that file. */
const STEPS_PER_BYTE_MAX = 10
const SYNTAX_ERRORS_MAX = 20
const BINARY_PROBE_BYTES = 8192

/** A file's bytes as text for the parser, and the way back from its offsets to bytes. */
interface SourceText {
  text: string
  bytes: Uint8Array
  byteOffset(index: number): number
}

const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)

const utf8Offsets = (text: string): ((index: number) => number) => {
  const offsets = new Uint32Array(text.length + 1)
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    offsets[index] = bytes
    const unit = text.charCodeAt(index)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) {
      // A pair takes four bytes; its second half never starts or ends a node.
      offsets[++index] = bytes
      bytes += 4
    } else bytes += 3
  }
  offsets[text.length] = bytes
  return (index) => offsets[index] ?? bytes
}

/** What is not UTF-8 is read as Latin-1, byte for byte: its names and structure are ASCII in practice. */
const sourceText = (source: Uint8Array | string): SourceText => {
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  }
  const same = text.length === bytes.length
  return { text, bytes, byteOffset: same ? (index) => index : utf8Offsets(text) }
}

interface ParseError {
  code: 'syntax' | 'too_large' | 'binary' | 'unknown_language' | 'too_complex' | 'unreadable'
  /** Null when it is about the whole file. */
  line: number | null
  message: string
}

/**
 * `parsed` is false when the file has syntax errors (then the nodes are those that could be recovered) and when it
 * was refused (then there are none); `errors` says which.
 */
export interface ParsedFile {
  path: string
  parsed: boolean
  nodes: CodeNode[]
  errors: ParseError[]
}

const refusedFile = (path: string, code: ParseError['code'], message: string): ParsedFile => ({
  path,
  parsed: false,
  nodes: [],
  errors: [{ code, line: null, message }],
})

export const tooLargeFile = (path: string, bytes: number): ParsedFile =>
  refusedFile(path, 'too_large', `${path} has ${bytes} bytes; at most ${SOURCE_BYTES_MAX} are read.`)

export const unreadableFile = (path: string, reason: string): ParsedFile =>
  refusedFile(path, 'unreadable', `${path} can't be read: ${reason}`)

const PARSE_STEPS_MIN = 100_000

/** Null when the parser gave up. The limit counts steps, not time, so that the same file always fares the same. */
const parseTree = ({ parser }: LoadedGrammar, text: string): Tree | null => {
  let steps = 0
  const stepsMax = Math.max(PARSE_STEPS_MIN, text.length * STEPS_PER_BYTE_MAX)
  const tree = parser.parse(text, null, { progressCallback: () => ++steps > stepsMax })
  if (tree === null) parser.reset()
  return tree
}

const syntaxErrors = (errors: readonly Syntax[], text: string): ParseError[] =>
  errors.slice(0, SYNTAX_ERRORS_MAX).map((error) => {
    const found = text
      .slice(error.startIndex, Math.min(error.endIndex, error.startIndex + 40))
      .split('\n', 1)[0]
    const message = error.isMissing
      ? `"${error.type}" is missing here`
      : `unexpected ${JSON.stringify(found)}`
    return { code: 'syntax', line: error.startPosition.row + 1, message }
  })

/** `require` is seen twice, as a call and as what a name is bound to; the one with names says more. */
const withoutEchoes = (imports: readonly Import[]): Import[] => {
  const binds = (it: Import) => it.alias !== null || it.names.length > 0
  const bound = new Set(imports.filter(binds).map((it) => `${it.line} ${it.module}`))
  return imports.filter((it) => binds(it) || !bound.has(`${it.line} ${it.module}`))
}

const lineCount = (text: string): number => {
  if (text === '') return 0
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

const toNodes = (
  path: string,
  language: Language,
  { drafts, imports, fileDocstring }: Outline,
  file: SourceText,
): CodeNode[] => {
  const fileLines = lineCount(file.text)
  return drafts.map((draft): CodeNode => {
    const isFile = draft.type === 'file'
    const start = isFile ? 0 : file.byteOffset(draft.start)
    const end = isFile ? file.bytes.length : file.byteOffset(draft.end)
    const endLine = isFile ? Math.max(1, fileLines) : draft.endRow + 1
    const docstring = isFile ? fileDocstring : draft.docstring
    return {
      key: nodeKey(path, draft.qualifiedName),
      path,
      language: language.name,
      type: draft.type,
      name: draft.names.at(-1) ?? path.slice(path.lastIndexOf('/') + 1),
      qualified_name: draft.qualifiedName,
      parent: draft.parent === null ? null : nodeKey(path, draft.parent.qualifiedName),
      span: { start_line: draft.startRow + 1, end_line: endLine, start_byte: start, end_byte: end },
      signature: draft.signature,
      params: draft.params,
      returns: draft.returns,
      docstring: docstring?.first_line ?? null,
      docstring_hash: docstring === null ? null : sha256(docstring.text),
      decorators: draft.decorators,
      source_hash: sha256(file.bytes.subarray(start, end)),
      callees: [...draft.callees],
      imports: isFile ? withoutEchoes(imports) : [],
    }
  })
}

/** The first node is the file itself; the others follow in the order of the source. Never throws for what is in a file. */
export const parseNodes = async (path: string, source: Uint8Array | string): Promise<ParsedFile> => {
  const language = languageOf(path)
  if (language === null)
    return refusedFile(
      path,
      'unknown_language',
      `${path} has no ending of a Python, TypeScript or JavaScript file.`,
    )
  const file = sourceText(source)
  if (file.bytes.length > SOURCE_BYTES_MAX) return tooLargeFile(path, file.bytes.length)
  if (isBinary(file.bytes))
    return refusedFile(path, 'binary', `${path} holds a zero byte near its start: not source text.`)
  const grammar = await loadGrammar(language)
  const tree = parseTree(grammar, file.text)
  if (tree === null) return refusedFile(path, 'too_complex', `${path} takes too many steps to parse.`)
  try {
    const found = outline(tree.rootNode, capture(tree, grammar.roles), language, file.text)
    const errors = syntaxErrors(found.errors, file.text)
    const nodes = toNodes(path, language, found, file)
    return { path, parsed: !tree.rootNode.hasError, nodes, errors }
  } finally {
    tree.delete()
  }
}

/** What `use` makes of the syntax of a text; undefined for no source file, and where the parser gave up. */
export async function withSyntax<T>(
  path: string,
  text: string,
  use: (root: Syntax, language: Language) => T,
): Promise<T | undefined> {
  const language = languageOf(path)
  const tree = language && parseTree(await loadGrammar(language), text)
  if (!tree) return undefined
  try {
    return use(tree.rootNode, language)
  } finally {
    tree.delete()
  }
}

/** The comments of a file, in order, each without the indentation of its lines; undefined when it does not parse. */
export const commentsOf = (path: string, text: string): Promise<string[] | undefined> =>
  withSyntax(path, text, (root) =>
    root.hasError
      ? undefined
      : root
          .descendantsOfType('comment')
          .map((comment) => text.slice(comment.startIndex, comment.endIndex).replace(/\n[ \t]+/g, '\n')),
  )
