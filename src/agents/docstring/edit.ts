import { TwotrackError } from '../../errors.ts'
import type { CodeNode } from '../../nodes/node.ts'
import { type NodeFile, textOf } from '../../nodes/node-file.ts'
import { parseNodes } from '../../nodes/parse.ts'
import { type Definition, definitionOf } from './definition.ts'

/** The file's text with a node's docstring set. Throws, and changes nothing, if the file would not parse then. */
export async function withDocstring(file: NodeFile, node: CodeNode, docstring: string): Promise<string> {
  if (!file.parsed.parsed) {
    const [first] = file.parsed.errors
    throw new TwotrackError(
      'bad_argument',
      `${file.path} does not parse (line ${first?.line}: ${first?.message}); mend that first.`,
    )
  }
  const before = textOf(file.path, file.bytes)
  const definition = await definitionOf(file, node)
  const edited =
    node.language === 'python'
      ? inPython(before, node, definition, linesOf(docstring))
      : inScript(before, node, definition, linesOf(docstring))
  const text = before.includes('\r\n') ? edited.replace(/\r?\n/g, '\r\n') : edited
  await assertSound(file, node, text)
  return text
}

async function assertSound({ path, parsed: before }: NodeFile, node: CodeNode, text: string): Promise<void> {
  const { parsed, nodes } = await parseNodes(path, text)
  const found = nodes.find(({ key }) => key === node.key)
  if (parsed && found && found.docstring !== null && nodes.length === before.nodes.length) return
  throw new TwotrackError(
    'bad_argument',
    `With this docstring ${path} would not be read as before, so nothing was written. Give plain text without code around it.`,
  )
}

/** The words alone: whoever writes them may have put the quotes or comment marks around them. */
function linesOf(docstring: string): string[] {
  let text = docstring.replaceAll('\r\n', '\n').trim()
  for (const [open, close] of [
    ['"""', '"""'],
    ["'''", "'''"],
    ['/**', '*/'],
  ] as const)
    if (text.startsWith(open) && text.endsWith(close) && text.length >= open.length + close.length) {
      text = text.slice(open.length, -close.length)
      if (open === '/**') text = text.replace(/^[ \t]*\* ?/gm, '')
    }
  const [first = '', ...rest] = text.trim().split('\n')
  const indents = rest
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length)
  const common = indents.length === 0 ? 0 : Math.min(...indents)
  return [first.trimEnd(), ...rest.map((line) => line.slice(common).trimEnd())]
}

function inPython(text: string, node: CodeNode, definition: Definition, lines: readonly string[]): string {
  const { body, docstring } = definition
  if (!definition.isDefinition || body === null)
    throw new TwotrackError(
      'bad_argument',
      `${node.key} is not a def or a class, so it can't have a docstring.`,
    )
  if (docstring)
    return replaced(
      text,
      docstring.start,
      docstring.end,
      pythonString(lines, indentAt(text, docstring.start)),
    )
  if (node.type === 'file') return replaced(text, body.start, body.start, `${pythonString(lines, '')}\n\n`)
  const gap = node.type === 'class' ? '\n\n' : '\n'
  if (!text.slice(body.headerEnd, body.start).includes('\n')) {
    // `def f(): return 1`: the body moves to lines of its own.
    const indent = `${indentAt(text, definition.start)}    `
    return replaced(
      text,
      body.headerEnd,
      body.start,
      `\n${indent}${pythonString(lines, indent)}${gap}${indent}`,
    )
  }
  const indent = indentAt(text, body.start)
  return replaced(text, body.start, body.start, `${pythonString(lines, indent)}${gap}${indent}`)
}

function pythonString(lines: readonly string[], indent: string): string {
  const safe = lines.map((line) => line.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"'))
  const [first = '', ...rest] = safe
  if (rest.length === 0) return `"""${first}${first.endsWith('"') ? ' ' : ''}"""`
  return [
    '"""',
    first,
    '\n',
    ...rest.map((line) => (line === '' ? '\n' : `${indent}${line}\n`)),
    indent,
    '"""',
  ].join('')
}

function inScript(text: string, node: CodeNode, { start }: Definition, lines: readonly string[]): string {
  if (node.type === 'file')
    throw new TwotrackError('bad_argument', 'Name a function, method or class of the file to document.')
  const indent = indentAt(text, start)
  const comment = blockComment(lines, indent)
  if (node.docstring === null) return replaced(text, start, start, `${comment}\n${indent}`)
  const end = text.slice(0, start).trimEnd().length
  const from = text.lastIndexOf('/**', end)
  if (!text.slice(0, end).endsWith('*/') || from === -1 || text.slice(from, end - 2).includes('*/'))
    throw new TwotrackError(
      'bad_argument',
      `The comment of ${node.key} does not stand directly before it; edit it by hand.`,
    )
  return replaced(text, from, end, comment)
}

function blockComment(lines: readonly string[], indent: string): string {
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'))
  if (safe.length === 1) return `/** ${safe[0]} */`
  return ['/**', ...safe.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}`), `${indent} */`].join(
    '\n',
  )
}

const replaced = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to)

/** The white space that the line at an offset begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return line.slice(0, line.length - line.trimStart().length)
}
