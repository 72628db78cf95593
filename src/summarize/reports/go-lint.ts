import { addFinding, type Findings, newFindings, reportOf, severityOf } from './findings.ts'
import type { Output, PlaceLine } from './output.ts'
import { extensionOf, readPlace } from './place.ts'
import { type Said, splitRule } from './place-lines.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** `go build`, `go vet` and the linters of Go: all write `x.go:line:column: message`, some with a rule at the end. */
export const goLint: Reader = {
  tool: 'go build',
  names: [
    'go build',
    'go vet',
    'go install',
    'go run',
    'golangci lint',
    'staticcheck',
    'golint',
    'gosec',
    'govet',
    'revive',
    'go generate',
  ],
  recognises: (output) => recognised(output) || ISSUES.test(output.text),
  read,
}

/** golangci-lint 2 ends in `5 issues:` and a list per linter, or `0 issues.` */
const ISSUES = /^(\d{1,6}) issues?(?:\.|:\n\* \w)/m

function recognised(output: Output): boolean {
  if (!output.text.includes('.go:')) return false
  const header = /^# \S{3,300}(?: \[|$)/m.test(output.text)
  return sites(output).some((place) => place.column !== undefined || header) || gosecText(output).length > 0
}

/** Not indented, one space and prose: `go test` logs and `grep -n` differ in one of them. */
function sites(output: Output): PlaceLine[] {
  const found = output.places().filter((place) => extensionOf(place.path) === 'go' && isProse(place))
  return [...found, ...vetSites(output)]
}

function isProse({ rest, indented }: PlaceLine): boolean {
  return (
    !indented &&
    /^ [^\s*/}{()]/.test(rest) &&
    !rest.startsWith(' +0x') &&
    rest.trim().includes(' ') &&
    !/[{;]$|:= /.test(rest)
  )
}

function vetSites(output: Output): PlaceLine[] {
  if (!output.text.includes('vet: ') && !output.text.includes('vet.exe: ')) return []
  return output.lines.flatMap((line, at) => {
    const prefix = /^vet(?:\.exe)?: /.exec(line)?.[0]
    const place = prefix === undefined ? undefined : readPlace(line.slice(prefix.length))
    return place === undefined ? [] : [{ ...place, at }]
  })
}

function read(output: Output): Report | undefined {
  const findings = newFindings()
  const places = [...sites(output)].sort((a, b) => a.at - b.at)
  for (const place of places) {
    const { path, line, column } = place
    addFinding(findings, { path, line, column, ...saidOf(place.rest) })
  }
  for (const finding of gosecText(output)) addFinding(findings, finding)
  const stated = ISSUES.exec(output.text)?.[1]
  if (findings.total === 0 && stated === undefined) return undefined
  const diagnostics = stated === undefined ? findings.total : Number(stated)
  const { tool, kind } = toolOf(output, findings, stated !== undefined)
  const errors = kind === 'compile' ? diagnostics : undefined
  return reportOf(tool, kind, { errors, diagnostics }, findings)
}

function saidOf(rest: string): Said {
  const gosec = /\(Rule:(\w{1,20}), Severity:(\w{1,10}), Confidence:\w{1,10}\)$/.exec(rest)
  if (gosec !== null) {
    return { code: gosec[1], severity: severityOf(gosec[2] ?? ''), message: rest.slice(0, gosec.index) }
  }
  return splitRule(rest)
}

/** gosec's own format: `[/path/main.go:37] - G307 (CWE-703): message (Confidence: HIGH, Severity: MEDIUM)`. */
function gosecText({ lines, text }: Output) {
  if (!text.includes('] - G')) return []
  return lines.flatMap((line) => {
    const said = /^\[([^\]]{1,400})\] - (G\d{3}) (?:\([\w-]{1,20}\))?: (.{1,500})$/.exec(line)
    const place = said === null ? undefined : readPlace(`${said[1]}:`)
    if (said === null || place === undefined) return []
    const level = /Severity: (\w{1,10})\)$/.exec(line)?.[1]
    const severity = level === undefined ? undefined : severityOf(level)
    return [{ path: place.path, line: place.line, code: said[2], severity, message: said[3] ?? '' }]
  })
}

/** What go vet's analyzers say; under `go test` and old versions nothing else names it. */
const VET_SAID =
  /possible misuse of|self-assignment of|unreachable code|printf? (?:format|call)|passes lock by value|uses unkeyed fields|call not used|struct field tag|the cancel function|loop variable|\+build comment|assignment to atomic value/i

function toolOf(
  { text }: Output,
  findings: Findings,
  counted: boolean,
): { tool: string; kind: Report['kind'] } {
  const codes = findings.kept.map((problem) => problem.code ?? '')
  if (codes.some((code) => /^G\d{3}$/.test(code))) return { tool: 'gosec', kind: 'lint' }
  if (counted) return { tool: 'golangci-lint', kind: 'lint' }
  if (codes.some((code) => /^(SA|S|ST|QF|U)\d{4}$/.test(code))) return { tool: 'staticcheck', kind: 'lint' }
  if (codes.some((code) => /^[a-z]{3,30}$/.test(code))) return { tool: 'golangci-lint', kind: 'lint' }
  if (/should have comment|should be of the form|don't use underscores/.test(text))
    return { tool: 'golint', kind: 'lint' }
  if (/^vet(\.exe)?: |^# \[/m.test(text) || VET_SAID.test(findings.kept[0]?.message ?? ''))
    return { tool: 'go vet', kind: 'lint' }
  return { tool: 'go build', kind: 'compile' }
}
