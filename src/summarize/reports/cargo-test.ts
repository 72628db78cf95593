import { addFinding, type Finding, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

const TOTAL =
  /^test result: \w{1,10}\. (?<passed>\d{1,9}) passed; (?<failed>\d{1,9}) failed; (?<skipped>\d{1,9}) ignored/
const NEXTEST =
  /^ {0,10}Summary \[ {0,9}[\d.]{1,12}s\] {1,4}\d{1,9}(?:\/\d{1,9})? tests? run: (?<passed>\d{1,9}) passed(?:.{0,40}?, (?<failed>\d{1,9}) failed)?(?:.{0,40}?, (?<skipped>\d{1,9}) skipped)?/
const RESULT = /^test (\S.{0,300}?) \.\.\. (ok|FAILED|ignored|bench)\b/
const NEXT_FAILED = /^ {0,10}FAIL \[ {0,9}[\d.]{1,12}s\] (?:\([ \d/]{1,20}\) )?(\S.{0,300})$/
/** With the reason below, or before Rust 1.73 in quotes on the line. */
const PANIC =
  /^thread '([^']{1,300})'.{0,40} panicked at (?:'(.{0,400})', )?(\S{1,400}?):(\d{1,7}):(\d{1,6}):?$/

/** libtest as `cargo test` runs it, and cargo-nextest. */
export const cargoTest: Reader = {
  tool: 'cargo test',
  names: ['cargo test', 'cargo nextest', 'cargo t'],
  recognises: ({ lines, text }) =>
    /test result: | tests? run: |^running \d/m.test(text) &&
    lines.some((line) => TOTAL.test(line) || NEXTEST.test(line) || RESULT.test(line)),
  read,
}

function read({ lines }: Output): Report | undefined {
  const stated = { passed: 0, failed: 0, skipped: 0 }
  const counted = { passed: 0, failed: 0, skipped: 0 }
  let totals = 0
  const failed = new Set<string>()
  const panics = new Map<string, Finding>()
  for (const [at, line] of lines.entries()) {
    const total = (TOTAL.exec(line) ?? NEXTEST.exec(line))?.groups
    if (total) {
      totals++
      for (const name of ['passed', 'failed', 'skipped'] as const) stated[name] += Number(total[name] ?? 0)
    }
    const [, name = '', word] = (line.startsWith('test ') && RESULT.exec(line)) || []
    if (word === 'ok') counted.passed++
    else if (word === 'ignored') counted.skipped++
    else if (word === 'FAILED') {
      counted.failed++
      failed.add(name)
    }
    const next = NEXT_FAILED.exec(line)?.[1]
    if (next !== undefined) failed.add(next)
    const panic = line.includes('panicked at') ? PANIC.exec(line) : null
    if (panic?.[1])
      panics.set(panic[1], {
        path: panic[3],
        line: Number(panic[4]),
        column: Number(panic[5]),
        test: panic[1],
        severity: 'error',
        message: panic[2] ?? lines[at + 1] ?? 'panicked',
      })
  }
  if (totals === 0 && counted.passed + counted.failed + counted.skipped === 0) return undefined
  const findings = newFindings()
  for (const test of failed) {
    const panic = panics.get(test) ?? panics.get(test.slice(test.lastIndexOf(' ') + 1))
    addFinding(findings, { severity: 'error', message: 'failed', ...panic, test })
  }
  if (failed.size === 0) for (const panic of panics.values()) addFinding(findings, panic)
  return reportOf('cargo test', 'tests', totals > 0 ? stated : counted, findings)
}
