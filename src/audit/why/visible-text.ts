import { escapesIn } from '../../text/escapes.ts'

/** A text without terminal escapes and control characters, and where each unit of it stands in the whole. */
export interface VisibleText {
  readonly text: string
  at(index: number): number
}

// Line feeds and tabs stay.
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

/** Undefined for a text that is all visible. */
export function visibleOf(text: string): VisibleText | undefined {
  const hidden = [...escapesIn(text), ...spansOf(text)].sort((a, b) => a.from - b.from)
  if (hidden.length === 0) return undefined
  let visible = ''
  let from = 0
  /** Where each visible stretch begins: in the visible text, and in the whole. */
  const starts: { readonly at: number; readonly from: number }[] = []
  for (const one of [...hidden, { from: text.length, to: text.length }]) {
    if (one.from > from) {
      starts.push({ at: visible.length, from })
      visible += text.slice(from, one.from)
    }
    from = Math.max(from, one.to)
  }
  return {
    text: visible,
    at(index) {
      const start = starts.findLast(({ at }) => at <= index)
      return start ? start.from + index - start.at : index
    },
  }
}

const spansOf = (text: string): { from: number; to: number }[] =>
  [...text.matchAll(CONTROL)].map(({ index }) => ({ from: index, to: index + 1 }))
