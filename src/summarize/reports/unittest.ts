import { addFinding, type Findings, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

export const unittest: Reader = {
  tool: 'unittest',
  names: ['unittest', 'manage.py test', 'nosetests', 'trial', 'runtests.py'],
  recognises: ({ text, lines }) => text.includes('Ran ') && lines.some((line) => ranOf(line) !== undefined),
  read,
}

function ranOf(line: string): number | undefined {
  const ran = /^Ran (\d{1,9}) tests? in [\d.]{1,12}s$/.exec(line.trim())?.[1]
  return ran === undefined ? undefined : Number(ran)
}

function read({ lines }: Output): Report | undefined {
  let ran: number | undefined
  const stated = new Map<string, number>()
  for (const line of lines) {
    const here = ranOf(line)
    if (here !== undefined) ran = (ran ?? 0) + here
    const details = /^(?:OK|FAILED) \(([a-z =,\d]{1,200})\)$/.exec(line.trim())?.[1]
    for (const detail of details?.split(', ') ?? []) {
      const [name, count] = detail.split('=')
      if (name !== undefined) stated.set(name, (stated.get(name) ?? 0) + Number(count))
    }
  }
  const findings = failures(lines)
  if (ran === undefined && findings.total === 0) return undefined
  const failed = stated.get('failures') ?? (ran === undefined ? undefined : 0)
  const errors = stated.get('errors') ?? (ran === undefined ? undefined : 0)
  const skipped = stated.get('skipped')
  const expected = stated.get('expected failures') ?? 0
  const passed =
    ran === undefined
      ? undefined
      : Math.max(0, ran - (failed ?? 0) - (errors ?? 0) - (skipped ?? 0) - expected)
  return reportOf('unittest', 'tests', { passed, failed, errors, skipped }, findings)
}

/** `FAIL: test_x (module.Class)`, a bar, the traceback; its last unindented line is the reason. */
function failures(lines: readonly string[]): Findings {
  const findings = newFindings()
  for (let i = 0; i < lines.length; i++) {
    const head = /^(?:FAIL|ERROR): (\S.{0,300})$/.exec(lines[i] ?? '')
    if (head === null || !lines.slice(i + 1, i + 4).some((line) => line.startsWith('-----'))) continue
    addFinding(findings, failureAt(lines, i + 1, head[1] ?? ''))
  }
  return findings
}

const TRACEBACK_LINES_MAX = 400

function failureAt(lines: readonly string[], from: number, test: string) {
  const method = test.split(' ', 1)[0] ?? test
  let path: string | undefined
  let line: number | undefined
  let inTest = false
  let message: string | undefined
  for (const text of lines.slice(from, from + TRACEBACK_LINES_MAX)) {
    if (text.startsWith('=====') || /^(Ran \d|FAIL: |ERROR: )/.test(text)) break
    const frame = /^ {2}File "([^"]{1,400})", line (\d{1,9}), in (\S{1,200})/.exec(text)
    if (frame !== null && !inTest) {
      path = frame[1]
      line = Number(frame[2])
      inTest = frame[3] === method
    }
    if (/^[A-Za-z_][\w.]{0,200}(: |$)/.test(text) && path !== undefined) message ??= text
  }
  return { path, line, test, severity: 'error' as const, message: message ?? 'failed' }
}
