import { addFinding, countedReport, type Finding, newFindings, severityOf } from './findings.ts'
import { splitRule } from './line-format.ts'
import type { Output, PlaceLine } from './output.ts'
import { extensionOf } from './place.ts'
import type { Reader } from './reader.ts'

/**
 * `path:line:column: message` of a tool that nobody has described yet. Search results, logs and stack traces look
 * alike; so the lines must read as prose, and have a column or a rule, and most places of the output must be such.
 */
export const unknownTool: Reader = {
  tool: 'linter',
  names: [],
  recognises: (output) => {
    const places = output.places()
    const sure = places.filter((place) => said(place.rest, place) !== undefined && isSure(place))
    return sure.length > 0 && sure.length * 2 > places.length
  },
  read: (output: Output) => {
    const findings = newFindings()
    for (const place of output.places()) {
      const found = said(place.rest, place)
      const { path, line, column } = place
      if (found !== undefined) addFinding(findings, { path, line, column, ...found })
    }
    return findings.total === 0 ? undefined : countedReport('linter', 'lint', findings)
  },
}

const NOT_SOURCE = new Set(['log', 'json', 'csv', 'com', 'net', 'org', 'io', 'lock'])
const CODE =
  /[{;,=]$|=>|\)\s?;| [:=]= | = |^\s?(?:import|from|return|const|let|var|def|class|if|for|while|func|fn|public|private|export|package|use|#include)\b/
const PROSE = /^ ?\[?["'`A-Za-z]/
const LEVEL = /^\[?(error|warning|info|note|hint|[EWCR])\]?(?:: | - | )(.{1,500})$/i
const RULE = /^\[?([A-Z]{1,5}-?\d{2,5})\]?:? (.{1,500})$/

function said(rest: string, { path, indented }: PlaceLine): Finding | undefined {
  const text = rest.trim()
  if (indented || !text.includes(' ') || !PROSE.test(rest) || CODE.test(rest)) return undefined
  if (NOT_SOURCE.has(extensionOf(path))) return undefined
  const level = LEVEL.exec(text)
  const severity = level === null ? undefined : severityOf(level[1] ?? '')
  const code = RULE.exec(level?.[2] ?? text)
  if (code !== null) return { severity, code: code[1], message: code[2] ?? '' }
  const { message, code: rule } = splitRule(level?.[2] ?? text)
  return { severity, code: rule, message }
}

function isSure({ rest, column }: PlaceLine): boolean {
  // A search result follows its colon at once; a message has one space.
  if (column !== undefined && /^ \S/.test(rest)) return true
  if (column !== undefined && /^[A-Z].{10,400}\.$/.test(rest)) return true
  return /^ \[[A-Z]{1,5}-?\d{0,5}\] /.test(rest) || /^ .{1,500} [[(][a-z][\w@./-]{2,60}[\])]$/.test(rest)
}
