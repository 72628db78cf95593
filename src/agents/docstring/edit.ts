import type { Node as Syntax } from 'web-tree-sitter'
import { TwotrackError } from '../../errors.ts'
import type { CodeNode } from '../../nodes/node.ts'
import { type NodeFile, utf8Text } from '../../nodes/node-file.ts'
import { parseNodes, withSyntax } from '../../nodes/parse.ts'
import { type Definition, definitionOf } from './definition.ts'

/** The file's text with a node's docstring set, and the words alone. Throws, and changes nothing, if the file would not parse then. */
export async function withDocstring(
  file: NodeFile,
  node: CodeNode,
  docstring: string,
): Promise<{ text: string; words: string }> {
  if (!file.parsed.parsed) {
    const [first] = file.parsed.errors
    throw new TwotrackError(
      'bad_argument',
      `${file.path} does not parse (line ${first?.line}: ${first?.message}); mend that first.`,
    )
  }
  const before = utf8Text(file.path, file.bytes)
  const definition = await definitionOf(file, node)
  const lines = wordLines(docstring)
  refuseCode(lines, node)
  const put = node.language === 'python' ? inPython : inScript
  const text = put(before, node, definition, lines)
  await assertSound(file, node, before, text)
  return { text, words: lines.join('\n') }
}

