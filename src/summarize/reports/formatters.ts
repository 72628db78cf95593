import { addFinding, type Finding, newFindings, reportOf } from './findings.ts'
import type { Output } from './output.ts'
import { looksLikePath } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** A formatter says one line per file; `finding` reads it. */
interface Format {
  readonly tool: string
  readonly names: readonly string[]
  /** Present in every output of the tool that has something to say. */
  readonly signature: RegExp
  readonly finding: (line: string) => Finding | undefined
  /** Files it changed are its success, not problems. */
  readonly clean?: RegExp
}

function pathAfter(line: string, prefix: string, message: string): Finding | undefined {
  if (!line.startsWith(prefix)) return undefined
  const path = line.slice(prefix.length).trim()
  return looksLikePath(path) ? { path, severity: 'error', message } : undefined
}

const FORMATS: readonly Format[] = [
  {
    tool: 'black',
    names: ['black', 'ruff format'],
    signature:
      /^(?:would reformat|Would reformat:|error: cannot format|reformatted) \S|^\d{1,7} files? (?:would be |already |left )?(?:reformatted|formatted|unchanged)\b|^All done! ✨/m,
    finding: (line) =>
      pathAfter(line, 'would reformat ', 'would reformat') ??
      pathAfter(line, 'Would reformat: ', 'would reformat') ??
      blackError(line),
    clean: /^\d{1,7} files? (?:already formatted|left unchanged|reformatted)\b|^All done! ✨/m,
  },
  {
    tool: 'isort',
    names: ['isort'],
    signature: /^ERROR: \S.{0,400} Imports are incorrectly sorted/m,
    finding: (line) => {
      const path = /^ERROR: (\S.{0,400}) Imports are incorrectly sorted/.exec(line)?.[1]
      return path === undefined
        ? undefined
        : { path, severity: 'error', message: 'imports are incorrectly sorted' }
    },
  },
  {
    tool: 'prettier',
    names: ['prettier'],
    signature:
      /^Checking formatting\.\.\.$|^\[(?:warn|error)\] \S.{0,300}\.\w{1,8}$|^All matched files use Prettier/m,
    finding: (line) => {
      const warned = pathAfter(line, '[warn] ', 'not formatted')
      if (warned !== undefined) return { ...warned, severity: 'warning' }
      const said = /^\[error\] (\S.{0,300}?): (SyntaxError: .{1,300}) \((\d{1,7}):(\d{1,6})\)$/.exec(line)
      if (said === null) return undefined
      return {
        path: said[1],
        line: Number(said[3]),
        column: Number(said[4]),
        severity: 'error',
        message: said[2] ?? '',
      }
    },
    clean: /^All matched files use Prettier/m,
  },
  {
    tool: 'rustfmt',
    names: ['cargo fmt', 'rustfmt'],
    signature: /^Diff in \S.{0,300}(?: at line |:)\d{1,7}:$/m,
    finding: (line) => {
      const place = /^Diff in (\S.{0,300}?)(?: at line |:)(\d{1,7}):$/.exec(line)
      return place === null
        ? undefined
        : { path: place[1], line: Number(place[2]), severity: 'error', message: 'not formatted' }
    },
  },
]

function blackError(line: string): Finding | undefined {
  const plain = /^error: cannot format (\S.{0,400}?): (.{1,300})$/.exec(line)
  if (plain !== null) return { path: plain[1], severity: 'error', message: plain[2] ?? '' }
  const placed = /^error:(\S.{0,400}?):(\d{1,7}):(\d{1,6}):(.{1,300})$/.exec(line)
  if (placed === null) return undefined
  const [, path, row, column, message] = placed
  return { path, line: Number(row), column: Number(column), severity: 'error', message: message ?? '' }
}

function readWith(format: Format, output: Output): Report | undefined {
  const findings = newFindings()
  for (const line of output.lines) {
    const finding = format.finding(line)
    if (finding !== undefined) addFinding(findings, finding)
  }
  if (findings.total === 0 && format.clean?.test(output.text) !== true) return undefined
  return reportOf(format.tool, 'format', { diagnostics: findings.total }, findings)
}

export const formatters: readonly Reader[] = FORMATS.map((format) => ({
  tool: format.tool,
  names: format.names,
  recognises: ({ text }) => format.signature.test(text),
  read: (output) => readWith(format, output),
}))
