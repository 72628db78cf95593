import type { Node as Syntax } from 'web-tree-sitter'
import type { Docstring, Language } from './language.ts'
import { sourceOf } from './syntax.ts'

const FILE_TAG = /@(?:file|fileoverview|module|packageDocumentation)\b/

/** Comments and decorators seen so far; a definition takes those that stand directly before it. */
export class LeadingTrivia {
  readonly #source: string
  readonly #docComment: Language['docComment']
  #seen: Syntax[] = []
  #taken = new Set<number>()
  #first: Syntax | null = null
  /** Where the comments at the top of the file end, so far. */
  #topEnd = 0

  constructor(source: string, docComment: Language['docComment']) {
    this.#source = source
    this.#docComment = docComment
    if (source.startsWith('#!')) this.#topEnd = Math.max(source.indexOf('\n'), 0)
    else if (source.startsWith('\uFEFF')) this.#topEnd = 1
  }

  add(syntax: Syntax): void {
    this.#seen.push(syntax)
    if (!this.#isBlank(this.#topEnd, syntax.startIndex) || syntax.type !== 'comment') return
    this.#topEnd = syntax.endIndex
    if (this.#docComment(sourceOf(syntax, this.#source)) !== null) this.#first ??= syntax
  }

  /** What belongs to a definition inside `outer`, the statement around it or the definition itself. */
  take(definition: Syntax, outer: Syntax): { decorators: Syntax[]; docstring: Docstring | null } {
    const decorators: Syntax[] = []
    let docstring: Docstring | null = null
    let start = definition.startIndex
    for (let last = this.#seen.pop(); last !== undefined; last = this.#seen.pop()) {
      if (last.startIndex < outer.startIndex) {
        start = Math.min(start, outer.startIndex)
        if (!this.#isBlank(last.endIndex, start)) break
      }
      start = last.startIndex
      if (last.type === 'decorator') {
        decorators.unshift(last)
        continue
      }
      docstring = this.#docComment(sourceOf(last, this.#source))
      if (docstring === null) continue
      this.#taken.add(last.id)
      break
    }
    this.#seen = []
    return { decorators, docstring }
  }

  /** A doc comment at the top that belongs to no definition and says or shows that it is about the file. */
  fileDocstring(): Docstring | null {
    const first = this.#first
    if (first === null || this.#taken.has(first.id)) return null
    const text = sourceOf(first, this.#source)
    const after = this.#source.slice(first.endIndex, first.endIndex + 200)
    const apart = /^[ \t\r]*\n[ \t\r]*(?:\n|import\b)/.test(after) || after.trim() === ''
    return FILE_TAG.test(text) || apart ? this.#docComment(text) : null
  }

  #isBlank(start: number, end: number): boolean {
    return start <= end && this.#source.slice(start, end).trim() === ''
  }
}
