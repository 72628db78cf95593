import { addFinding, type Finding, type Findings, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** Jest and Vitest: the same words in their totals, `,` or `|` between them. */
export const jest: Reader = {
  tool: 'jest',
  names: ['jest', 'vitest', 'vitest run', 'react scripts', 'vue cli service', 'craco'],
  recognises: ({ text, lines }) =>
    (text.includes('Tests') && lines.some((line) => totalsOf(line) !== undefined)) ||
    (/[✕●]/.test(text) && lines.some((line) => /^ ?(?:FAIL|PASS) {1,2}\S/.test(line))),
  read,
}

const MARKS: Readonly<Record<string, string>> = { '✓': 'passed', '√': 'passed', '✕': 'failed', '×': 'failed' }
const BLOCK_LINES_MAX = 60

/** `Tests:  1 failed, 5 passed, 6 total` or `Tests  1 failed | 5 passed (6)`. */
function totalsOf(line: string): Map<string, number> | undefined {
  const body = /^\s{0,20}Tests:? {1,20}(\d.{0,200})$/.exec(line)?.[1]
  if (body === undefined) return undefined
  const parts = body.split(/[,|]/).map((part) => /^ ?(\d{1,9}) ([a-z]+)/.exec(part))
  if (parts.includes(null) || !/passed|failed|total|skipped|todo/.test(body)) return undefined
  return new Map(parts.map((part) => [part?.[2] ?? '', Number(part?.[1])]))
}

function read(output: Output): Report | undefined {
  const { lines, text } = output
  const sums = new Map<string, number>()
  const marks = new Map<string, number>()
  const add = (to: Map<string, number>, word: string, count: number) =>
    to.set(word, (to.get(word) ?? 0) + count)
  let errors = 0
  for (const line of lines) {
    for (const [word, count] of totalsOf(line) ?? [])
      add(sums, word === 'pending' || word === 'todo' ? 'skipped' : word, count)
    errors += Number(/^ {5}Errors {2}(\d{1,6}) errors?$/.exec(line)?.[1] ?? 0)
    if (line.trim() === '● Test suite failed to run') errors++
    const mark = /^ +([✓√✕×○↓]) \S/.exec(line.slice(0, 80))?.[1]
    if (mark !== undefined) add(marks, MARKS[mark] ?? 'skipped', 1)
  }
  const findings = failures(output)
  const counted = sums.size > 0 ? sums : marks
  if (counted.size === 0 && findings.total === 0 && !/^ ?PASS {1,2}\S/m.test(text)) return undefined
  const least = counted.size > 0 ? 0 : undefined
  const vitest = / Test Files {2}| RUN {2}v\d|⎯⎯⎯/.test(text)
  const counts = {
    passed: counted.get('passed') ?? least,
    failed: counted.get('failed') ?? least,
    errors: errors || undefined,
    skipped: counted.get('skipped') ?? (sums.size > 0 ? undefined : least),
  }
  return reportOf(vitest ? 'vitest' : 'jest', 'tests', counts, findings)
}

/** Jest prints each failure again under its file and in the summary: one of each is kept. */
function failures({ lines }: Output): Findings {
  const findings = newFindings()
  const seen = new Set<string>()
  let file: string | undefined
  for (const [at, line] of lines.entries()) {
    const [path, ...names] = /^ ?FAIL {1,2}(\S.{0,400})$/.exec(line)?.[1]?.trim().split(' > ') ?? []
    if (path !== undefined) file = path.replace(/ \([\d.]+ m?s\)$/, '')
    const test = /^ {2}● (\S.{0,300})$/.exec(line)?.[1] ?? (names.length > 0 ? names.join(' > ') : undefined)
    if (test === undefined || test.startsWith('Console') || seen.has(`${file} ${test}`)) continue
    seen.add(`${file} ${test}`)
    addFinding(findings, { ...failureAt(lines, at, file), test })
  }
  return findings
}

function failureAt(lines: readonly string[], at: number, file: string | undefined): Finding {
  let message: string | undefined
  let place: ReturnType<typeof readPlace>
  for (const line of lines.slice(at + 1, at + BLOCK_LINES_MAX)) {
    const text = line.trim()
    if (/^ {2}● |^ ?FAIL {1,2}\S|⎯⎯⎯\[/.test(line)) break
    if (text !== '') message ??= text
    const frame = /^(?:at .{0,200}?\(|❯ (?:\S{1,200} )?|at )([^() ]{1,400}:\d{1,7}:\d{1,7})\)?$/.exec(
      text,
    )?.[1]
    if (frame !== undefined && !frame.includes('node_modules')) place ??= readPlace(`${frame}:`)
  }
  return {
    path: place?.path ?? file,
    line: place?.line,
    column: place?.column,
    severity: 'error',
    message: message ?? 'failed',
  }
}
