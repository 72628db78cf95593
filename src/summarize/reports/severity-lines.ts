import { addFinding, type Findings, reportOf, severityOf } from './findings.ts'
import type { Output, PlaceLine } from './output.ts'
import { extensionOf } from './place.ts'
import { placeFindings, type Said, splitRule } from './place-lines.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/* `path:line:column: error: message [code]`: what gcc began and most compilers write. */

interface Compiler {
  readonly tool: string
  readonly kind: Report['kind']
}

/** The extension tells which compiler it was, unless the text names a tool. */
const COMPILERS = new Map<string, Compiler>([
  ...['py', 'pyi', 'ipynb'].map((ext): [string, Compiler] => [ext, { tool: 'mypy', kind: 'types' }]),
  ...['c', 'h', 'cc', 'cpp', 'cxx', 'hpp', 'hh', 'm', 'mm', 's', 'cu', 'ino', 'inc'].map(
    (ext): [string, Compiler] => [ext, { tool: 'gcc', kind: 'compile' }],
  ),
  ['scala', { tool: 'scalac', kind: 'compile' }],
  ['rs', { tool: 'rustc', kind: 'compile' }],
  ['java', { tool: 'javac', kind: 'compile' }],
  ['kt', { tool: 'kotlinc', kind: 'compile' }],
  ['kts', { tool: 'kotlinc', kind: 'compile' }],
  ['swift', { tool: 'swiftc', kind: 'compile' }],
  ['hs', { tool: 'ghc', kind: 'compile' }],
  ['sh', { tool: 'shellcheck', kind: 'lint' }],
  ['php', { tool: 'phpcs', kind: 'lint' }],
  ['bash', { tool: 'shellcheck', kind: 'lint' }],
])
const OTHER: Compiler = { tool: 'compiler', kind: 'compile' }

export const severityLines: Reader = {
  tool: 'compiler',
  names:
    'mypy, dmypy, gcc, g++, clang, clang++, cc, c++, scalac, sbt compile, javac, kotlinc, swiftc, swift build, ghc, stack build, cabal build, swiftlint, clang tidy'.split(
      ', ',
    ),
  recognises: (output) =>
    output.places().some((place) => !place.indented && said(place.rest, place) !== undefined) ||
    MYPY_FOUND.test(output.text) ||
    MYPY_CLEAN.test(output.text),
  read,
}

const MYPY_FOUND = /^Found (\d{1,6}) errors? in \d{1,6} files? \(/m
const MYPY_CLEAN = /^Success: no issues found in \d/m
const SAID =
  /^ ?(fatal error|error|warning|note|info|remark|hint|style)(?:\[([\w:-]{1,60})\])?(?:: | - )(.{1,1000})$/i

function said(rest: string, { column }: PlaceLine): Said | undefined {
  // Without a space or a column it is a search through a log.
  const match = rest[0] === ' ' || column !== undefined ? SAID.exec(rest) : null
  if (match === null) return undefined
  const { message, code } = splitRule(match[3] ?? '')
  return { severity: severityOf(match[1] ?? ''), code: match[2] ?? code, message }
}

function read(output: Output): Report | undefined {
  const { text } = output
  const findings = placeFindings(output, said)
  const found = MYPY_FOUND.exec(text)?.[1]
  const clean = MYPY_CLEAN.test(text)
  if (findings.total === 0 && found === undefined && !clean) return undefined
  if (found !== undefined || clean) {
    const errors = found === undefined ? 0 : Number(found)
    const diagnostics = Math.max(errors, findings.total)
    return reportOf('mypy', 'types', { errors, diagnostics }, findings)
  }
  addLinkErrors(output, findings)
  const { tool, kind } = compilerOf(output, findings)
  const { errors, warnings, total } = findings
  return reportOf(tool, kind, { errors, warnings, diagnostics: total }, findings)
}

function addLinkErrors(output: Output, findings: Findings): void {
  if (!output.text.includes('undefined reference to ')) return
  for (const line of output.lines) {
    const at = line.indexOf(': undefined reference to ')
    if (at !== -1) addFinding(findings, { severity: 'error', message: line.slice(at + 2) })
  }
}

function compilerOf({ text }: Output, findings: Findings): Compiler {
  const first = findings.kept[0]
  const known = COMPILERS.get(extensionOf(first?.path ?? '')) ?? OTHER
  if (/^SC\d{4}$/.test(first?.code ?? '')) return { tool: 'shellcheck', kind: 'lint' }
  if (known.tool === 'gcc' && text.includes('clang')) return { tool: 'clang', kind: 'compile' }
  if (known.tool === 'swiftc' && text.includes(' Violation: ')) return { tool: 'swiftlint', kind: 'lint' }
  if (known.tool === 'rustc' && text.includes('clippy')) return { tool: 'clippy', kind: 'compile' }
  return known
}
