import { addFinding, type Findings, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** `go test`, plain, `-v` and `-json` (whose `Output` fields are the plain text again). */
export const goTest: Reader = {
  tool: 'go test',
  names: ['go test', 'gotestsum', 'richgo test'],
  recognises: ({ text, lines }) =>
    ((text.includes('--- ') || text.includes('=== RUN')) &&
      lines.some(
        (line) => /^ {0,16}--- (PASS|FAIL|SKIP): \S+ \([\d.]+ ?s/.test(line) || /^=== RUN {1,3}\S/.test(line),
      )) ||
    ((text.includes('ok  ') || text.includes('FAIL') || text.includes('?   ')) &&
      lines.some((line) => packageOf(line) !== undefined)) ||
    (text.includes('"Action":"') &&
      lines.some((line) => line.startsWith('{"') && line.includes('"Package":"'))),
  read,
}

interface PackageLine {
  readonly state: 'ok' | 'fail' | 'none'
  readonly name: string
  readonly broken: boolean
}

/** `ok  	pkg	0.1s`, `FAIL	pkg [build failed]`, `?   	pkg	[no test files]`. */
function packageOf(line: string): PackageLine | undefined {
  if (line[0] !== 'o' && line[0] !== 'F' && line[0] !== '?') return undefined
  const match =
    /^(ok|FAIL|\?)[ \t]{1,8}([\w./~-]{1,300})[ \t]{1,4}(\(cached\)|\d[\d.]*s|\[[a-z ]{1,40}\])/.exec(line)
  if (match?.[2] === undefined) return undefined
  const state = match[1] === 'ok' ? 'ok' : match[1] === '?' ? 'none' : 'fail'
  return { state, name: match[2], broken: line.includes('[build failed]') || line.includes('[setup failed]') }
}

interface Run {
  readonly counts: { passed: number; failed: number; skipped: number; errors: number }
  readonly findings: Findings
  seen: boolean
}

function read(output: Output): Report | undefined {
  const plain = output.text.includes('"Action":"') ? plainText(output) : output.lines
  const run: Run = {
    counts: { passed: 0, failed: 0, skipped: 0, errors: 0 },
    findings: newFindings(),
    seen: false,
  }
  const headers = new Map<string, number>()
  let failedBefore = 0
  for (const [i, line] of plain.entries()) {
    // `# pkg [pkg.test]`: an external test package differs in its first name only.
    const header = /^# (\S{1,300})(?: \[(\S{1,300}?)(?:\.test)?\])?$/.exec(line)
    if (header !== null) headers.set(header[2] ?? header[1] ?? '', i)
    readResult(run, plain, i, line)
    const ended = packageOf(line)
    if (ended === undefined) continue
    run.seen = true
    // A package that failed without a failing test did not build, or ended before its tests did.
    if (ended.state === 'fail' && (ended.broken || run.counts.failed === failedBefore)) {
      run.counts.errors += 1
      addPackageFailure(run.findings, plain, i, ended, headers.get(ended.name))
    }
    failedBefore = run.counts.failed
  }
  if (!run.seen) return undefined
  const { passed, failed, skipped, errors } = run.counts
  const counts = { passed, failed, skipped, errors: errors > 0 ? errors : undefined }
  return reportOf('go test', 'tests', counts, run.findings)
}

function readResult(run: Run, lines: readonly string[], at: number, line: string): void {
  const mark = line.indexOf('--- ')
  if (mark === -1) {
    if (line.startsWith('=== RUN ')) run.seen = true
    return
  }
  const result = /^--- (PASS|FAIL|SKIP): (\S{1,300}) \(\d/.exec(line.slice(mark))
  if (result?.[2] === undefined) return
  run.seen = true
  if (result[1] === 'PASS') run.counts.passed += 1
  else if (result[1] === 'SKIP') run.counts.skipped += 1
  else {
    run.counts.failed += 1
    addTestFailure(run.findings, lines, at, result[2])
  }
}

const LOOK_LINES_MAX = 40

/** The message is below the result, or above it under `-v`: `    x_test.go:12: message`. */
function addTestFailure(findings: Findings, lines: readonly string[], at: number, test: string): void {
  const below = messageIn(lines, at + 1, Math.min(lines.length, at + LOOK_LINES_MAX), 1)
  const found = below ?? messageIn(lines, at - 1, Math.max(-1, at - LOOK_LINES_MAX), -1)
  addFinding(findings, { ...found, test, severity: 'error', message: found?.message ?? 'failed' })
}

function messageIn(lines: readonly string[], from: number, to: number, step: 1 | -1) {
  let found: { path: string; line: number; message: string } | undefined
  for (let i = from; i !== to; i += step) {
    const line = lines[i] ?? ''
    if (/^\s{0,16}(--- |=== RUN)/.test(line) || packageOf(line) !== undefined) break
    const place = line.includes('.go:') ? readPlace(line) : undefined
    if (place?.indented !== true) continue
    const said = place.rest.trim()
    // testify leaves the first line empty and explains below it.
    const message = said !== '' ? said : explained(lines, i)
    found = { path: place.path, line: place.line, message }
    if (step === 1) break
  }
  return found
}

function explained(lines: readonly string[], at: number): string {
  const block = lines.slice(at + 1, at + 10)
  const error = block.findIndex((line) => line.trim().startsWith('Error:'))
  if (error === -1) return block[0]?.trim() ?? ''
  return block
    .slice(error, error + 3)
    .map((line) =>
      line
        .trim()
        .replace(/^Error:/, '')
        .trim(),
    )
    .join(' ')
}

function addPackageFailure(
  findings: Findings,
  lines: readonly string[],
  at: number,
  failed: PackageLine,
  header: number | undefined,
): void {
  if (!failed.broken) {
    const panic = lines.slice(Math.max(0, at - LOOK_LINES_MAX), at).find((line) => line.startsWith('panic: '))
    addFinding(findings, { path: failed.name, severity: 'error', message: panic ?? 'package failed' })
    return
  }
  const errors = header === undefined ? [] : compileErrors(lines, header + 1)
  for (const error of errors) addFinding(findings, error)
  if (errors.length === 0)
    addFinding(findings, { path: failed.name, severity: 'error', message: 'build failed' })
}

function compileErrors(lines: readonly string[], from: number) {
  const errors = []
  for (let i = from; i < lines.length && i < from + LOOK_LINES_MAX; i++) {
    const line = lines[i] ?? ''
    if (line.startsWith('#')) continue
    const place = readPlace(line.replace(/^vet(\.exe)?: /, ''))
    if (place === undefined) break
    const { path, column, rest } = place
    errors.push({ path, line: place.line, column, severity: 'error' as const, message: rest })
  }
  return errors
}

/** The text that `-json` wraps; lines that are not events stay as they are. */
function plainText(output: Output): readonly string[] {
  const text: string[] = []
  for (const line of output.text.split('\n')) {
    if (!line.startsWith('{')) {
      text.push(`${line}\n`)
      continue
    }
    try {
      const event: unknown = JSON.parse(line)
      if (
        typeof event === 'object' &&
        event !== null &&
        'Output' in event &&
        typeof event.Output === 'string'
      ) {
        text.push(event.Output)
      }
    } catch {
      text.push(`${line}\n`)
    }
  }
  return text.join('').split('\n')
}
