import { relative } from 'node:path'
import { styleText } from 'node:util'
import { sanitizeLine } from '../prompt/sanitize.ts'

type Style = Parameters<typeof styleText>[0]

/** Styled only on a terminal that takes colour; NO_COLOR and FORCE_COLOR are honoured by the runtime. */
export const paint = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout })

/** Text that came from tools, safe for a terminal: no escape sequence goes through. */
export const safe = sanitizeLine

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined))
}

/**
 * How this program was started, for hints that can be typed as they stand: from a checkout, by npx, by a script of
 * somebody's package.json, or as a command on the path.
 * @internal
 */
export function commandName(npmScript: string | undefined, program: string, cwd: string): string {
  if (program.endsWith('.ts'))
    return npmScript === undefined ? `node ${relative(cwd, program)}` : 'npm run twotrack --'
  return npmScript === undefined ? 'twotrack' : 'npx twotrack'
}

export const self = commandName(
  process.env['npm_lifecycle_event'],
  process.argv[1] ?? 'twotrack',
  process.cwd(),
)

/** Progress and remarks go to standard error, so that standard output stays clean. */
export function remark(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** A table with aligned columns; numbers to the right. The last column is cut to the terminal's width. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : safe(cell))),
  )
  const widths = head.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))))
  const numeric = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  )
  const lines = cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, numeric[column] === true))
      .join('  ')
      .trimEnd(),
  )
  const limit = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
  const [title = '', ...body] = lines.map((line) =>
    line.length > limit ? `${line.slice(0, limit - 1)}…` : line,
  )
  return [paint('bold', title), ...body].join('\n')
}

const width = (text: string): number => [...text].length
const pad = (text: string, size: number, right: boolean): string => {
  const space = ' '.repeat(Math.max(0, size - width(text)))
  return right ? space + text : text + space
}

export const count = (items: number, name: string): string =>
  `${items.toLocaleString('en-US')} ${name}${items === 1 ? '' : 's'}`

export function bytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let value = count
  let unit = 0
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`
}
