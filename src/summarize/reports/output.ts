/** A tool's readable output, prepared once for all rows. */
export interface Output {
  readonly text: string
  /** Each at most `LINE_CHARS_MAX` long, without the end of line. */
  readonly lines: readonly string[]
}

/** What is matched of one line, in characters; the rest of a longer line is not looked at. */
const LINE_CHARS_MAX = 2_000

export function outputOf(text: string): Output {
  const lines = text.split('\n')
  for (const [at, line] of lines.entries())
    if (line.length > LINE_CHARS_MAX) lines[at] = line.slice(0, LINE_CHARS_MAX)
  return { text, lines }
}

/** Recognition looks at this much of an output's head, middle and tail each, in characters. */
const SAMPLE_CHARS = 16 * 1024
/** The same, in lines, where they are shorter than in any report. */
const SAMPLE_LINES = 500

/** A long output's head, middle and tail: enough to recognise the tool that wrote it, and quick to look at. */
export function sampleOf(output: Output): Output {
  const { text } = output
  if (text.length <= 4 * SAMPLE_CHARS) return output
  const middle = lineStart(text, text.length >> 1)
  const tail = lineStart(text, text.length - SAMPLE_CHARS)
  const lines = [
    ...text.slice(0, SAMPLE_CHARS).split('\n', SAMPLE_LINES),
    ...text.slice(middle, middle + SAMPLE_CHARS).split('\n', SAMPLE_LINES),
    ...text.slice(tail).split('\n').slice(-SAMPLE_LINES),
  ]
  return outputOf(lines.join('\n').replace(/\n{3,}/g, '\n\n'))
}

/** The next line's start; the same place when none is near. */
function lineStart(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 || end > from + SAMPLE_CHARS ? from : end + 1
}
