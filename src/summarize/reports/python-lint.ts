import { addFinding, type Findings, newFindings, reportOf } from './findings.ts'
import type { Output, PlaceLine } from './output.ts'
import { extensionOf } from './place.ts'
import { placeFindings, type Said } from './place-lines.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

const CODED = /^ ([A-Z]{1,4}\d{2,4}) (\[[*-]\] )?(\S.{0,500})$/
const RUFF_STATED = /^Found (\d{1,9}) errors?(?:\.| \()/m
const RUFF_TAIL =
  /^(?:\[\*\] \d+ fixable with|No fixes available)|^Found \d+ errors? \(\d+ fixed, \d+ remaining\)|^All checks passed!$/m

function isPython(path: string): boolean {
  return path === '-' || path.startsWith('<') || /^(pyi?|ipynb|toml)$/.test(extensionOf(path))
}

/** flake8, pycodestyle and ruff's `concise`, `pylint` and `grouped` formats: `x.py:1:8: F401 message`. */
export const flake8: Reader = {
  tool: 'flake8',
  names: ['flake8', 'pycodestyle', 'pep8', 'ruff', 'ruff check', 'pyflakes', 'autoflake'],
  recognises: (output) =>
    output.places().some((place) => coded(place.rest, place) !== undefined) || isRuff(output),
  read: (output) => {
    const findings = placeFindings(output, coded)
    addGrouped(output, findings)
    const ruff = isRuff(output)
    if (findings.total === 0 && !ruff) return undefined
    const { text } = output
    const stated = ruff ? RUFF_STATED.exec(text)?.[1] : undefined
    const errors = stated === undefined ? findings.total : Number(stated)
    return ruff
      ? reportOf('ruff', 'lint', { errors, diagnostics: errors }, findings)
      : reportOf('flake8', 'lint', { diagnostics: findings.total }, findings)
  },
}

function isRuff({ text }: Output): boolean {
  return (
    RUFF_TAIL.test(text) ||
    / [A-Z]{1,4}\d{2,4} \[\*\] /.test(text) ||
    (text.includes(': invalid-syntax: ') && RUFF_STATED.test(text))
  )
}

function coded(rest: string, place: PlaceLine): Said | undefined {
  if (!isPython(place.path) || place.indented) return undefined
  const said = CODED.exec(rest)
  if (said !== null) return place.column === undefined ? undefined : { code: said[1], message: said[3] ?? '' }
  const syntax = /^ (invalid-syntax|SyntaxError): (.{1,500})$/.exec(rest)
  if (syntax !== null && place.column !== undefined)
    return { code: syntax[1], severity: 'error', message: syntax[2] ?? '' }
  const bracketed = /^ \[([A-Z]{1,4}\d{2,4}|invalid-syntax)\] (.{1,500})$/.exec(rest)
  return bracketed === null ? undefined : { code: bracketed[1], message: bracketed[2] ?? '' }
}

/** ruff `grouped`: `input.py:` and below it `  1:8 F401 [*] message`. */
function addGrouped({ lines, text }: Output, findings: Findings): void {
  if (findings.total > 0 || !text.includes(':\n  ')) return
  let path: string | undefined
  for (const line of lines) {
    if (/^\S.{0,300}\.(?:pyi?|ipynb):$/.test(line)) path = line.slice(0, -1)
    const row =
      /^ {2,8}(\d{1,7}):(\d{1,5}) {1,4}([A-Z]{1,4}\d{2,4}|invalid-syntax):? (?:\[[*-]\] )?(.{1,400})$/.exec(
        line,
      )
    if (row === null || path === undefined) continue
    addFinding(findings, {
      path,
      line: Number(row[1]),
      column: Number(row[2]),
      code: row[3],
      message: row[4] ?? '',
    })
  }
}

const PYLINT_SAID = /^ ([CRWEFI]\d{4}): (.{1,500})$/
const PYLINT_PARSEABLE = /^ \[([CRWEFI]\d{4})\([\w-]{1,60}\),[^\]]{0,200}\] (.{1,500})$/

export const pylint: Reader = {
  tool: 'pylint',
  names: ['pylint'],
  recognises: (output) =>
    output.places().some((place) => pylintSaid(place.rest) !== undefined) ||
    /^Your code has been rated at /m.test(output.text),
  read: (output) => {
    const findings = placeFindings(output, pylintSaid)
    const rated = /^Your code has been rated at (-?[\d.]{1,8}\/10)/m.exec(output.text)?.[1]
    if (findings.total === 0 && rated === undefined) return undefined
    const { errors, warnings, total } = findings
    return reportOf(
      'pylint',
      'lint',
      { errors, warnings, diagnostics: total },
      findings,
      rated && `rated ${rated}`,
    )
  },
}

function pylintSaid(rest: string): Said | undefined {
  const said = PYLINT_SAID.exec(rest) ?? PYLINT_PARSEABLE.exec(rest)
  if (said?.[1] === undefined) return undefined
  const letter = said[1][0] ?? ''
  const severity = 'EF'.includes(letter) ? 'error' : letter === 'W' ? 'warning' : 'info'
  return { code: said[1], severity, message: said[2] ?? '' }
}

/** `test.py:18 in public function `x`:` and below it `        D103: message`. */
export const pydocstyle: Reader = {
  tool: 'pydocstyle',
  names: ['pydocstyle', 'pep257'],
  recognises: ({ text, lines }) => /^ {8}D\d{3}: /m.test(text) && lines.some((line) => DOC_PLACE.test(line)),
  read: ({ lines }): Report | undefined => {
    const findings = newFindings()
    let place: RegExpExecArray | null = null
    for (const line of lines) {
      const here = DOC_PLACE.exec(line)
      if (here !== null) place = here
      const said = /^ {4,12}(D\d{3}): (.{1,400})$/.exec(line)
      if (said === null) continue
      addFinding(findings, {
        path: place?.[1],
        line: Number(place?.[2] ?? 0),
        code: said[1],
        message: said[2] ?? '',
      })
    }
    return findings.total === 0
      ? undefined
      : reportOf('pydocstyle', 'lint', { diagnostics: findings.total }, findings)
  },
}

const DOC_PLACE = /^([^\s:][^:]{0,300}):(\d{1,7}) (?:at module level|in (?:public|private) .{1,200}):$/

/** bandit's screen format: `>> Issue: [B404:blacklist] message` with the severity and place below. */
export const banditScreen: Reader = {
  tool: 'bandit',
  names: ['bandit'],
  recognises: ({ text }) => text.includes('>> Issue: [B') || /^\tTotal issues \(by severity\):$/m.test(text),
  read: ({ lines, text }): Report | undefined => {
    const findings = newFindings()
    for (const [i, line] of lines.entries()) {
      const issue = /^>> Issue: \[(B\d{3}):[\w-]{1,60}\] (.{1,400})$/.exec(line)
      if (issue === null) continue
      const below = lines.slice(i + 1, i + 6).join('\n')
      const level = /Severity: (\w{1,10})/.exec(below)?.[1] ?? ''
      const place = /Location: (\S{1,400}?):(\d{1,7})(?::\d+)?$/m.exec(below)
      const severity = level === 'High' ? 'error' : level === 'Medium' ? 'warning' : 'info'
      const line0 = place === null ? undefined : Number(place[2])
      addFinding(findings, {
        path: place?.[1],
        line: line0,
        code: issue[1],
        severity,
        message: issue[2] ?? '',
      })
    }
    if (findings.total === 0 && !text.includes('Total issues (by severity)')) return undefined
    return reportOf('bandit', 'lint', { diagnostics: findings.total }, findings)
  },
}
