import {
  addFinding,
  countedReport,
  type Finding,
  type Findings,
  newFindings,
  reportOf,
  severityOf,
} from './findings.ts'
import type { Output } from './output.ts'
import { type Place, readBracketPlace, readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/* `path(line,column): error TS2345: …` of tsc and MSBuild; `path[line, column]: …` of tslint. */

const TSC_REST = /^ (error|warning|message) (TS\d{1,6}): (.{0,500})/
const TSC_PRETTY = / - (error|warning|message) (TS\d{1,6}): (.{0,500})/
const MSBUILD_REST = /^ ?(error|warning) ([A-Z]{1,8}\d{1,6}) ?: (.{0,600})/

export const tsc: Reader = {
  tool: 'tsc',
  names: ['tsc', 'vue tsc', 'tsgo', 'ng build', 'astro check', 'svelte check'],
  recognises: ({ text, lines }) =>
    (/(error|warning) TS\d{3,6}: /.test(text) && lines.some((line) => tscFinding(line) !== undefined)) ||
    (/^Found \d{1,6} errors?(\.| in | Watching)/m.test(text) && text.includes(' TS')),
  read: ({ lines, text }) => {
    const findings = newFindings()
    for (const line of lines) {
      const finding = line.includes(' TS') ? tscFinding(line) : undefined
      if (finding !== undefined) addFinding(findings, finding)
    }
    const stated = /^Found (\d{1,6}) errors?\b/m.exec(text)?.[1]
    if (findings.total === 0 && stated === undefined) return undefined
    const errors = Math.max(
      findings.errors,
      stated === undefined || !text.includes('TS') ? 0 : Number(stated),
    )
    return reportOf('tsc', 'types', { errors, diagnostics: Math.max(findings.total, errors) }, findings)
  },
}

function tscFinding(line: string): Finding | undefined {
  const place = readBracketPlace(line, '(')
  const plain = place === undefined ? null : TSC_REST.exec(place.rest)
  if (place !== undefined && plain !== null) return finding(place, plain)
  const pretty = TSC_PRETTY.exec(line)
  const at = pretty === null ? undefined : readPlace(`${line.slice(0, pretty.index)}:`)
  if (at !== undefined && pretty !== null) return finding(at, pretty)
  const global = /^(error|warning|message) (TS\d{1,6}): (.{0,500})/.exec(line)
  return global === null ? undefined : finding(undefined, global)
}

function finding(place: Place | undefined, said: RegExpExecArray): Finding {
  return {
    path: place?.path,
    line: place?.line,
    column: place?.column,
    code: said[2],
    severity: severityOf(said[1] ?? '') ?? 'info',
    message: said[3] ?? '',
  }
}

/** `dotnet build`, MSBuild and MSVC. */
export const msbuild: Reader = {
  tool: 'dotnet',
  names: ['dotnet build', 'dotnet', 'msbuild', 'dotnet publish', 'dotnet run', 'cl'],
  recognises: ({ text, lines }) =>
    (/: (error|warning) [A-Z]{1,8}\d{1,6} ?: /.test(text) &&
      lines.some((line) => msbuildFinding(line) !== undefined)) ||
    /^ {4}\d{1,6} Warning\(s\)$/m.test(text) ||
    /^Build succeeded( in |\.)/m.test(text),
  read: readMsbuild,
}

function readMsbuild({ lines, text }: Output): Report | undefined {
  const findings = newFindings()
  const seen = new Set<string>()
  for (const line of lines) {
    // MSBuild repeats each line in its summary, indented or not; one of each is counted.
    const key = line.trim()
    const found = msbuildFinding(line)
    if (found === undefined || seen.has(key)) continue
    seen.add(key)
    addFinding(findings, found)
  }
  const warnings = numberOf(/^ {4}(\d{1,6}) Warning\(s\)$/m, text) ?? findings.warnings
  const errors = numberOf(/^ {4}(\d{1,6}) Error\(s\)$/m, text) ?? findings.errors
  const built = /^Build (succeeded|FAILED)/m.test(text)
  if (findings.total === 0 && !built) return undefined
  return reportOf('dotnet', 'compile', { errors, warnings, diagnostics: errors + warnings }, findings)
}

function numberOf(pattern: RegExp, text: string): number | undefined {
  const found = pattern.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

function msbuildFinding(line: string): Finding | undefined {
  if (!line.includes('error ') && !line.includes('warning ')) return undefined
  const place = readBracketPlace(line, '(')
  const said = place === undefined ? null : MSBUILD_REST.exec(place.rest)
  if (place !== undefined && said !== null && !said[2]?.startsWith('TS'))
    return withoutProject(finding(place, said))
  const global =
    /^ {0,8}(?:MSBUILD|CSC|[\w./\\:-]{1,300}) ?: (error|warning) ([A-Z]{2,8}\d{1,6}) ?: (.{0,600})/.exec(line)
  return global === null || global[2]?.startsWith('TS')
    ? undefined
    : withoutProject(finding(undefined, global))
}

/** Drops the ` [project.csproj]` at the end of the message. */
function withoutProject(found: Finding): Finding {
  const at = found.message.lastIndexOf(' [')
  return at > 0 && found.message.endsWith(']') ? { ...found, message: found.message.slice(0, at) } : found
}

export const tslint: Reader = {
  tool: 'tslint',
  names: ['tslint'],
  recognises: ({ text, lines }) =>
    text.includes(']: ') && lines.some((line) => tslintFinding(line) !== undefined),
  read: ({ lines }) => {
    const findings: Findings = newFindings()
    for (const line of lines) {
      const found = tslintFinding(line)
      if (found !== undefined) addFinding(findings, found)
    }
    return findings.total === 0 ? undefined : countedReport('tslint', 'lint', findings)
  },
}

function tslintFinding(line: string): Finding | undefined {
  if (!line.includes(']: ')) return undefined
  const severity = /^(ERROR|WARNING): (?:\([\w-]{1,60}\) )?/.exec(line)
  const place = readBracketPlace(severity === null ? line : line.slice(severity[0].length), '[')
  if (place?.column === undefined) return undefined
  const rule = severity === null ? undefined : /\(([\w-]{1,60})\)/.exec(severity[0])?.[1]
  const { path, column, rest } = place
  return {
    path,
    line: place.line,
    column,
    code: rule,
    severity: severityOf(severity?.[1] ?? ''),
    message: rest,
  }
}
