import { relative } from 'node:path'
import { styleText } from 'node:util'
import width from 'string-width'
import { withoutKeys } from '../app/person-secrets.ts'
import { visible, visibleJson } from '../audit/visible.ts'
import { cut } from '../text/cut.ts'

/** The exit code where a log shows its packets in a view that is not known here. */
export const UNKNOWN_VIEW = 3

type Style = Parameters<typeof styleText>[0]

/** Styled only on a terminal that takes colour; NO_COLOR and FORCE_COLOR are honoured by the runtime. */
export const paint = (style: Style, text: string): string =>
  styleText(style, text, { stream: process.stdout })

/** Any text on one line of a terminal: what would be unseen, or would move or reorder what is seen, is shown as an escape. */
export const safe = (text: string): string => visible(text).replace(/[\n\t]/g, ' ')

/** What `paint` writes. No other escape reaches a terminal, wherever a text comes from. */
const STYLES = /(\x1b\[(?:[0127]|2[27]|3[1-6]|39|90)m)/

/** A text for people, the last thing before it is written. */
export const shown = (text: string): string =>
  withoutKeys(
    text
      .split(STYLES)
      .map((part, at) => (at % 2 === 1 ? part : visible(part)))
      .join(''),
  )

export function print(text: string): void {
  process.stdout.write(shown(text.endsWith('\n') ? text : `${text}\n`))
}

/** For programs that read lines of a text, byte for byte: a patch. */
interface Exact {
  readonly exact: string
}

/** Lines for people; one that is not to be shown is false or undefined. */
export type Lines = readonly (string | Exact | false | undefined)[]

/** What a command found, for programs and for people. */
export interface CommandAnswer {
  readonly json: unknown
  readonly lines: () => Lines
  /** The exit code: 0 unless told otherwise. */
  readonly code?: number
}

/** All at once, one after the other as it comes, or bytes as they are. */
export type Found =
  | CommandAnswer
  | {
      readonly each: AsyncIterable<Partial<CommandAnswer> & Pick<CommandAnswer, 'lines'>>
      readonly code?: () => number
    }
  | { readonly bytes: Uint8Array }

/** Prints what was found and gives the exit code. Of what comes one after the other JSON has a line each. */
export async function show(found: Found, json: boolean): Promise<number> {
  if ('bytes' in found) {
    process.stdout.write(process.stdout.isTTY ? shown(Buffer.from(found.bytes).toString()) : found.bytes)
    return 0
  }
  if ('each' in found) {
    for await (const one of found.each)
      if (!json) printLines(one.lines())
      else if (one.json !== undefined) print(visibleJson(one.json))
    return found.code?.() ?? 0
  }
  if (json) print(visibleJson(found.json, process.stdout.isTTY ? 2 : undefined))
  else printLines(found.lines())
  return found.code ?? 0
}

export function printLines(lines: Lines): void {
  for (const line of lines)
    if (typeof line === 'string') print(line)
    else if (line) process.stdout.write(withoutKeys(line.exact))
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

/** A name as a person types it in a hint: in quotes where a shell would take it apart. */
export const typed = (name: string): string =>
  /^[\w@%+=:,./][\w@%+=:,./#-]*$/.test(name) ? name : `'${safe(name).replaceAll("'", "'\\''")}'`

/** Progress and remarks go to standard error, so that standard output stays clean. */
export function remark(text: string): void {
  process.stderr.write(shown(`${text}\n`))
}

/** How far a command is with many logs, for who watches it. */
export function progress(done: number, all: number): void {
  if (process.stderr.isTTY && all > 200 && (done % 100 === 0 || done === all))
    process.stderr.write(`\r${count(done, 'log')} of ${all}${done === all ? '\n' : ''}`)
}

/** How many columns a line may have: those of the terminal, or any number elsewhere. */
const columns = (): number => (process.stdout.isTTY && process.stdout.columns) || Number.POSITIVE_INFINITY

/** How many characters of a recorded line are shown beside an indent: so many, or what the terminal has. */
export const charsLeft = (most: number, indent: number): number =>
  Math.max(LAST_COLUMN_MIN, Math.min(most, columns() - indent))

/** The beginning of a recorded text as one line that fits beside an indent. */
export const excerpt = (text: string, most: number, indent: number): string =>
  cut(safe(cut(text, most)), charsLeft(most, indent))

/** With less space than this, the last column of a table goes below its row. */
const LAST_COLUMN_MIN = 24
const BELOW_INDENT = 4

/**
 * A table with aligned columns; numbers to the right. Where it is too wide the last column is broken into lines, or goes
 * below; only if that is not enough, the widest texts of the others are cut in their middle.
 */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en-US') : safe(cell))),
  )
  const natural = head.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))))
  const last = natural.at(-1) ?? 0
  const space = columns() - 2 * (head.length - 2)
  // Beside a short last column the others are cut, as long as that leaves something of them.
  const beside = fitting(natural.slice(0, -1), space - Math.min(last, LAST_COLUMN_MIN) - 2)
  const front = Math.max(...beside) < LAST_COLUMN_MIN ? fitting(natural.slice(0, -1), space) : beside
  const start = front.reduce((sum, one) => sum + one + 2, 0)
  const isBelow = start + Math.min(last, LAST_COLUMN_MIN) > columns()
  const isNumeric = (column: number) =>
    rows.length > 0 && rows.every((row) => typeof row.at(column) === 'number')
  const [title = '', ...body] = cells.map((row) => {
    const texts = front.map((size, column) =>
      pad(cutMiddle(row[column] ?? '', size), size, isNumeric(column)),
    )
    const end = row.at(-1) ?? ''
    if (isBelow) return `${texts.join('  ').trimEnd()}${end === '' ? '' : `\n${wrapped(end, BELOW_INDENT)}`}`
    const shown = isNumeric(-1) ? pad(end, last, true) : wrapped(end, start).trimStart()
    return [...texts, shown].join('  ').trimEnd()
  })
  return [paint('bold', title), ...body].join('\n')
}

/** Takes from the widest column until all fit. */
function fitting(widths: readonly number[], most: number): number[] {
  const fitted = [...widths]
  for (let over = fitted.reduce((sum, one) => sum + one, 0) - most; over > 0; over--) {
    const widest = fitted.indexOf(Math.max(...fitted))
    fitted[widest] = Math.max(1, (fitted[widest] ?? 0) - 1)
  }
  return fitted
}

/** Both ends of a path or a key say more than its middle. */
function cutMiddle(text: string, size: number): string {
  if (width(text) <= size) return text
  const chars = [...text]
  const end = Math.ceil((size - 1) * 0.6)
  return `${chars.slice(0, size - 1 - end).join('')}…${end > 0 ? chars.slice(-end).join('') : ''}`
}

/**
 * Text broken at spaces to the terminal's width, with spaces before its first line and those that follow. A word that is
 * longer than a line is broken too.
 */
export function wrapped(text: string, indent = 0, hanging = indent): string {
  const lines: string[] = []
  const left = () => columns() - (lines.length === 0 ? indent : hanging)
  let line = /^ */.exec(text)?.[0] ?? ''
  for (const word of text.trimStart().split(' ')) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`
    if (width(longer) <= left()) {
      line = longer
      continue
    }
    if (line.trim() !== '') lines.push(line)
    line = word
    for (let chars = [...word]; width(line) > left(); line = chars.join(''))
      lines.push(chars.splice(0, Math.max(1, left())).join(''))
  }
  return [...lines, line].map((one, at) => ' '.repeat(at === 0 ? indent : hanging) + one).join('\n')
}

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
