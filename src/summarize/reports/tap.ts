import { addFinding, type Finding, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

const RESULT = /^( {0,40})(not ok|ok) (\d{1,9})\b(?: -)? ?(.{0,300})/
const TOTAL = /^\s{0,40}[ℹ#] {1,3}(pass|fail|skipped|cancelled) {1,6}(\d{1,9})\s*$/
const BLOCK_LINES_MAX = 60

/** TAP 12–14, and the `spec` and `tap` reporters of node:test, which end in the same totals. */
export const tap: Reader = {
  tool: 'tap',
  names: ['tap', 'tape', 'bats', 'node'],
  recognises: ({ text }) =>
    /^TAP version 1[234]$/m.test(text) ||
    (/[ℹ#] pass \d/.test(text) && /[ℹ#] fail \d/.test(text)) ||
    (/^1\.\.\d/m.test(text) && /^(?:not )?ok 1\b/m.test(text)),
  read,
}

function read({ lines, text }: Output): Report | undefined {
  const totals = new Map<string, number>()
  const counted = { passed: 0, failed: 0, skipped: 0 }
  const findings = newFindings()
  let [indentBefore, inFailures] = [0, false]
  for (const [at, line] of lines.entries()) {
    const [, word, count] = TOTAL.exec(line) ?? []
    if (word !== undefined) totals.set(word, (totals.get(word) ?? 0) + Number(count))
    const result = RESULT.exec(line)
    if (result !== null) {
      const indent = result[1]?.length ?? 0
      // A group comes after its tests (TAP 14) or opens a brace before them: only the tests are counted.
      const group = line.trimEnd().endsWith('{') || indentBefore > indent
      indentBefore = indent
      if (group) continue
      if (/ # (?:SKIP|TODO)/i.test(line)) counted.skipped++
      else if (result[2] === 'ok') counted.passed++
      else {
        counted.failed++
        addFinding(findings, {
          ...yamlBelow(lines, at),
          test: (result[4] ?? '').replace(/ # time=[\d.]{1,12}m?s$/, ''),
        })
      }
    }
    inFailures ||= line.startsWith('✖ failing tests:')
    if (inFailures && line.startsWith('test at ')) addFinding(findings, specFailure(lines, at))
  }
  const stated = totals.size > 0
  if (!stated && counted.passed + counted.failed + counted.skipped === 0) return undefined
  const counts = stated
    ? {
        passed: totals.get('pass') ?? 0,
        failed: (totals.get('fail') ?? 0) + (totals.get('cancelled') ?? 0),
        skipped: totals.get('skipped'),
      }
    : counted
  return reportOf(/ℹ pass |duration_ms/.test(text) ? 'node:test' : 'tap', 'tests', counts, findings)
}

function yamlBelow(lines: readonly string[], at: number): Finding {
  let message: string | undefined
  let place: ReturnType<typeof readPlace>
  for (const [offset, line] of lines.slice(at + 1, at + BLOCK_LINES_MAX).entries()) {
    const text = line.trim()
    if (/^(?:not ok|ok) \d/.test(text) || text === '...') break
    const located = /^(?:location|at): ['"]?(.{1,400}?)['"]?$/.exec(text)?.[1]
    if (located !== undefined) place ??= readPlace(`${located.replace(/^file:\/\//, '')}:`)
    const value = /^(?:error|message): {0,4}(.*)$/.exec(text)?.[1]
    if (value !== undefined)
      message ??= /^[|>]-?$/.test(value) ? lines[at + 2 + offset]?.trim() : value.replace(/^['"]|['"]$/g, '')
  }
  return { path: place?.path, line: place?.line, severity: 'error', message: message ?? 'not ok' }
}

/** `test at path:line:column`, then the test's name and what it says. */
function specFailure(lines: readonly string[], at: number): Finding {
  const place = readPlace(`${(lines[at] ?? '').slice('test at '.length)}:`)
  const test = /^✖ (.{1,300}?)(?: \([\d.]+ms\))?$/.exec(lines[at + 1] ?? '')?.[1] ?? 'test'
  const message = lines.slice(at + 2, at + 8).find((line) => line.trim() !== '') ?? 'failed'
  return { path: place?.path, line: place?.line, column: place?.column, test, severity: 'error', message }
}
