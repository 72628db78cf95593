import { addFinding, type Findings, newFindings, reportOf } from './findings.ts'
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
    ((text.includes('✕') || text.includes('●')) && lines.some((line) => /^ ?(FAIL|PASS) {1,2}\S/.test(line))),
  read,
}

type Totals = Map<string, number>

/** `Tests:  1 failed, 5 passed, 6 total` or `Tests  1 failed | 5 passed (6)`. */
function totalsOf(line: string, label = 'Tests'): Totals | undefined {
  const text = line.trim()
  if (!text.startsWith(label)) return undefined
  const body = text.slice(label.length)
  if (!/^:? {1,20}\d/.test(body)) return undefined
  const totals: Totals = new Map()
  for (const part of body.replace(/^:? */, '').split(/[,|]/)) {
    const words = part.trim().split(' ')
    if (!/^\d{1,9}$/.test(words[0] ?? '') || words[1] === undefined) return undefined
    totals.set(words[1], Number(words[0]))
  }
  return ['passed', 'failed', 'total', 'skipped', 'todo'].some((word) => totals.has(word))
    ? totals
    : undefined
}

function read(output: Output): Report | undefined {
  const { lines, text } = output
  const sums: Totals = new Map()
  let stated = false
  const marks = { passed: 0, failed: 0, skipped: 0 }
  let errors = 0
  for (const line of lines) {
    const totals = totalsOf(line)
    if (totals !== undefined) {
      stated = true
      for (const [word, count] of totals) sums.set(word, (sums.get(word) ?? 0) + count)
    }
    errors += /^ {5}Errors {2}(\d{1,6}) errors?$/.test(line) ? Number(/\d+/.exec(line)?.[0]) : 0
    if (line.trim() === '● Test suite failed to run') errors += 1
    const mark = /^ +([✓√✕×○↓]) \S/.exec(line.slice(0, 80))?.[1]
    if (mark === '✓' || mark === '√') marks.passed += 1
    else if (mark === '✕' || mark === '×') marks.failed += 1
    else if (mark !== undefined) marks.skipped += 1
  }
  const findings = failures(output)
  const seen = marks.passed + marks.failed + marks.skipped
  if (!stated && seen === 0 && findings.total === 0 && !/^ ?PASS {1,2}\S/m.test(text)) return undefined
  const vitest = / Test Files {2}| RUN {2}v\d|⎯⎯⎯/.test(text)
  const skipped = stated ? sumOf(sums, ['skipped', 'pending', 'todo']) : seen > 0 ? marks.skipped : undefined
  const counts = {
    passed: stated ? (sums.get('passed') ?? 0) : seen > 0 ? marks.passed : undefined,
    failed: stated ? (sums.get('failed') ?? 0) : seen > 0 ? marks.failed : undefined,
    errors: errors > 0 ? errors : undefined,
    skipped,
  }
  return reportOf(vitest ? 'vitest' : 'jest', 'tests', counts, findings)
}

function sumOf(totals: Totals, words: readonly string[]): number | undefined {
  const present = words.filter((word) => totals.has(word))
  return present.length === 0 ? undefined : present.reduce((sum, word) => sum + (totals.get(word) ?? 0), 0)
}

/** Jest prints each failure again under its file and in the summary: one of each is kept. */
function failures({ lines }: Output): Findings {
  const findings = newFindings()
  const seen = new Set<string>()
  let file: string | undefined
  for (const [i, line] of lines.entries()) {
    const head = /^ ?FAIL {1,2}(\S.{0,400})$/.exec(line)?.[1]?.trim()
    if (head !== undefined) file = head.split(' > ', 1)[0]?.replace(/ \([\d.]+ m?s\)$/, '')
    const test =
      /^ {2}● (\S.{0,300})$/.exec(line)?.[1] ?? (head?.includes(' > ') ? afterFile(head) : undefined)
    if (test === undefined || test.startsWith('Console')) continue
    const key = `${file} ${test}`
    if (seen.has(key)) continue
    seen.add(key)
    addFinding(findings, failureAt(lines, i, file, test))
  }
  return findings
}

function afterFile(head: string): string {
  return head.slice(head.indexOf(' > ') + 3)
}

const BLOCK_LINES_MAX = 60

function failureAt(lines: readonly string[], at: number, file: string | undefined, test: string) {
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
    test,
    severity: 'error' as const,
    message: message ?? 'failed',
  }
}
