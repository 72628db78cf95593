import { addFinding, type Findings, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** TAP 12–14, and the `spec` and `tap` reporters of node:test, which end in the same totals. */
export const tap: Reader = {
  tool: 'tap',
  names: ['tap', 'tape', 'bats'],
  recognises: ({ text, lines }) =>
    (text.includes('TAP version 1') && lines.some((line) => /^TAP version 1[234]$/.test(line))) ||
    (/[ℹ#] pass \d/.test(text) && /[ℹ#] fail \d/.test(text)) ||
    (/^1\.\.\d/m.test(text) && lines.some((line) => /^(not )?ok 1\b/.test(line))),
  read,
}

const TOTALS = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skipped', 'skipped'],
  ['cancelled', 'cancelled'],
])

function read({ lines, text }: Output): Report | undefined {
  const totals = new Map<string, number>()
  const counted = { passed: 0, failed: 0, skipped: 0 }
  const findings = newFindings()
  let results = 0
  let previousIndent = 0
  let afterSpecHeader = false
  for (const [i, line] of lines.entries()) {
    const total = /^[ℹ#] {1,3}(pass|fail|skipped|cancelled) {1,6}(\d{1,9})$/.exec(line.trim())
    const name = TOTALS.get(total?.[1] ?? '')
    if (name !== undefined) totals.set(name, (totals.get(name) ?? 0) + Number(total?.[2]))
    const result = RESULT.exec(line)
    if (result !== null) {
      const indent = result[1]?.length ?? 0
      // A group comes after its tests (TAP 14) or opens a brace before them: only the tests are counted.
      const group = line.trimEnd().endsWith('{') || previousIndent > indent
      previousIndent = indent
      if (group) continue
      results += 1
      const skipped = / # (SKIP|TODO)/i.test(line)
      if (skipped) counted.skipped += 1
      else if (result[2] === 'ok') counted.passed += 1
      else {
        counted.failed += 1
        addYamlFailure(findings, lines, i, (result[4] ?? '').replace(/ # time=[\d.]{1,12}m?s$/, ''))
      }
    }
    if (/^✖ failing tests:/.test(line)) afterSpecHeader = true
    if (afterSpecHeader && line.startsWith('test at ')) addSpecFailure(findings, lines, i)
  }
  if (totals.size === 0 && results === 0) return undefined
  const tool = text.includes('ℹ pass ') || text.includes('duration_ms') ? 'node:test' : 'tap'
  const stated = totals.size > 0
  const failed = stated ? (totals.get('failed') ?? 0) + (totals.get('cancelled') ?? 0) : counted.failed
  const passed = stated ? (totals.get('passed') ?? 0) : counted.passed
  const skipped = stated ? totals.get('skipped') : counted.skipped
  return reportOf(tool, 'tests', { passed, failed, skipped }, findings)
}

const RESULT = /^( {0,40})(not ok|ok) (\d{1,9})\b(?: -)? ?(.{0,300})/

const BLOCK_LINES_MAX = 60

function addYamlFailure(findings: Findings, lines: readonly string[], at: number, name: string): void {
  let message: string | undefined
  let place: ReturnType<typeof readPlace>
  for (const [i, line] of lines.slice(at + 1, at + BLOCK_LINES_MAX).entries()) {
    const text = line.trim()
    if (/^(not ok|ok) \d/.test(text) || text === '...') break
    const located = /^(?:location|at): ['"]?(.{1,400}?)['"]?$/.exec(text)?.[1]
    if (located !== undefined) place ??= readPlace(`${located.replace(/^file:\/\//, '')}:`)
    if (/^(error|message): /.test(text)) {
      const value = text.slice(text.indexOf(':') + 1).trim()
      message ??= /^[|>]-?$/.test(value) ? lines[at + 2 + i]?.trim() : value.replace(/^['"]|['"]$/g, '')
    }
  }
  addFinding(findings, {
    path: place?.path,
    line: place?.line,
    test: name,
    severity: 'error',
    message: message ?? 'not ok',
  })
}

function addSpecFailure(findings: Findings, lines: readonly string[], at: number): void {
  const place = readPlace(`${(lines[at] ?? '').slice('test at '.length)}:`)
  const test = /^✖ (.{1,300}?)(?: \([\d.]+ms\))?$/.exec(lines[at + 1] ?? '')?.[1]
  const message = lines.slice(at + 2, at + 8).find((line) => line.trim() !== '')
  addFinding(findings, {
    path: place?.path,
    line: place?.line,
    column: place?.column,
    test: test ?? 'test',
    severity: 'error',
    message: message ?? 'failed',
  })
}
