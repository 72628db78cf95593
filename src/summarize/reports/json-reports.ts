import {
  addFinding,
  type Finding,
  type Findings,
  type LooseCounts,
  newFindings,
  reportOf,
  severityOf,
} from './findings.ts'
import { lineReport } from './json-line-report.ts'
import { testJsonShapes } from './json-test-reports.ts'
import { at, type JsonValue, jsonIn, listAt, numberAt, textAt } from './json-value.ts'
import type { Output } from './output.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** One tool's JSON: whether a document is its, and what it says. */
export interface JsonShape {
  readonly tool: string
  readonly kind: Report['kind']
  readonly is: (document: JsonValue) => boolean
  readonly findings: (document: JsonValue) => Iterable<Finding>
  /** Totals that the document states; counted from the findings otherwise. */
  readonly counts?: (document: JsonValue, findings: Findings) => LooseCounts
}

/** A list of flat objects, one per diagnostic. */
function flat(
  tool: string,
  kind: Report['kind'],
  keys: readonly string[],
  finding: (item: JsonValue) => Finding,
): JsonShape {
  return {
    tool,
    kind,
    is: (document) => Array.isArray(document) && keys.every((key) => at(document, 0, key) !== undefined),
    findings: (document) => listAt(document).map(finding),
  }
}

function severityAt(item: JsonValue, key: string): Finding['severity'] {
  const value = at(item, key)
  return severityOf(String(value))
}

const LINT_SHAPES: readonly JsonShape[] = [
  {
    tool: 'eslint',
    kind: 'lint',
    is: (document) =>
      textAt(document, 0, 'filePath') !== undefined && Array.isArray(at(document, 0, 'messages')),
    findings: (document) =>
      listAt(document).flatMap((file) =>
        listAt(file, 'messages').map((item) => ({
          path: textAt(file, 'filePath'),
          line: numberAt(item, 'line'),
          column: numberAt(item, 'column'),
          code: textAt(item, 'ruleId'),
          severity: severityAt(item, 'severity'),
          message: textAt(item, 'message') ?? '',
        })),
      ),
  },
  {
    tool: 'stylelint',
    kind: 'lint',
    is: (document) =>
      textAt(document, 0, 'source') !== undefined && Array.isArray(at(document, 0, 'warnings')),
    findings: (document) =>
      listAt(document).flatMap((file) =>
        listAt(file, 'warnings').map((item) => ({
          path: textAt(file, 'source'),
          line: numberAt(item, 'line'),
          column: numberAt(item, 'column'),
          code: textAt(item, 'rule'),
          severity: severityAt(item, 'severity'),
          message: textAt(item, 'text') ?? '',
        })),
      ),
  },
  flat('ruff', 'lint', ['filename', 'location', 'message'], (item) => ({
    path: textAt(item, 'filename'),
    line: numberAt(item, 'location', 'row'),
    column: numberAt(item, 'location', 'column'),
    code: textAt(item, 'code'),
    severity: 'error',
    message: textAt(item, 'message') ?? '',
  })),
  flat('pylint', 'lint', ['message-id', 'path', 'message'], (item) => ({
    path: textAt(item, 'path'),
    line: numberAt(item, 'line'),
    column: numberAt(item, 'column'),
    code: textAt(item, 'message-id'),
    severity: severityAt(item, 'type'),
    message: textAt(item, 'message') ?? '',
  })),
  flat('shellcheck', 'lint', ['file', 'line', 'level', 'code', 'message'], (item) => ({
    path: textAt(item, 'file'),
    line: numberAt(item, 'line'),
    column: numberAt(item, 'column'),
    code: String(at(item, 'code')),
    severity: severityAt(item, 'level'),
    message: textAt(item, 'message') ?? '',
  })),
  flat('hlint', 'lint', ['hint', 'file', 'startLine'], (item) => ({
    path: textAt(item, 'file'),
    line: numberAt(item, 'startLine'),
    column: numberAt(item, 'startColumn'),
    severity: severityAt(item, 'severity'),
    message: textAt(item, 'hint') ?? '',
  })),
  flat('tslint', 'lint', ['failure', 'ruleName', 'startPosition'], (item) => ({
    path: textAt(item, 'name'),
    line: (numberAt(item, 'startPosition', 'line') ?? 0) + 1,
    column: (numberAt(item, 'startPosition', 'character') ?? 0) + 1,
    code: textAt(item, 'ruleName'),
    severity: severityAt(item, 'ruleSeverity'),
    message: textAt(item, 'failure') ?? '',
  })),
  {
    tool: 'pyright',
    kind: 'types',
    is: (document) => Array.isArray(at(document, 'generalDiagnostics')),
    findings: (document) =>
      listAt(document, 'generalDiagnostics').map((item) => ({
        path: textAt(item, 'file'),
        line: (numberAt(item, 'range', 'start', 'line') ?? 0) + 1,
        column: (numberAt(item, 'range', 'start', 'character') ?? 0) + 1,
        code: textAt(item, 'rule'),
        severity: severityAt(item, 'severity'),
        message: textAt(item, 'message') ?? '',
      })),
  },
  {
    tool: 'bandit',
    kind: 'lint',
    is: (document) =>
      textAt(document, 'results', 0, 'test_id') !== undefined ||
      at(document, 'metrics', '_totals') !== undefined,
    findings: (document) =>
      listAt(document, 'results').map((item) => ({
        path: textAt(item, 'filename'),
        line: numberAt(item, 'line_number'),
        code: textAt(item, 'test_id'),
        severity: severityAt(item, 'issue_severity'),
        message: textAt(item, 'issue_text') ?? '',
      })),
  },
  {
    tool: 'golangci-lint',
    kind: 'lint',
    is: (document) =>
      at(document, 'Issues') !== undefined &&
      (at(document, 'Report') !== undefined || textAt(document, 'Issues', 0, 'FromLinter') !== undefined),
    findings: (document) =>
      listAt(document, 'Issues').map((item) => ({
        path: textAt(item, 'Pos', 'Filename'),
        line: numberAt(item, 'Pos', 'Line'),
        column: numberAt(item, 'Pos', 'Column'),
        code: textAt(item, 'FromLinter'),
        message: textAt(item, 'Text') ?? '',
      })),
  },
  {
    tool: 'rubocop',
    kind: 'lint',
    is: (document) => numberAt(document, 'summary', 'offense_count') !== undefined,
    findings: (document) =>
      listAt(document, 'files').flatMap((file) =>
        listAt(file, 'offenses').map((item) => ({
          path: textAt(file, 'path'),
          line: numberAt(item, 'location', 'line'),
          column: numberAt(item, 'location', 'column'),
          code: textAt(item, 'cop_name'),
          severity: severityAt(item, 'severity'),
          message: textAt(item, 'message') ?? '',
        })),
      ),
  },
  {
    tool: 'phpstan',
    kind: 'types',
    is: (document) => numberAt(document, 'totals', 'file_errors') !== undefined,
    findings: (document) =>
      Object.entries(at(document, 'files') ?? {}).flatMap(([path, file]) =>
        listAt(file, 'messages').map((item) => ({
          path,
          line: numberAt(item, 'line'),
          code: textAt(item, 'identifier'),
          severity: 'error' as const,
          message: textAt(item, 'message') ?? '',
        })),
      ),
  },
  {
    tool: 'sarif',
    kind: 'lint',
    is: (document) =>
      Array.isArray(at(document, 'runs')) && at(document, 'runs', 0, 'tool', 'driver') !== undefined,
    findings: (document) =>
      listAt(document, 'runs').flatMap((run) =>
        listAt(run, 'results').map((item) => ({
          path: textAt(item, 'locations', 0, 'physicalLocation', 'artifactLocation', 'uri'),
          line: numberAt(item, 'locations', 0, 'physicalLocation', 'region', 'startLine'),
          column: numberAt(item, 'locations', 0, 'physicalLocation', 'region', 'startColumn'),
          code: textAt(item, 'ruleId'),
          severity: severityOf(textAt(item, 'level') ?? 'warning'),
          message: textAt(item, 'message', 'text') ?? '',
        })),
      ),
  },
]