/** A docstring is words: what holds the definition once more, or ends the comment, would be code. */
function refuseCode(lines: readonly string[], { name, key }: CodeNode): void {
  const text = lines.join('\n')
  const escaped = name.replace(/[$]/g, '\\$')
  const isCode = new RegExp(
    `^\\s*(?:@\\w[\\w.]*\\n)?(?:async |export |default )*(?:def|class|function|const|interface|type) ${escaped}\\b`,
    'm',
  )
  const why = isCode.test(text)
    ? 'it holds the code of the definition again'
    : /"""|\*\//.test(text)
      ? 'it holds marks that would end it'
      : undefined
  if (why)
    throw new TwotrackError(
      'bad_argument',
      `The docstring of ${key} is refused: ${why}. Give the words alone.`,
    )
}

/** The file must parse, hold the same nodes, and be the same code without docstrings. */
async function assertSound(
  { path, parsed: before }: NodeFile,
  node: CodeNode,
  old: string,
  text: string,
): Promise<void> {
  const { parsed, nodes } = await parseNodes(path, text)
  const found = nodes.find(({ key }) => key === node.key)
  const isSame = async () => (await codeOf(path, old)) === (await codeOf(path, text))
  if (parsed && found && found.docstring !== null && nodes.length === before.nodes.length && (await isSame()))
    return
  throw new TwotrackError(
    'bad_argument',
    `With this docstring ${path} would not be read as before, so nothing was written. Give plain text without code around it.`,
  )
}

/** The code of a file, token by token and with its other comments, without docstrings. */
async function codeOf(path: string, text: string): Promise<string> {
  const tokens = (at: Syntax): string[] => {
    if (at.type === 'comment' && at.text.startsWith('/**')) return []
    const isText = at.type === 'expression_statement' && at.namedChildCount === 1
    if (isText && /string$/.test(at.firstNamedChild?.type ?? '')) return []
    return at.childCount === 0 ? [at.text] : at.children.flatMap(tokens)
  }
  const found = await withSyntax(path, text, tokens)
  return found?.filter((token) => token.trim() !== '').join('\n') ?? text
}

/** The words alone: whoever writes them may have put the quotes or comment marks around them. */
function wordLines(docstring: string): string[] {
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
  const end = endOfLine(text)
  if (!definition.isDefinition || body === null)
    throw new TwotrackError(
      'bad_argument',
      `${node.key} is not a def or a class, so it can't have a docstring.`,
    )
  if (docstring) {
    const words = pythonString(lines, indentAt(text, docstring.start), end)
    return spliced(text, docstring.start, docstring.end, words)
  }
  if (node.type === 'file')
    return spliced(text, body.start, body.start, `${pythonString(lines, '', end)}${end}${end}`)
  const between = text.slice(body.headerEnd, body.start)
  if (!between.includes('\n')) return beforeBody(text, node, definition, lines)
  // Right below the header, so that comments stay with the code that they are about; a type comment belongs to the header.
  const [head = ''] = /^[^\n]*\n(?:[ \t]*# type: ?\([^\n]*\n)?/.exec(between) ?? []
  const at = body.headerEnd + head.length
  const indent = indentAt(text, body.start)
  const gap = node.type === 'class' && !/^[ \t]*\r?\n/.test(text.slice(at)) ? end : ''
  return spliced(text, at, at, `${indent}${pythonString(lines, indent, end)}${end}${gap}`)
}

/** `def f(): return 1`: the body moves to a line of its own, which a comment on the line would not survive. */
function beforeBody(
  text: string,
  { key }: CodeNode,
  { start, body }: Definition,
  lines: readonly string[],
): string {
  if (body === null) return text
  const end = endOfLine(text)
  const rest = text.slice(
    body.start,
    text.indexOf('\n', body.start) === -1 ? undefined : text.indexOf('\n', body.start),
  )
  if (rest.includes('#'))
    throw new TwotrackError(
      'bad_argument',
      `${key} stands on one line with a comment, which would no longer be about it; left alone.`,
    )
  const indent = `${indentAt(text, start)}    `
  return spliced(
    text,
    body.headerEnd,
    body.start,
    `${end}${indent}${pythonString(lines, indent, end)}${end}${indent}`,
  )
}

const endOfLine = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

function pythonString(lines: readonly string[], indent: string, end: string): string {
  const safe = lines.map((line) => line.replaceAll('\\', '\\\\'))
  const [first = '', ...rest] = safe
  if (rest.length === 0) return `"""${first}${first.endsWith('"') ? ' ' : ''}"""`
  return [`"""${first}`, ...rest.map((line) => (line === '' ? '' : indent + line)), `${indent}"""`].join(end)
}

/** Comments that speak to a tool about the next line. */
const DIRECTIVE =
  /^[ \t]*(?:\/\/|\/\*)\s*(?:@ts-|eslint-|oxlint-|biome-ignore|prettier-ignore|tslint:|istanbul |c8 |v8 |@__|#__|jshint|stryker|deno-)/i

function inScript(text: string, node: CodeNode, { start }: Definition, lines: readonly string[]): string {
  if (node.type === 'file')
    throw new TwotrackError('bad_argument', 'Name a function, method or class of the file to document.')
  const end = endOfLine(text)
  const indent = indentAt(text, start)
  const comment = blockComment(lines, indent, end)
  if (node.docstring === null) {
    const line = text.lastIndexOf('\n', start - 1) + 1
    if (text.slice(line, start).trim() !== '')
      throw new TwotrackError('bad_argument', `${node.key} stands on a line with other code; left alone.`)
    const at = aboveDirectives(text, line)
    return spliced(text, at, at, `${indent}${comment}${end}`)
  }
  const last = text.slice(0, start).trimEnd().length
  const from = text.lastIndexOf('/**', last)
  if (!text.slice(0, last).endsWith('*/') || from === -1 || text.slice(from, last - 2).includes('*/'))
    throw new TwotrackError(
      'bad_argument',
      `The comment of ${node.key} does not stand directly before it; edit it by hand.`,
    )
  return spliced(text, from, last, comment)
}

/** The begin of the line that the comments begin on which speak to tools about the line at an offset. */
function aboveDirectives(text: string, offset: number): number {
  let found = offset
  for (let at = offset; at > 0; ) {
    const before = text.lastIndexOf('\n', at - 2) + 1
    const line = text.slice(before, at)
    if (!/^[ \t]*(?:\/\/|\/\*[^\n]*\*\/[ \t]*\r?\n$)/.test(line)) break
    at = before
    if (DIRECTIVE.test(line)) found = at
  }
  return found
}

function blockComment(lines: readonly string[], indent: string, end: string): string {
  if (lines.length === 1) return `/** ${lines[0]} */`
  return ['/**', ...lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}`), `${indent} */`].join(
    end,
  )
}

const spliced = (text: string, from: number, to: number, by: string): string =>
  text.slice(0, from) + by + text.slice(to)

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return line.slice(0, line.length - line.trimStart().length)
}
