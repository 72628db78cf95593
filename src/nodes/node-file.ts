import { TwotrackError } from '../errors.ts'
import { readInside } from '../files/files.ts'
import type { CodeNode } from './node.ts'
import { type ParsedFile, parseNodes } from './parse.ts'
import { nodePath } from './source-path.ts'

/** The file that a node stands in, as it is now in the workspace. */
export interface NodeFile {
  readonly path: string
  readonly bytes: Buffer
  readonly text: string
  readonly parsed: ParsedFile
  /** The node itself; of a file, the file's own. */
  readonly node: CodeNode
}

interface Where {
  readonly workspace: string
  /** Where the files are read from instead, one by one. */
  readonly files?: { read(path: string): Promise<Buffer> }
  readonly node: { readonly id: string }
}

/** Reads and parses the file anew: an agent's own edits move what is in it. Throws `missing`, `bad_argument`. */
export async function readNodeFile({ workspace, files, node }: Where): Promise<NodeFile> {
  const path = nodePath(node.id)
  const bytes = await (files ? files.read(path) : readInside(workspace, path))
  const parsed = await parseNodes(path, bytes)
  const found = parsed.nodes.find(({ key }) => key === node.id)
  if (found) return { path, bytes, text: bytes.toString(), parsed, node: found }
  const [reason] = parsed.errors
  if (parsed.nodes.length === 0 && reason) throw new TwotrackError('bad_argument', reason.message)
  throw new TwotrackError('missing', `${path} has no ${node.id} any more; it was renamed or removed.`)
}

/** The text of a file that is going to be written again; bytes that are no text would be lost. */
export function utf8Text(path: string, bytes: Buffer): string {
  const text = bytes.toString()
  if (Buffer.from(text).equals(bytes)) return text
  throw new TwotrackError('bad_argument', `${path} is not UTF-8 text; save it as UTF-8 before it is edited.`)
}

/** A node of the same file by its qualified name; the file's own node when none is named. */
export function nodeNamed({ path, parsed, node }: NodeFile, name: string | undefined): CodeNode {
  if (name === undefined || name === '') return node
  const found = parsed.nodes.find(({ qualified_name, key }) => qualified_name === name || key === name)
  if (found) return found
  const names = parsed.nodes.map(({ qualified_name }) => qualified_name).filter((known) => known !== '')
  throw new TwotrackError(
    'bad_argument',
    `${path} has no "${name.slice(0, 120)}". It has: ${names.slice(0, 20).join(', ') || 'no definitions'}.`,
  )
}
