import { z } from 'zod'
import { TwotrackError } from '../errors.ts'
import { listInside } from '../files/files.ts'
import { searchContent } from './search.ts'
import { defineTool, filesOf } from './tool.ts'

/** Entries that `list_dir` gives. */
const LIST_ENTRIES_MAX = 1_000

const path = z.string().describe('relative to the top of the project, parts separated by /')
const lineNumber = z.int().positive().optional()

const readFileTool = defineTool({
  name: 'read_file',
  description: 'Reads a text file, or some of its lines.',
  effect: 'pure',
  input: z.strictObject({
    path,
    from_line: lineNumber.describe('first line, counted from 1'),
    to_line: lineNumber.describe('last line, included'),
  }),
  filesOnly: true,
  async run({ path, from_line, to_line }, context) {
    const bytes = await filesOf(context).read(path)
    // Bytes that are no text are recorded as they are.
    if (bytes.includes(0)) return bytes
    const text = bytes.toString()
    if (from_line === undefined && to_line === undefined) return text
    const lines = text.split('\n')
    const first = from_line ?? 1
    if (first > lines.length) {
      throw new TwotrackError('bad_argument', `"${path}" has ${lines.length} lines; from_line was ${first}.`)
    }
    return lines.slice(first - 1, to_line).join('\n')
  },
})

const writeFileTool = defineTool({
  name: 'write_file',
  description: 'Writes a whole file, replacing what was there; folders are made.',
  effect: 'idempotent',
  input: z.strictObject({ path, content: z.string() }),
  filesOnly: true,
  async run({ path, content }, context) {
    await filesOf(context).write(path, content)
    const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)
    return { path, bytes: Buffer.byteLength(content), lines }
  },
})

const listDirTool = defineTool({
  name: 'list_dir',
  description: 'Lists the files and folders in a folder.',
  effect: 'pure',
  input: z.strictObject({ path: path.default('.') }),
  async run({ path }, { workspace }) {
    const entries = await listInside(workspace, path)
    const lines = entries
      .slice(0, LIST_ENTRIES_MAX)
      .map(({ name, kind }) => (kind === 'folder' ? `${name}/` : name))
    const rest = entries.length - lines.length
    return [...lines, ...(rest > 0 ? [`… and ${rest} more`] : [])].join('\n')
  },
})

const searchContentTool = defineTool({
  name: 'search_content',
  description: 'Finds the lines that hold a text, in all files or in those under a path.',
  effect: 'pure',
  input: z.strictObject({ text: z.string().min(1).max(500), path: path.default('.') }),
  async run({ text, path }, { workspace }) {
    const { matches, more } = await searchContent(workspace, text, path)
    const lines = matches.map((match) => `${match.path}:${match.line}:${match.text}`)
    return [...lines, ...(more ? ['… and more; search for a longer text or under a path'] : [])].join('\n')
  },
})

/** The built-in tools for files, all kept inside the workspace. */
export const fileTools = [readFileTool, writeFileTool, listDirTool, searchContentTool] as const
