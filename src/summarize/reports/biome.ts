import { addFinding, type Findings, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { looksLikePath, readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** Biome and Rome: `path:1:2 lint/group/rule ━━━━`, the message below, and totals at the end. */
export const biome: Reader = {
  tool: 'biome',
  names: ['biome', 'biome check', 'biome lint', 'biome ci', 'biome format', 'rome'],
  recognises: ({ text }) => CHECKED.test(text) || (text.includes('━━━━') && HEAD.test(text)),
  read,
}

const CHECKED = /^(?:Checked|Formatted|Linted) \d{1,7} files? in [\d.]{1,12}\s?(?:µs|ms|s|m)\b/m
const HEAD =
  /^(?: at )?(\S.{0,300}?) (lint\/[\w/]{1,100}|assist\/[\w/]{1,100}|format|parse|organizeImports|suppressions\/\w{1,40}|syntax\/[\w/]{1,80}|internalError\/\w{1,20}) {0,2}(?: FIXABLE )? {0,3}━━/m

function read({ lines, text }: Output): Report | undefined {
  const findings = newFindings()
  for (const [i, line] of lines.entries()) {
    const head = line.includes('━━') ? HEAD.exec(line) : null
    if (head?.[1] !== undefined) addHeaded(findings, lines, i, head[1], head[2] ?? '')
  }
  const errors = sumOf(/^Found (\d{1,7}) errors?\./gm, text)
  const warnings = sumOf(/^Found (\d{1,7}) warnings?\./gm, text)
  const infos = sumOf(/^Found (\d{1,7}) infos?\./gm, text)
  const checked = CHECKED.test(text)
  if (findings.total === 0 && !checked) return undefined
  // Above 20 diagnostics Biome prints some and counts all of them.
  const counts = checked
    ? { errors, warnings, diagnostics: Math.max(errors + warnings + infos, findings.total) }
    : { errors: findings.errors, warnings: findings.warnings, diagnostics: findings.total }
  return reportOf('biome', 'lint', counts, findings)
}

function addHeaded(
  findings: Findings,
  lines: readonly string[],
  at: number,
  where: string,
  code: string,
): void {
  const place = readPlace(`${where}:`)
  if (place === undefined && !looksLikePath(where)) return
  const said = lines.slice(at + 1, at + 6).find((line) => /^ {2}[×✖✘!⚠iℹ] /u.test(line))
  const mark = said?.[2] ?? ''
  addFinding(findings, {
    path: place?.path ?? where,
    line: place?.line,
    column: place?.column,
    code,
    severity:
      '×✖✘'.includes(mark) && mark !== '' ? 'error' : '!⚠'.includes(mark) && mark !== '' ? 'warning' : 'info',
    message: said?.slice(4) ?? code,
  })
}

function sumOf(pattern: RegExp, text: string): number {
  let sum = 0
  for (const match of text.matchAll(pattern)) sum += Number(match[1])
  return sum
}

/** oxlint and other miette users: `  ⚠ eslint(no-unused-vars): message` with `╭─[path:1:2]` below. */
export const oxlint: Reader = {
  tool: 'oxlint',
  names: ['oxlint', 'deno lint'],
  recognises: ({ text }) =>
    OXLINT_TOTAL.test(text) ||
    /^ {2}[⚠×x] [\w-]{1,40}\([\w/-]{1,80}\): .{1,300}\n {1,8}[╭,][─-]\[/mu.test(text),
  read: ({ lines, text }) => {
    const findings = newFindings()
    for (const [i, line] of lines.entries()) {
      const head = /^ {2}([⚠×x!]) (?:([\w-]{1,40}\([\w/-]{1,80}\)): )?(.{1,400})$/u.exec(line)
      if (head === null) continue
      const below = lines.slice(i + 1, i + 4).find((next) => /^ {1,8}[╭,][─-]\[/u.test(next))
      if (below === undefined) continue
      const place = readPlace(`${below.slice(below.indexOf('[') + 1, below.lastIndexOf(']'))}:`)
      addFinding(findings, {
        path: place?.path,
        line: place?.line,
        column: place?.column,
        code: head[2],
        severity: head[1] === '⚠' || head[1] === '!' ? 'warning' : 'error',
        message: head[3] ?? '',
      })
    }
    const stated = OXLINT_TOTAL.exec(text)
    if (findings.total === 0 && stated === null) return undefined
    const warnings = stated === null ? findings.warnings : Number(stated[1])
    const errors = stated === null ? findings.errors : Number(stated[2])
    return reportOf(
      'oxlint',
      'lint',
      { errors, warnings, diagnostics: Math.max(errors + warnings, findings.total) },
      findings,
    )
  },
}

const OXLINT_TOTAL = /^Found (\d{1,7}) warnings? and (\d{1,7}) errors?\./m
