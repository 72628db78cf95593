import { addFinding, type Findings, newFindings, reportOf, severityOf } from './findings.ts'
import type { Output } from './output.ts'
import { looksLikePath, readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/*
 * A path on a line of its own and below it rows of `line:column  severity  message  rule`:
 * eslint's stylish, stylelint, remark and other vfile reporters, yamllint's standard format.
 */

const ROW =
  /^ {1,8}(\d{1,7}):(\d{1,6})(?:-\d{1,7}:\d{1,6})? {1,12}(error|warning|info|✖|⚠|×|✘|ℹ) {1,6}(\S.{0,600})$/
const LINE_ONLY_ROW = /^ {1,8}(\d{1,7}) {1,12}(error|warning|✖|⚠) {2,6}(\S.{0,600})$/

export const grouped: Reader = {
  tool: 'eslint',
  names: [
    'eslint',
    'stylelint',
    'remark',
    'remark lint',
    'next lint',
    'xo',
    'vue cli service lint',
    'ng lint',
    'textlint',
    'alex',
    'vale',
  ],
  recognises: ({ text, lines }) =>
    lines.some((line) => line[0] === ' ' && ROW.test(line)) ||
    PROBLEMS.test(text) ||
    VFILE_TOTAL.test(text) ||
    COMPACT.test(text),
  read,
}

/** `✖ 9 problems (5 errors, 4 warnings)`; `7 problems` ends the compact and unix formats. */
const PROBLEMS = /^ {0,2}[✖×✘] (\d{1,7}) problems? \((\d{1,7}) errors?, (\d{1,7}) warnings?/mu
const VFILE_TOTAL = /^⚠ (\d{1,7}) warnings?$|^✖ (\d{1,7}) errors?$/mu
const COMPACT = /^(\S.{0,400}?): line (\d{1,7}), col (\d{1,6}), (Error|Warning) - (.{1,600})$/m

function read(output: Output): Report | undefined {
  const { text, lines } = output
  const findings = newFindings()
  let path: string | undefined
  for (const line of lines) {
    if (line === '') continue
    if (line[0] === ' ' && addRow(findings, line, path)) continue
    if (line[0] === ' ' && line[1] === ' ') continue
    if (!compactRow(findings, line)) path = headerOf(line) ?? path
  }
  const stated = PROBLEMS.exec(text)
  if (findings.total === 0 && stated === null && !VFILE_TOTAL.test(text)) return undefined
  const { errors, warnings, total } = findings
  const counts =
    stated === null
      ? { errors, warnings, diagnostics: total }
      : { errors: Number(stated[2]), warnings: Number(stated[3]), diagnostics: Number(stated[1]) }
  return reportOf(toolOf(output, findings), 'lint', counts, findings)
}

function headerOf(line: string): string | undefined {
  const path = line.trim()
  return looksLikePath(path) ? path : undefined
}

function compactRow(findings: Findings, line: string): boolean {
  const row = line.includes(', col ') ? COMPACT.exec(line) : null
  if (row === null) return false
  const said = row[5] ?? ''
  const rule = /\(([\w@/-]{1,100})\)$/.exec(said)
  addFinding(findings, {
    path: row[1],
    line: Number(row[2]),
    column: Number(row[3]),
    severity: severityOf(row[4] ?? ''),
    code: rule?.[1],
    message: rule === null ? said : said.slice(0, rule.index),
  })
  return true
}

function addRow(findings: Findings, line: string, path: string | undefined): boolean {
  const row = ROW.exec(line)
  const bare = row === null ? LINE_ONLY_ROW.exec(line) : null
  if (row === null && (bare === null || path === undefined)) return false
  const { message, code } = columnsOf((row === null ? bare?.[3] : row[4]) ?? '')
  addFinding(findings, {
    path,
    line: Number((row ?? bare)?.[1]),
    column: row === null ? undefined : Number(row[2]),
    severity: severityOf((row === null ? bare?.[2] : row[3]) ?? ''),
    code,
    message,
  })
  return true
}

/** The rule is the last column, set apart by two spaces; in brackets with yamllint. */
function columnsOf(text: string): { message: string; code?: string } {
  const trimmed = text.trimEnd()
  const gap = trimmed.lastIndexOf('  ')
  if (gap === -1) return vfileRule(trimmed)
  const rule = trimmed.slice(gap + 2).replace(/^\(|\)$/g, '')
  const code = rule.split(' ', 1)[0] ?? rule
  if (!/^[\w@/.:-]{2,100}$/.test(code)) return { message: trimmed }
  return { message: trimmed.slice(0, gap).trimEnd(), code }
}

/** remark pads with one space only: `message rule-name remark-lint`. */
function vfileRule(text: string): { message: string; code?: string } {
  const words = text.split(' ')
  if (words.at(-1) !== 'remark-lint' || words.length < 3) return { message: text }
  return { message: words.slice(0, -2).join(' '), code: words.at(-2) ?? '' }
}

function toolOf({ text }: Output, findings: Findings): string {
  const first = findings.kept[0]?.path ?? ''
  if (text.includes('remark-lint')) return 'remark'
  if (/ suggestions? in \d{1,6} files?\.$/m.test(text)) return 'vale'
  if (/\.ya?ml$/.test(first)) return 'yamllint'
  if (/\.(css|scss|sass|less|pcss)$/.test(first)) return 'stylelint'
  if (/\.(md|mdx|markdown)$/.test(first)) return 'remark'
  return 'eslint'
}

const PYRIGHT_TOTAL = /^(\d{1,7}) errors?, (\d{1,7}) warnings?, \d{1,7} (?:informations?|notes?)/m
const PYRIGHT_SAID = /^ - (error|warning|information|note): (.{1,600})$/

/** pyright and basedpyright: `  /path/x.py:1:2 - error: message (rule)`. */
export const pyright: Reader = {
  tool: 'pyright',
  names: ['pyright', 'basedpyright'],
  recognises: ({ text }) => PYRIGHT_TOTAL.test(text) || / - error: .{1,300}\(report[A-Z]\w+\)$/m.test(text),
  read: ({ lines, text }) => {
    const findings = newFindings()
    for (const line of lines) {
      const place = line.includes(' - ') ? readPlace(line) : undefined
      const said = place === undefined ? null : PYRIGHT_SAID.exec(place.rest)
      if (place === undefined || said === null) continue
      const rule = /\((report\w{1,60})\)$/.exec(said[2] ?? '')
      addFinding(findings, {
        path: place.path,
        line: place.line,
        column: place.column,
        severity: severityOf(said[1] ?? ''),
        code: rule?.[1],
        message: rule === null ? (said[2] ?? '') : (said[2] ?? '').slice(0, rule.index),
      })
    }
    const stated = PYRIGHT_TOTAL.exec(text)
    if (findings.total === 0 && stated === null) return undefined
    const errors = stated === null ? findings.errors : Number(stated[1])
    const warnings = stated === null ? findings.warnings : Number(stated[2])
    return reportOf(
      'pyright',
      'types',
      { errors, warnings, diagnostics: Math.max(findings.total, errors + warnings) },
      findings,
    )
  },
}
