import type { Node as Syntax } from 'web-tree-sitter'
import { TwotrackError } from '../../errors.ts'
import { languageOf, loadGrammar } from '../../nodes/grammar.ts'
import type { CodeNode } from '../../nodes/node.ts'
import type { NodeFile } from '../../nodes/node-file.ts'

const FUNCTIONS = new Set([
  'function_definition',
  'function_declaration',
  'generator_function_declaration',
  'method_definition',
  'arrow_function',
  'function_expression',
  'generator_function',
  'lambda',
])

/** What can be read off a definition's own body, not that of functions in it. */
export interface BodyFacts {
  readonly yields: boolean
  /** Whether a value is returned anywhere. */
  readonly returns: boolean
  /** False for a declaration that leaves the code to others: a stub, an abstract method. */
  readonly hasBody: boolean
  readonly raises: readonly Raise[]
  /** What the functions of the same file raise that it calls. */
  readonly calledRaises: readonly string[]
}

/** An error that the body raises, and the words it is raised with where they are written there. */
interface Raise {
  readonly name: string
  readonly message: string | null
}

/** Where a node's definition is in the text: offsets in UTF-16 units. */
export interface Definition extends BodyFacts {
  readonly start: number
  readonly isDefinition: boolean
  /** Python: the body, where the header ends, and the docstring that is there. */
  readonly body: { readonly start: number; readonly headerEnd: number } | null
  readonly docstring: { readonly start: number; readonly end: number } | null
}

/** Finds a node's definition in its file. */
export async function definitionOf(file: NodeFile, node: CodeNode): Promise<Definition> {
  const called = node.callees.map((name) => name.split('.').at(-1))
  const others = file.parsed.nodes.filter((one) => one.key !== node.key && called.includes(one.name))
  const theirs = await Promise.all(others.map((one) => ownDefinition(file, one)))
  const calledRaises = theirs.flatMap(({ raises }) => raises.map(({ name }) => name))
  return { ...(await ownDefinition(file, node)), calledRaises }
}

async function ownDefinition({ path, bytes, text }: NodeFile, node: CodeNode): Promise<Definition> {
  const language = languageOf(path)
  if (language === null) throw new TwotrackError('bad_argument', `${path} is no source file.`)
  const { parser } = await loadGrammar(language)
  const tree = parser.parse(text)
  if (tree === null) throw new TwotrackError('limit', `${path} takes too many steps to parse.`)
  try {
    const start = indexOf(bytes, node.span.start_byte)
    const end = indexOf(bytes, node.span.end_byte)
    if (node.type === 'file') return moduleOf(tree.rootNode)
    const outer = tree.rootNode.descendantForIndex(start, Math.max(start, end - 1)) ?? tree.rootNode
    const syntax = language.name === 'python' ? pythonDefinition(outer) : outer
    return {
      start,
      isDefinition: language.name !== 'python' || syntax.type.endsWith('_definition'),
      body: bodyOf(syntax),
      docstring: stringOf(syntax.childForFieldName('body')),
      ...factsOf(syntax),
    }
  } finally {
    tree.delete()
  }
}

const indexOf = (bytes: Buffer, offset: number): number => bytes.toString('utf8', 0, offset).length

function pythonDefinition(outer: Syntax): Syntax {
  if (outer.type === 'decorated_definition') return outer.childForFieldName('definition') ?? outer
  // A span of one line may belong to the statement list as well.
  return outer.type === 'block' ? (outer.firstNamedChild ?? outer) : outer
}

function bodyOf(syntax: Syntax): Definition['body'] {
  const body = syntax.childForFieldName('body')
  if (body === null) return null
  const colon = syntax.children.findLast((child) => child.type === ':' && child.endIndex <= body.startIndex)
  return colon ? { start: body.startIndex, headerEnd: colon.endIndex } : null
}

/** The text that is the first statement. */
function stringOf(body: Syntax | null): Definition['docstring'] {
  const first = body?.namedChildren.find((child) => child.type !== 'comment')
  const value = first?.type === 'expression_statement' ? first.firstNamedChild : null
  if (value?.type !== 'string' && value?.type !== 'concatenated_string') return null
  return { start: value.startIndex, end: value.endIndex }
}

function moduleOf(root: Syntax): Definition {
  const first = root.namedChildren.find((child) => child.type !== 'comment')
  const start = first?.startIndex ?? root.endIndex
  const body = { start, headerEnd: 0 }
  const facts = { yields: false, returns: false, hasBody: true, raises: [], calledRaises: [] }
  return { start, isDefinition: true, body, docstring: stringOf(root), ...facts }
}

function factsOf(definition: Syntax): BodyFacts {
  const raises = new Map<string, Raise>()
  let [yields, returns, entered] = [false, false, false]
  const waiting: Syntax[] = [definition]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (FUNCTIONS.has(next.type)) {
      // The definition itself is a function, or holds the one that it is about; what is deeper is another one.
      if (entered) continue
      entered = true
      if (next.type === 'arrow_function') returns = next.childForFieldName('body')?.type !== 'statement_block'
    }
    if (next.type === 'yield' || next.type === 'yield_expression') yields = true
    if (next.type === 'return_statement' && next.firstNamedChild) returns = true
    const thrown = thrownBy(next)
    if (thrown !== undefined && !raises.has(thrown.name)) raises.set(thrown.name, thrown)
    waiting.push(...next.namedChildren.toReversed())
  }
  const isOpen = [...raises.keys()].some((name) => /NotImplemented/.test(name)) || isStub(definition)
  return { yields, returns, hasBody: entered && !isOpen, raises: [...raises.values()], calledRaises: [] }
}

/** `...`, `pass`, or no body at all. */
function isStub(definition: Syntax): boolean {
  const body = definition.childForFieldName('body')
  if (body === null)
    return !definition.descendantsOfType([...FUNCTIONS]).some((one) => one?.childForFieldName('body'))
  return (
    body.namedChildren.every(
      (one) => /^(?:comment|pass_statement)$/.test(one.type) || /^(?:\.\.\.|["'].*["'])$/s.test(one.text),
    ) && definition.type === 'function_definition'
  )
}

/** What `raise X(…)`, `raise X` or `throw new X(…)` says. */
function thrownBy(syntax: Syntax): Raise | undefined {
  if (syntax.type !== 'raise_statement' && syntax.type !== 'throw_statement') return undefined
  const value = syntax.firstNamedChild
  const named = value?.childForFieldName('function') ?? value?.childForFieldName('constructor') ?? value
  if (!named || !/^[A-Z][\w.]*$/.test(named.text)) return undefined
  const first = value?.childForFieldName('arguments')?.firstNamedChild
  const isText = first?.type === 'string' || first?.type === 'template_string'
  const words = isText ? first.text.replace(/^[a-zA-Z]?["'`]+/, '').replace(/["'`]+$/, '') : ''
  return { name: named.text, message: /^[^\n]{3,120}$/.test(words) ? words : null }
}
