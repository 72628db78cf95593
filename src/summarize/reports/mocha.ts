import { addFinding, type Findings, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** Mocha and what is built on it (Cypress, WebdriverIO): `5 passing (20ms)`, then the failures by number. */
export const mocha: Reader = {
  tool: 'mocha',
  names: ['mocha', 'cypress', 'cypress run', 'wdio', 'nyc mocha', 'electron mocha'],
  recognises: ({ text, lines }) => text.includes(' passing') && lines.some((line) => TOTAL.test(line)),
  read,
}

const TOTAL = /^ {2,8}(\d{1,9}) (passing|failing|pending)(?: \([\w. ]{1,12}\))?$/

function read({ lines }: Output): Report | undefined {
  const totals = new Map<string, number>()
  const findings = newFindings()
  let failing = false
  for (const [i, line] of lines.entries()) {
    const total = TOTAL.exec(line)
    if (total?.[2] !== undefined) {
      totals.set(total[2], (totals.get(total[2]) ?? 0) + Number(total[1]))
      failing = total[2] !== 'passing'
    } else if (failing && /^ {2,4}\d{1,6}\) /.test(line)) addFailure(findings, lines, i)
  }
  if (totals.size === 0) return undefined
  const counts = {
    passed: totals.get('passing') ?? 0,
    failed: totals.get('failing') ?? 0,
    skipped: totals.get('pending'),
  }
  return reportOf('mocha', 'tests', counts, findings)
}

const BLOCK_LINES_MAX = 40

function addFailure(findings: Findings, lines: readonly string[], at: number): void {
  const names = [(lines[at] ?? '').replace(/^ +\d+\) /, '')]
  let message: string | undefined
  let place: ReturnType<typeof readPlace>
  let named = names[0]?.endsWith(':') === true
  for (const line of lines.slice(at + 1, at + BLOCK_LINES_MAX)) {
    const text = line.trim()
    if (/^ {2,4}\d{1,6}\) /.test(line)) break
    if (!named) {
      names.push(text)
      named = text.endsWith(':') || text === ''
    } else if (text !== '') message ??= text
    const frame = /^at (?:.{0,200}?\()?([^() ]{1,400}:\d{1,7}:\d{1,7})\)?$/.exec(text)?.[1]
    if (frame !== undefined && !frame.includes('node_modules') && !frame.startsWith('node:')) {
      place ??= readPlace(`${frame.replace(/^file:\/\//, '')}:`)
    }
  }
  const test = names.join(' ').trim().replace(/:$/, '')
  addFinding(findings, {
    path: place?.path,
    line: place?.line,
    column: place?.column,
    test,
    severity: 'error',
    message: message ?? 'failed',
  })
}

/** Playwright's list at the end: `  1 failed`, the failing ones indented below it, `  5 passed (10s)`. */
export const playwright: Reader = {
  tool: 'playwright',
  names: ['playwright', 'playwright test'],
  recognises: ({ text, lines }) =>
    (text.includes(' passed (') || text.includes(' failed')) &&
    lines.some((line) => /^Running \d{1,6} tests? using \d{1,4} workers?/.test(line)),
  read: ({ lines }) => {
    const totals = new Map<string, number>()
    const findings = newFindings()
    for (const [i, line] of lines.entries()) {
      const total = /^ {2}(\d{1,9}) (passed|failed|skipped|flaky|did not run)(?: \([\w. ]{1,12}\))?$/.exec(
        line,
      )
      if (total?.[2] === undefined) continue
      totals.set(total[2], Number(total[1]))
      if (total[2] !== 'failed') continue
      for (const below of lines.slice(i + 1, i + 1 + Number(total[1]))) {
        const test = /^ {4}(\[\S{1,40}\] › )?(\S{1,300}:\d{1,7}:\d{1,6}) › (.{1,300}?)[ ─]*$/.exec(below)
        const place = test === null ? undefined : readPlace(`${test[2]}:`)
        if (test === null) break
        addFinding(findings, {
          path: place?.path,
          line: place?.line,
          test: test[3],
          severity: 'error',
          message: 'failed',
        })
      }
    }
    if (totals.size === 0) return undefined
    const passed = (totals.get('passed') ?? 0) + (totals.get('flaky') ?? 0)
    return reportOf(
      'playwright',
      'tests',
      { passed, failed: totals.get('failed') ?? 0, skipped: totals.get('skipped') },
      findings,
    )
  },
}
