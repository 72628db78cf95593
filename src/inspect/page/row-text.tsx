import type { ComponentChild } from 'preact'
import { visible } from '../../audit/visible.ts'
import { ColouredLine } from './ansi.tsx'

const encoder = new TextEncoder()
const decoder = new TextDecoder()

const ESCAPED_FEED = /(?<!\\)(?:\\\\)*\\n/g

/** The text of a row, with what is pointed at marked to the byte. */
export function RowText({
  text,
  at,
  marks,
  isJson,
}: {
  readonly text: string
  readonly at: number
  readonly marks: readonly (readonly [number, number])[]
  /** After a line feed that is written as an escape a new line begins: a script in arguments is read as lines. */
  readonly isJson: boolean
}): ComponentChild {
  const shown = (part: string) => (isJson ? visible(part).replace(ESCAPED_FEED, '$&\n') : visible(part))
  const inside = marks.filter(([from, to]) => to > at && from < at + text.length * 3)
  // Colours and marks both cut a row; where there are colours the row alone is marked.
  if (text.includes('\x1b')) return <ColouredLine text={text} />
  const bytes = encoder.encode(text)
  const parts: ComponentChild[] = []
  let done = 0
  for (const [from, to] of inside.toSorted(([one], [other]) => one - other)) {
    const start = Math.max(done, from - at)
    const end = Math.min(bytes.length, to - at)
    if (end <= start) continue
    parts.push(shown(decoder.decode(bytes.subarray(done, start))))
    parts.push(<mark>{shown(decoder.decode(bytes.subarray(start, end)))}</mark>)
    done = end
  }
  parts.push(shown(decoder.decode(bytes.subarray(done))))
  return parts
}
