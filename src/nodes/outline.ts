/**
 * From captured syntax to drafts of nodes. The captures come in the order of the source, outer before inner, so a
 * stack of what is open is all that is needed: no recursion, and no look at a parent, which costs its depth.
 */

import type { Node as Syntax } from 'web-tree-sitter'
import type { Capture } from './capture.ts'
import type { Docstring, Language, NodeReading, Reading } from './language.ts'
import { LeadingTrivia } from './leading.ts'
import type { Import } from './node.ts'
import { oneLine } from './syntax.ts'

/** Definitions inside definitions that become nodes; deeper ones belong to the node around them. */
const DEPTH_MAX = 32
/** Kept of one node. */
const DECORATORS_MAX = 64
const CALLEES_MAX = 1_000

/** A node before its offsets are bytes and its text is hashed. */
interface Draft extends NodeReading {
  qualifiedName: string
  parent: Draft | null
  depth: number
  start: number
  end: number
  startRow: number
  endRow: number
  decorators: string[]
  callees: Set<string>
}

interface Open {
  end: number
  /** What names are qualified with in here. */
  qualifier: string
  node: Draft
  innerId: number | null
  openBody: boolean
  /** The statement around, whose span a definition takes. */
  wrapper: Syntax | null
}

export interface Outline {
  drafts: Draft[]
  imports: Import[]
  errors: Syntax[]
  fileDocstring: Docstring | null
}

const fileDraft = (root: Syntax, docstring: Docstring | null): Draft => ({
  is: 'node',
  type: 'file',
  names: [],
  params: [],
  returns: null,
  signature: '',
  docstring,
  qualifiedName: '',
  parent: null,
  depth: 0,
  start: 0,
  end: root.endIndex,
  startRow: 0,
  endRow: root.endPosition.row,
  decorators: [],
  callees: new Set(),
})

const join = (qualifier: string, names: readonly string[]): string =>
  qualifier === '' ? names.join('.') : `${qualifier}.${names.join('.')}`

const lastRow = (syntax: Syntax): number => {
  const { row, column } = syntax.endPosition
  return column === 0 && row > syntax.startPosition.row ? row - 1 : row
}

export const outline = (
  root: Syntax,
  captures: readonly Capture[],
  language: Language,
  source: string,
): Outline => {
  const file = fileDraft(root, language.fileDocstring(root, source))
  const drafts = [file]
  const imports: Import[] = []
  const errors: Syntax[] = []
  const leading = new LeadingTrivia(source, language.docComment)
  const counts = new Map<string, number>()
  const bottom: Open = {
    end: Number.POSITIVE_INFINITY,
    qualifier: '',
    node: file,
    innerId: null,
    openBody: false,
    wrapper: null,
  }
  const stack: Open[] = [bottom]

  const unique = (qualified: string): string => {
    const count = (counts.get(qualified) ?? 0) + 1
    counts.set(qualified, count)
    return count === 1 ? qualified : `${qualified}~${count}`
  }

  const addNode = (syntax: Syntax, reading: NodeReading, around: Open): Draft => {
    const outer = around.wrapper !== null && around.innerId === syntax.id ? around.wrapper : syntax
    const before = leading.take(syntax, outer)
    const first = before.decorators[0]
    const own = syntax.childrenForFieldName('decorator')
    const draft: Draft = {
      ...reading,
      docstring: reading.docstring ?? before.docstring,
      qualifiedName: unique(join(around.qualifier, reading.names)),
      parent: around.node,
      depth: around.node.depth + 1,
      start: Math.min(first?.startIndex ?? outer.startIndex, outer.startIndex),
      end: outer.endIndex,
      startRow: Math.min(first?.startPosition.row ?? outer.startPosition.row, outer.startPosition.row),
      endRow: lastRow(outer),
      decorators: [...before.decorators, ...own].slice(0, DECORATORS_MAX).map((it) => oneLine(it, source)),
      callees: new Set(),
    }
    drafts.push(draft)
    return draft
  }

  const open = (syntax: Syntax, reading: Reading, around: Open) => {
    const inner: Open = { ...around, end: syntax.endIndex, innerId: null, openBody: false, wrapper: null }
    if ('innerId' in reading) inner.innerId = reading.innerId
    if (reading.is === 'body') inner.openBody = reading.open
    else if (reading.is === 'scope') inner.qualifier = join(around.qualifier, reading.names)
    else if (reading.is === 'wrapper')
      inner.wrapper = around.wrapper !== null && around.innerId === syntax.id ? around.wrapper : syntax
    else if (around.node.depth < DEPTH_MAX) {
      inner.node = addNode(syntax, reading, around)
      inner.qualifier = inner.node.qualifiedName
    }
    stack.push(inner)
  }

  for (const { role, syntax } of captures) {
    let around = stack.at(-1) ?? bottom
    while (around.end <= syntax.startIndex) {
      stack.pop()
      around = stack.at(-1) ?? bottom
    }
    const { innerId: expectedId, openBody: inOpenBody, node } = around
    if (role === 'structure') {
      const inClass = node.type === 'class'
      const reading = language.read(syntax, { source, expectedId, inOpenBody, inClass })
      if (reading !== null) open(syntax, reading, around)
    } else if (role === 'comment' || role === 'decorator') leading.add(syntax)
    else if (role === 'import') imports.push(...language.imports(syntax, source))
    else if (role === 'error') errors.push(syntax)
    else {
      const callee = language.callee(syntax, source)
      if (callee !== null && node.callees.size < CALLEES_MAX) node.callees.add(callee)
    }
  }
  return { drafts, imports, errors, fileDocstring: file.docstring ?? leading.fileDocstring() }
}
