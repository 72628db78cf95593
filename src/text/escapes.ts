/** CSI, strings (OSC, DCS and their like), character sets, two-character ones; an unfinished one ends with its line. */
const ESCAPES = /\x1b(?:\[[ -?]*[@-~]?|[\]P_^X][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[()][^\n\x1b]?|[^\n\x1b])?/g

/** Text without terminal escapes. The classes of `ESCAPES` share no character with what follows them: one pass. */
export function withoutEscapes(text: string): string {
  return text.includes('\x1b') ? text.replace(ESCAPES, '') : text
}

/** Where terminal escapes stand. */
export const escapesIn = (text: string): { from: number; to: number }[] =>
  text.includes('\x1b')
    ? [...text.matchAll(ESCAPES)].map(({ 0: sequence, index }) => ({
        from: index,
        to: index + sequence.length,
      }))
    : []