const SHAPES: readonly JsonShape[] = [...testJsonShapes, ...LINT_SHAPES]

function readWith(shape: JsonShape, document: JsonValue): Report {
  const findings = newFindings()
  for (const finding of shape.findings(document)) addFinding(findings, finding)
  const { errors, warnings, total } = findings
  const counts = shape.counts?.(document, findings) ?? { errors, warnings, diagnostics: total }
  const tool =
    shape.tool === 'sarif' ? (textAt(document, 'runs', 0, 'tool', 'driver', 'name') ?? 'sarif') : shape.tool
  return reportOf(tool, shape.kind, counts, findings)
}

function documentsOf(output: Output): JsonValue | undefined {
  if (
    !/[\]}]\s*$/.test(output.text.slice(-200)) &&
    !output.text.includes('\n}') &&
    !output.text.includes('\n]')
  )
    return undefined
  if (!output.text.includes('":')) return undefined
  return jsonIn(output.text)
}

/** Whole documents; else one object per line. */
export const jsonReports: readonly Reader[] = [
  {
    tool: 'json',
    names: [],
    recognises: (output) => /^\s*[[{]|\n[[{]/.test(output.text) && output.text.includes('":'),
    read: (output) => {
      const document = documentsOf(output)
      const shape = document === undefined ? undefined : SHAPES.find((known) => known.is(document))
      return shape === undefined ? lineReport(output) : readWith(shape, document)
    },
  },
]
