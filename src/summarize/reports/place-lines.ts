import {
  addFinding,
  countedReport,
  type Finding,
  type Findings,
  newFindings,
  severityOf,
} from './findings.ts'
import type { Output, PlaceLine } from './output.ts'
import { extensionOf } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** What one tool writes after `path:line:column:`. */
export interface PlaceFormat {
  readonly tool: string
  readonly kind: Report['kind']
  readonly names: readonly string[]
  /** Undefined when the line is not this tool's. */
  readonly said: (rest: string, place: PlaceLine) => Said | undefined
  /** More than one line's form that must hold before the tool is recognised without being named. */
  readonly sure?: (output: Output, place: PlaceLine) => boolean
}

export type Said = Pick<Finding, 'code' | 'severity' | 'message'>

export function placeReader(format: PlaceFormat): Reader {
  return {
    tool: format.tool,
    names: format.names,
    recognises: (output) =>
      output
        .places()
        .some(
          (place) => format.said(place.rest, place) !== undefined && (format.sure?.(output, place) ?? true),
        ),
    read: (output) => {
      const findings = placeFindings(output, format.said)
      return findings.total === 0 ? undefined : countedReport(format.tool, format.kind, findings)
    },
  }
}

export function placeFindings(output: Output, said: PlaceFormat['said']): Findings {
  const findings = newFindings()
  for (const place of output.places()) {
    const found = said(place.rest, place)
    if (found === undefined) continue
    const { path, line, column } = place
    const { code, severity, message } = found
    addFinding(findings, { path, line, column, code, severity, message })
  }
  return findings
}

/** `message (rule)` or `message [rule]`, split; the message alone when it ends in no rule. */
export function splitRule(text: string): { message: string; code?: string } {
  const message = text.trim()
  const open = message.endsWith(')')
    ? message.lastIndexOf('(')
    : message.endsWith(']')
      ? message.lastIndexOf('[')
      : -1
  if (open <= 0) return { message }
  const code = message.slice(open + 1, -1)
  if (!/^[\w@/.:+-]{2,80}$/.test(code)) return { message }
  return { message: message.slice(0, open).trim(), code }
}

function matched(
  pattern: RegExp,
  rest: string,
): { severity: Said['severity']; code: string; message: string } | undefined {
  const groups = pattern.exec(rest)?.groups
  if (groups === undefined) return undefined
  const { severity, code, message } = groups
  return {
    severity: severity === undefined ? undefined : severityOf(severity),
    code: code ?? '',
    message: message ?? '',
  }
}

const FORMATS: readonly PlaceFormat[] = [
  {
    tool: 'yamllint',
    kind: 'lint',
    names: ['yamllint'],
    said: (rest) => {
      const said = matched(/^ \[(?<severity>warning|error)\] (?<message>.{1,500})$/, rest)
      return said === undefined ? undefined : { ...said, ...splitRule(said.message) }
    },
  },
  {
    tool: 'bandit',
    kind: 'lint',
    names: ['bandit'],
    said: (rest) =>
      matched(/^ (?<code>B\d{3})\[bandit\]: (?<severity>LOW|MEDIUM|HIGH): (?<message>.{1,500})$/, rest) ??
      matched(/^ \[(?<code>B\d{3})\] (?<message>.{1,500})$/, rest),
  },
  {
    tool: 'rubocop',
    kind: 'lint',
    names: ['rubocop', 'standardrb'],
    said: (rest, { column }) =>
      column === undefined
        ? undefined
        : matched(
            /^ (?<severity>[CWEFRI]): (?:\[\w{1,20}\] )?(?:(?<code>[A-Z]\w{1,40}\/[\w/]{1,80}): )?(?<message>.{1,500})$/,
            rest,
          ),
  },
  {
    tool: 'hlint',
    kind: 'lint',
    names: ['hlint'],
    said: (rest, { path }) =>
      /^l?hsc?$/.test(extensionOf(path))
        ? matched(/^ (?<severity>Suggestion|Warning|Error): (?<message>.{1,300})$/, rest)
        : undefined,
  },
  {
    tool: 'eslint',
    kind: 'lint',
    names: [],
    said: (rest) => {
      const said = /^ (.{1,500}) \[(Error|Warning)(?:\/([\w@/-]{1,100}))?\]$/.exec(rest)
      return said === null
        ? undefined
        : { severity: severityOf(said[2] ?? ''), code: said[3], message: said[1] ?? '' }
    },
  },
  {
    tool: 'standard',
    kind: 'lint',
    names: ['standard', 'semistandard', 'ts standard', 'standardjs'],
    said: (rest, { indented, column }) =>
      indented && column !== undefined && /^ \S/.test(rest) ? splitRule(rest) : undefined,
    sure: ({ text }) => /^(?:semi|ts-)?standard: \S/m.test(text),
  },
  {
    tool: 'markdownlint',
    kind: 'lint',
    names: ['markdownlint', 'markdownlint cli2'],
    said: (rest) =>
      matched(/^ (?:(?<severity>error|warning) )?(?<code>MD\d{3})\/\S{1,120} (?<message>.{1,400})$/, rest),
  },
  {
    tool: 'hadolint',
    kind: 'lint',
    names: ['hadolint'],
    said: (rest) =>
      matched(/^ (?<code>(?:DL|SC)\d{4}) (?<severity>error|warning|info|style): (?<message>.{1,400})$/, rest),
  },
  {
    tool: 'typos',
    kind: 'lint',
    names: [],
    said: (rest) => (/^ `[^`]{1,80}` -> `/.test(rest) ? { message: rest, severity: 'error' } : undefined),
  },
  {
    tool: 'codespell',
    kind: 'lint',
    names: ['codespell'],
    said: (rest) => (/^ \S{1,60} ==> \S/.test(rest) ? { message: rest } : undefined),
  },
  {
    tool: 'vulture',
    kind: 'lint',
    names: ['vulture'],
    said: (rest) =>
      /^ un(?:used|reachable) .{1,200} \(\d{1,3}% confidence\)$/.test(rest) ? { message: rest } : undefined,
  },
  {
    tool: 'luacheck',
    kind: 'lint',
    names: ['luacheck'],
    said: (rest) => matched(/^ \((?<code>[WE]\d{3})\) (?<message>.{1,400})$/, rest),
  },
  {
    tool: 'cspell',
    kind: 'lint',
    names: ['cspell'],
    said: (rest) => (/^ - Unknown word \(/.test(rest) ? { message: rest.slice(3) } : undefined),
  },
]

export const placeLineReaders: readonly Reader[] = FORMATS.map(placeReader)
