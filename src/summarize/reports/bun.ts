import { addFinding, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

export const bun: Reader = {
  tool: 'bun test',
  names: ['bun test'],
  recognises: ({ text, lines }) =>
    (text.includes('Ran ') && lines.some((line) => /^Ran \d+ tests? across \d+ files?\./.test(line))) ||
    (text.includes('bun test v') && lines.some((line) => /^bun test v\d/.test(line))),
  read,
}

const TOTAL = /^ {0,3}(\d{1,9}) (pass|fail|skip|todo|error|errors)$/

function read({ lines }: Output): Report | undefined {
  const totals = new Map<string, number>()
  const marks = { passed: 0, failed: 0, skipped: 0 }
  const findings = newFindings()
  let message: string | undefined
  let frame: ReturnType<typeof readPlace>
  for (const line of lines) {
    const total = TOTAL.exec(line)
    if (total?.[2] !== undefined) {
      const word = total[2] === 'errors' ? 'error' : total[2]
      totals.set(word, (totals.get(word) ?? 0) + Number(total[1]))
    }
    if (line.startsWith('error: ')) {
      message = line.slice('error: '.length)
      frame = undefined
    }
    const at = /^ {2,8}at (?:.{0,200}?\()?([^() ]{1,400}:\d{1,7}(?::\d{1,7})?)\)?$/.exec(line)?.[1]
    if (at !== undefined) frame ??= readPlace(`${at}:`)
    // The error stands above the line that names the test.
    const mark = /^\((pass|fail|skip|todo)\) (.{1,300})$/.exec(line) ?? /^([✓✗»]) (.{1,300})$/.exec(line)
    if (mark === null) continue
    if (mark[1] === 'pass' || mark[1] === '✓') marks.passed += 1
    else if (mark[1] === 'fail' || mark[1] === '✗') {
      marks.failed += 1
      const test = (mark[2] ?? '').replace(/ \[[\d.]+m?s\]$/, '')
      addFinding(findings, { ...placed(frame), test, severity: 'error', message: message ?? 'failed' })
    } else marks.skipped += 1
    message = undefined
    frame = undefined
  }
  const seen = marks.passed + marks.failed + marks.skipped
  if (totals.size === 0 && seen === 0) return undefined
  const stated = totals.size > 0
  const skipped = (totals.get('skip') ?? 0) + (totals.get('todo') ?? 0)
  const counts = {
    passed: stated ? (totals.get('pass') ?? 0) : marks.passed,
    failed: stated ? (totals.get('fail') ?? 0) : marks.failed,
    errors: totals.get('error'),
    skipped: stated ? (totals.has('skip') || totals.has('todo') ? skipped : undefined) : marks.skipped,
  }
  return reportOf('bun test', 'tests', counts, findings)
}

function placed(frame: ReturnType<typeof readPlace>) {
  return { path: frame?.path, line: frame?.line, column: frame?.column }
}
