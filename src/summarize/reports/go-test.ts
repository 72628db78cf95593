import { isObject, tryParse } from '../../event/json.ts'
import { plural } from '../../text/lines.ts'
import { addFinding, type Finding, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { type Place, readPlace } from './place.ts'
import type { Reader, Report } from './report.ts'

const RESULT = /^ {0,16}--- (PASS|FAIL|SKIP): (\S{1,300}) \(\d/
/** `ok  	pkg	0.1s`, `FAIL	pkg [build failed]`, `?   	pkg	[no test files]`. */
const PACKAGE = /^(ok|FAIL|\?)[ \t]{1,8}([\w./~-]{1,300})[ \t]{1,4}(\(cached\)|\d[\d.]*s|\[[a-z ]{1,40}\])/
const LOOK_LINES_MAX = 40

/** `go test`, plain, `-v` and `-json` (whose `Output` fields are the plain text again). */
export const goTest: Reader = {
  tool: 'go test',
  names: ['go test', 'gotestsum', 'richgo test'],
  recognises: ({ text, lines }) =>
    (/--- |=== RUN|^(?:ok|FAIL|\?)[ \t]/m.test(text) &&
      lines.some((line) => RESULT.test(line) || /^=== RUN {1,3}\S/.test(line) || PACKAGE.test(line))) ||
    (text.includes('"Action":"') &&
      lines.some((line) => line.startsWith('{"') && line.includes('"Package":"'))),
  read,
}

function read(output: Output): Report | undefined {
  const lines = output.text.includes('"Action":"') ? plainText(output.text) : output.lines
  const counts = { PASS: 0, FAIL: 0, SKIP: 0 }
  const findings = newFindings()
  /** What did not compile, by package. */
  const broken = new Map<string, Finding[]>()
  let building: Finding[] | undefined
  let panic: string | undefined
  let [errors, failedBefore, ok, seen] = [0, 0, 0, false]
  for (const [at, line] of lines.entries()) {
    // `# pkg [pkg.test]`: an external test package differs in its first name only.
    const [, plain, tested = plain] = /^# (\S{1,300})(?: \[(\S{1,300}?)(?:\.test)?\])?$/.exec(line) ?? []
    if (tested !== undefined) {
      building = broken.get(tested) ?? []
      broken.set(tested, building)
    } else if (building !== undefined && !line.startsWith('#')) {
      const place = readPlace(line.replace(/^vet(?:\.exe)?: /, ''))
      if (place && building.length < LOOK_LINES_MAX) building.push(errorAt(place))
      else building = undefined
    }
    if (line.startsWith('panic: ')) panic ??= line
    const [, word, test] = (line.includes('--- ') && RESULT.exec(line.slice(line.indexOf('--- ')))) || []
    if (word === 'PASS' || word === 'FAIL' || word === 'SKIP') counts[word]++
    if (word === 'FAIL') addFinding(findings, { ...failureAt(lines, at), test })
    const [, end, path = '', how = ''] = PACKAGE.exec(line) ?? []
    seen ||= word !== undefined || end !== undefined || line.startsWith('=== RUN ')
    if (end === undefined) continue
    if (end === 'ok') ok++
    const isBroken = /^\[(?:build|setup) failed\]/.test(how)
    // A package that failed without a failing test did not build, or ended before its tests did.
    if (end === 'FAIL' && (isBroken || counts.FAIL === failedBefore)) {
      errors++
      const message = isBroken ? 'build failed' : (panic ?? 'package failed')
      const known = isBroken ? (broken.get(path) ?? []) : []
      for (const error of known.length > 0 ? known : [{ path, severity: 'error' as const, message }])
        addFinding(findings, error)
    }
    failedBefore = counts.FAIL
    panic = undefined
  }
  if (!seen) return undefined
  const { PASS: passed, FAIL: failed, SKIP: skipped } = counts
  const report = reportOf(
    'go test',
    'tests',
    { passed, failed, skipped, errors: errors || undefined },
    findings,
  )
  return ok > 0 ? { ...report, note: `${plural(ok, 'package')} ok` } : report
}

const errorAt = ({ path, line, column, rest }: Place): Finding => ({
  ...{ path, line, column },
  severity: 'error',
  message: rest,
})

/** The message is below the result, or above it under `-v`: `    x_test.go:12: message`. */
function failureAt(lines: readonly string[], at: number): Finding {
  const below = messageIn(lines, at + 1, Math.min(lines.length, at + LOOK_LINES_MAX), 1)
  const found = below ?? messageIn(lines, at - 1, Math.max(-1, at - LOOK_LINES_MAX), -1)
  return { severity: 'error', message: 'failed', ...found }
}

function messageIn(lines: readonly string[], from: number, to: number, step: 1 | -1): Finding | undefined {
  let found: Finding | undefined
  for (let at = from; at !== to; at += step) {
    const line = lines[at] ?? ''
    if (/^\s{0,16}(?:--- |=== RUN)/.test(line) || PACKAGE.test(line)) break
    const place = line.includes('.go:') ? readPlace(line) : undefined
    if (place?.indented !== true) continue
    // testify leaves the first line empty and explains below it.
    found = { path: place.path, line: place.line, message: place.rest.trim() || explained(lines, at) }
    if (step === 1) break
  }
  return found
}

function explained(lines: readonly string[], at: number): string {
  const block = lines.slice(at + 1, at + 10).map((line) => line.trim())
  const error = Math.max(
    0,
    block.findIndex((line) => line.startsWith('Error:')),
  )
  const words = block.slice(error, error + 3).join(' ')
  return words.replace(/^Error:\s*/, '')
}

/** The text that `-json` wraps; lines that are not events stay as they are. */
function plainText(text: string): readonly string[] {
  const parts = text.split('\n').map((line) => {
    const event = line.startsWith('{') ? tryParse(line) : undefined
    if (!isObject(event)) return `${line}\n`
    return typeof event['Output'] === 'string' ? event['Output'] : ''
  })
  return parts.join('').split('\n')
}
