import { type Lines, paint, safe } from './output.ts'

const STYLES = { '+': 'green', '-': 'red', '@': 'cyan' } as const

/** A patch: on a terminal coloured and made safe, elsewhere byte for byte. */
export const patchLines = (text: string): Lines =>
  process.stdout.isTTY
    ? indentedPatch(text, '')
    : [{ exact: text === '' || text.endsWith('\n') ? text : `${text}\n` }]

/** With something before each line it is no patch, and is for people alone. */
export const indentedPatch = (text: string, before: string): string[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => before + coloured(safe(line)))

function coloured(line: string): string {
  const first = line[0]
  return first === '+' || first === '-' || first === '@' ? paint(STYLES[first], line) : line
}
