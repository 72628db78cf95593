import type { Output } from './output.ts'
import { addFinding, type LooseCounts, newFindings, type Report, reportOf } from './report.ts'
import { type Count, countOf, countsIn } from './test-counts.ts'

/** What only a line of totals has: a count of tests that failed or passed, and nothing like prose around it. */
const TOTALS =
  /^(?:[\s[\]=|#ℹ✔✖-]{0,12}|\[\w{3,7}\] |\w{4,7}!\s{1,4}- |\w{1,12} \| |Results?: |Tests? ?(?:run|finished)?:? |.{0,30}tests? finished: |.{0,60}\bExecuted |.{0,40}! -- |\d{1,3}% )?(?:(?:\w{2,11}(?: run)?[:=]? {1,9}\d{1,9}|\d{1,9} (?:tests? |specs? )?[a-z]{2,11}(?: \([^)]{1,30}\))?)(?:, |; |\. | \| | out of |, with |, in |\s*$|\.$)){1,8}/i
/** Mocha, TAP and node:test write one count a line. */
const ALONE =
  /^\s{0,8}(?:[#ℹ] {1,3}(pass|fail|skipped|todo|cancelled) {1,6}(\d{1,9})|(\d{1,9}) (passing|failing|pending)(?: \([\w. ]{1,12}\))?)$/
/** How runners head a failing test. */
const FAILURE =
  /^\s{0,4}(?:\d{1,4}\) (\S.{2,200})|rspec \S{1,300} # (.{1,200})|\[ERROR\] {2,4}(\w[\w.]{2,200}:\d{1,7}).{0,200}|(\S.{2,200}) FAILED|Failed (\S{3,200}) \[.{1,20}\])$/
const LINE_CHARS_MAX = 240

/** A test runner that nobody has described: the last line in which it counts what passed and failed. */
export function readAnyRunner({ lines, text }: Output): Report | undefined {
  const counts = /pass|fail|succe/i.test(text) ? totalsIn(lines) : undefined
  if (counts === undefined) return undefined
  const findings = newFindings()
  for (const line of lines) {
    const test = line.length > LINE_CHARS_MAX ? undefined : FAILURE.exec(line)?.slice(1).find(Boolean)
    if (test !== undefined) addFinding(findings, { test, severity: 'error', message: 'failed' })
  }
  return reportOf('tests', 'tests', counts, findings)
}

function totalsIn(lines: readonly string[]): LooseCounts | undefined {
  let last: ReadonlyMap<Count, number> | undefined
  const alone = new Map<Count, number>()
  for (const line of lines) {
    if (line.length > LINE_CHARS_MAX || !/\d/.test(line)) continue
    const single = ALONE.exec(line)
    const word = countOf(single?.[1] ?? single?.[4] ?? '')
    if (word !== undefined) alone.set(word, Number(single?.[2] ?? single?.[3]))
    else if (/pass|fail|succe/i.test(line) && TOTALS.test(line)) last = inLine(line) ?? last
  }
  const found = alone.has('passed') ? alone : last
  if (found === undefined) return undefined
  const [failed = 0, errors, skipped, total] = (['failed', 'errors', 'skipped', 'total'] as const).map(
    (name) => found.get(name),
  )
  const rest = total === undefined ? undefined : Math.max(0, total - failed - (errors ?? 0) - (skipped ?? 0))
  return { passed: found.get('passed') ?? rest ?? 0, failed, errors, skipped }
}

/** Undefined unless the line counts failures, and tests or what passed. */
function inLine(line: string): ReadonlyMap<Count, number> | undefined {
  const counts = new Map<Count, number>()
  for (const [name, count] of countsIn(line, 2)) if (!counts.has(name)) counts.set(name, count)
  // A line that says nothing but that tests failed.
  if (/^\W{0,12}\d{1,9} (?:tests? |specs? )?fail(?:ed|ures?|ing)\W{0,12}$/i.test(line)) return counts
  const tested = counts.has('passed') || counts.has('total')
  return tested &&
    (counts.has('failed') || (counts.has('passed') && (counts.size > 1 || /\btests?\b/.test(line))))
    ? counts
    : undefined
}
