import { addFinding, type Finding, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** libtest as `cargo test` runs it, and cargo-nextest. */
export const cargoTest: Reader = {
  tool: 'cargo test',
  names: ['cargo test', 'cargo nextest', 'cargo t'],
  recognises: ({ text, lines }) =>
    text.includes('\ntest result: ') ||
    text.startsWith('test result: ') ||
    (text.includes(' tests run: ') && lines.some((line) => NEXTEST.test(line))) ||
    (text.includes('running ') &&
      text.includes(' ... ') &&
      lines.some((line) => /^running \d+ tests?$/.test(line)) &&
      lines.some((line) => RESULT.test(line))),
  read,
}

const TOTAL = /^test result: \w{1,10}\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored/
const NEXTEST = /^ {0,10}Summary \[ {0,9}[\d.]{1,12}s\] {1,4}\d{1,9}(?:\/\d{1,9})? tests? run: /
const RESULT = /^test (\S.{0,300}?) \.\.\. (ok|FAILED|ignored|bench)\b/

function read({ lines }: Output): Report | undefined {
  const stated = { passed: 0, failed: 0, skipped: 0 }
  const counted = { passed: 0, failed: 0, skipped: 0 }
  let totals = 0
  const failed: string[] = []
  const panics = new Map<string, Finding>()
  for (const [i, line] of lines.entries()) {
    const total = TOTAL.exec(line)
    if (total !== null) {
      totals += 1
      stated.passed += Number(total[1])
      stated.failed += Number(total[2])
      stated.skipped += Number(total[3])
    } else if (NEXTEST.test(line)) {
      totals += 1
      stated.passed += numberBefore(line, ' passed')
      stated.failed += numberBefore(line, ' failed') + numberBefore(line, ' timed out')
      stated.skipped += numberBefore(line, ' skipped')
    }
    const result = line.startsWith('test ') ? RESULT.exec(line) : null
    if (result?.[1] !== undefined) {
      if (result[2] === 'ok') counted.passed += 1
      else if (result[2] === 'ignored') counted.skipped += 1
      else if (result[2] === 'FAILED') {
        counted.failed += 1
        failed.push(result[1])
      }
    }
    const next = /^ {0,10}FAIL \[ {0,9}[\d.]{1,12}s\] (?:\([ \d/]{1,20}\) )?(\S.{0,300})$/.exec(line)?.[1]
    if (next !== undefined && !failed.includes(next)) failed.push(next)
    const panic = line.includes('panicked at') ? panicAt(lines, i) : undefined
    if (panic?.test !== undefined) panics.set(panic.test, panic)
  }
  if (totals === 0 && counted.passed + counted.failed + counted.skipped === 0) return undefined
  const findings = newFindings()
  for (const test of failed) {
    const short = test.slice(test.lastIndexOf(' ') + 1)
    const panic = panics.get(test) ?? panics.get(short)
    addFinding(
      findings,
      panic === undefined ? { test, severity: 'error', message: 'failed' } : { ...panic, test },
    )
  }
  if (failed.length === 0) for (const panic of panics.values()) addFinding(findings, panic)
  return reportOf('cargo test', 'tests', totals > 0 ? stated : counted, findings)
}

/** `thread 'x' panicked at src/lib.rs:19:9:` with the reason below, or before Rust 1.73 in quotes on the line. */
function panicAt(lines: readonly string[], at: number): Finding | undefined {
  const line = lines[at] ?? ''
  const test = /^thread '([^']{1,300})'/.exec(line)?.[1]
  if (test === undefined) return undefined
  const after = line.slice(line.indexOf('panicked at') + 'panicked at'.length).trim()
  const quoted = after.startsWith("'") ? after.lastIndexOf("', ") : -1
  const place = readPlace(quoted === -1 ? after : `${after.slice(quoted + 3)}:`)
  const message = quoted === -1 ? lines[at + 1] : after.slice(1, quoted)
  return {
    path: place?.path,
    line: place?.line,
    column: place?.column,
    test,
    severity: 'error',
    message: message ?? 'panicked',
  }
}

function numberBefore(line: string, word: string): number {
  const at = line.indexOf(word)
  if (at === -1) return 0
  return Number(/\d{1,9}$/.exec(line.slice(Math.max(0, at - 10), at))?.[0] ?? 0)
}
