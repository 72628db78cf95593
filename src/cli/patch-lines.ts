import { paint, safe } from './output.ts'

const STYLES = { '+': 'green', '-': 'red', '@': 'cyan' } as const

/** A patch: on a terminal coloured and made safe, elsewhere byte for byte. With something before each line it is no patch. */
export function patchLines(text: string, before = ''): string[] {
  if (!process.stdout.isTTY && before === '') return [text]
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => before + coloured(safe(line)))
}

function coloured(line: string): string {
  const first = line[0]
  return first === '+' || first === '-' || first === '@' ? paint(STYLES[first], line) : line
}
