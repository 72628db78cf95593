import { addFinding, countedReport, type Findings, newFindings, reportOf, severityOf } from './findings.ts'
import type { Output } from './output.ts'
import { readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/*
 * The snippet style that rustc began: a headline, then ` --> path:line:column` within a line or two.
 * rustc and clippy, typos, ty and ruff's `full` format all write it; the headline tells which.
 */

const ARROW = /^ {0,12}--> /
const RUST_HEAD = /^(error|warning)(?:\[([\w:-]{1,60})\])?: (.{1,300})/
const RUFF_HEAD =
  /^([A-Z]{1,4}\d{2,4}|invalid-syntax|syntax-error|unformatted)(:? (?:\[[*-]\] )?)(\S.{0,300})/

export const rustc: Reader = {
  tool: 'rustc',
  names: [
    'cargo build',
    'cargo check',
    'cargo clippy',
    'cargo run',
    'cargo',
    'rustc',
    'typos',
    'ty',
    'ty check',
  ],
  recognises: ({ text, lines }) =>
    (text.includes('--> ') &&
      lines.some((line, i) => ARROW.test(line) && headAbove(lines, i, RUST_HEAD) !== undefined)) ||
    /^error: could not compile /m.test(text) ||
    /^ {4}Finished `?\w+`? .{0,80}target\(s\) in /m.test(text),
  read,
}

export const ruffFull: Reader = {
  tool: 'ruff',
  names: [],
  recognises: ({ text, lines }) =>
    text.includes('--> ') &&
    lines.some((line, i) => ARROW.test(line) && headAbove(lines, i, RUFF_HEAD) !== undefined),
  read: ({ lines, text }) => {
    const findings = snippets(lines, RUFF_HEAD)
    if (findings.total === 0) return undefined
    const stated = /^Found (\d{1,9}) errors?/m.exec(text)?.[1]
    const errors = stated === undefined ? findings.total : Number(stated)
    return reportOf('ruff', 'lint', { errors, diagnostics: errors }, findings)
  },
}

function read(output: Output): Report | undefined {
  const { lines, text } = output
  const findings = snippets(lines, RUST_HEAD)
  for (const line of lines) {
    // cargo's own errors have no place: a bad manifest, a missing linker.
    if (!line.startsWith('error: ') || findings.errors > 0) continue
    const message = line.slice('error: '.length)
    if (
      /^(could not compile|test failed|aborting due to|\d+ targets? failed|process didn't|script ")/.test(
        message,
      )
    )
      continue
    addFinding(findings, { severity: 'error', message })
  }
  const clean = /^ {4}Finished /m.test(text)
  if (findings.total === 0 && !clean) return withoutSnippets(text, findings)
  if (/`[^`\n]{1,80}` should be `/.test(text)) return countedReport('typos', 'lint', findings)
  const tool = text.includes('clippy::') ? 'clippy' : 'rustc'
  const { errors, warnings, total } = findings
  return reportOf(tool, 'compile', { errors, warnings, diagnostics: total }, findings)
}

/** Only cargo's last line is left, as after `| tail`; in the short format the lines speak for themselves. */
function withoutSnippets(text: string, findings: Findings): Report | undefined {
  if (!/^error: could not compile /m.test(text) || /\.rs:\d+:\d+: (?:error|warning)/.test(text))
    return undefined
  const errors = /due to (?:(\d{1,6}) )?previous errors?/.exec(text)
  return reportOf('rustc', 'compile', { errors: errors?.[1] === undefined ? 1 : Number(errors[1]) }, findings)
}

function headAbove(lines: readonly string[], at: number, head: RegExp): RegExpExecArray | undefined {
  for (let i = at - 1; i >= Math.max(0, at - 3); i--) {
    const match = head.exec(lines[i] ?? '')
    if (match !== null) return match
  }
  return undefined
}

function snippets(lines: readonly string[], head: RegExp): Findings {
  const findings = newFindings()
  for (const [i, line] of lines.entries()) {
    if (!ARROW.test(line)) continue
    const match = headAbove(lines, i, head)
    if (match === undefined) continue
    const place = readPlace(`${line.slice(line.indexOf('--> ') + 4)}:`)
    const rust = head === RUST_HEAD
    addFinding(findings, {
      path: place?.path,
      line: place?.line,
      column: place?.column,
      code: rust ? match[2] : match[1],
      severity: rust ? severityOf(match[1] ?? '') : 'error',
      message: match[3] ?? '',
    })
  }
  return findings
}
