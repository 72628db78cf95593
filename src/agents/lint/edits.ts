import type { Edit, LintProblem, RowColumn } from './linter.ts'

/** Applies the fixes that problems are told with: those that do not touch each other, the first of two that do. */
export function applied(text: string, problems: readonly LintProblem[]): string {
  const offset = offsets(text)
  const fixes = problems
    .map(({ edits = [] }) =>
      edits.map((edit) => resolved(edit, offset)).sort((one, other) => one.from - other.from),
    )
    .filter((edits) => edits.length > 0)
    .sort((one, other) => (one[0]?.from ?? 0) - (other[0]?.from ?? 0))
  let [result, at, end] = ['', 0, -1]
  for (const edits of fixes) {
    if ((edits[0]?.from ?? 0) <= end) continue
    for (const { from, to, content } of edits) {
      result += text.slice(at, from) + content
      at = to
    }
    end = Math.max(...edits.map(({ to }) => to))
  }
  return result + text.slice(at)
}

const resolved = ({ from, to, content }: Edit, offset: (place: RowColumn | number) => number) => ({
  from: offset(from),
  to: offset(to),
  content,
})

/** Rows and columns count from 1, columns in characters; a row ends as Python says. A byte order mark does not count. */
function offsets(text: string): (place: RowColumn | number) => number {
  const mark = text.startsWith('\uFEFF') ? 1 : 0
  const starts = [mark]
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]
    if (unit === '\n' || (unit === '\r' && text[at + 1] !== '\n')) starts.push(at + 1)
  }
  return (place) => {
    if (typeof place === 'number') return place + mark
    let at = starts[place.row - 1] ?? text.length
    for (let column = 1; column < place.column && at < text.length; column++)
      at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
    return at
  }
}
