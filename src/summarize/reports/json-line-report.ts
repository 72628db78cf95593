import { addFinding, type Finding, newFindings, reportOf, severityOf } from './findings.ts'
import { at, type JsonValue, jsonLines, listAt, numberAt, textAt } from './json-value.ts'
import type { Output } from './output.ts'
import type { Report } from './report.ts'

/** One of them is in each kind of line that is read: the quick check before lines are parsed. */
const SIGNATURES = ['"hint"', '"location"', '"typo"', '"compiler-message"']

/** One object per line, as mypy, staticcheck, typos and cargo stream them. */
export function lineReport(output: Output): Report | undefined {
  if (!SIGNATURES.some((signature) => output.text.includes(signature))) return undefined
  if (output.text.includes('"Action":"')) return undefined
  const findings = newFindings()
  const tools = new Set<string>()
  for (const item of jsonLines(output.text.split('\n'))) {
    const found = lineFinding(item)
    if (found === undefined) continue
    tools.add(found.tool)
    addFinding(findings, found.finding)
  }
  const tool = tools.values().next().value
  if (tool === undefined) return undefined
  const { errors, warnings, total } = findings
  const kind = tool === 'mypy' ? 'types' : tool === 'rustc' ? 'compile' : 'lint'
  return reportOf(tool, kind, { errors, warnings, diagnostics: total }, findings)
}

function lineFinding(item: JsonValue): { tool: string; finding: Finding } | undefined {
  const severity = severityOf(textAt(item, 'severity') ?? '')
  const message = textAt(item, 'message') ?? ''
  if (textAt(item, 'file') !== undefined && at(item, 'hint') !== undefined && severity !== undefined) {
    const [path, line, column] = [textAt(item, 'file'), numberAt(item, 'line'), numberAt(item, 'column')]
    return { tool: 'mypy', finding: { path, line, column, code: textAt(item, 'code'), severity, message } }
  }
  if (textAt(item, 'location', 'file') !== undefined && textAt(item, 'code') !== undefined) {
    const [path, line, column] = [
      textAt(item, 'location', 'file'),
      numberAt(item, 'location', 'line'),
      numberAt(item, 'location', 'column'),
    ]
    return {
      tool: 'staticcheck',
      finding: { path, line, column, code: textAt(item, 'code'), severity, message },
    }
  }
  if (textAt(item, 'type') === 'typo') {
    const typo = `${textAt(item, 'typo')} -> ${textAt(item, 'corrections', 0) ?? '?'}`
    return {
      tool: 'typos',
      finding: {
        path: textAt(item, 'path'),
        line: numberAt(item, 'line_num'),
        severity: 'error',
        message: typo,
      },
    }
  }
  if (textAt(item, 'reason') === 'compiler-message') {
    const span = listAt(item, 'message', 'spans').find((one) => at(one, 'is_primary') === true)
    const level = severityOf(textAt(item, 'message', 'level') ?? '')
    const said = textAt(item, 'message', 'message') ?? ''
    if (span === undefined) return undefined
    const [path, line, column] = [
      textAt(span, 'file_name'),
      numberAt(span, 'line_start'),
      numberAt(span, 'column_start'),
    ]
    return {
      tool: 'rustc',
      finding: {
        path,
        line,
        column,
        code: textAt(item, 'message', 'code', 'code'),
        severity: level,
        message: said,
      },
    }
  }
  return undefined
}
