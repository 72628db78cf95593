import { type Program, plainWords, type ShellCommand } from '../../text/shell.ts'
import { readAnyLinter, readAnyRunner } from './any-tool.ts'
import { diagnostics } from './diagnostics.ts'
import { readJson, readJunit } from './documents.ts'
import { type Output, outputOf, sampleOf } from './output.ts'
import type { Report } from './report.ts'
import { type Row, readRow, recognises } from './row.ts'
import { crashes, testRuns } from './test-runs.ts'

/** What may be known about where a text came from. */
export interface ReportHint {
  readonly tool?: string
  /** What ran, as a shell command was read. */
  readonly programs?: ShellCommand
}

/** In the order in which they are asked. Test runners come first: what they run may print anything. */
const ROWS: readonly Row[] = [...testRuns, ...diagnostics]

/**
 * What a test runner, linter, compiler, type checker or formatter said, or a program that died; undefined when the text
 * is no such output. The text is as `readable` gives it.
 */
export function readReport(text: string, hint: ReportHint = {}): Report | undefined {
  const output = outputOf(text)
  const sample = sampleOf(output)
  const names = new Set(hintNames(hint))
  const hinted = ROWS.filter((row) => row.names?.split(', ').some((name) => names.has(name)))
  return (
    worst(hinted, output) ??
    readJson(output) ??
    readJunit(output) ??
    worst(
      ROWS.filter((row) => recognises(row, sample)),
      output,
    ) ??
    readAnyRunner(output) ??
    readAnyLinter(output, sample, names) ??
    worst(crashes, output)
  )
}

/** How a program died; undefined when it did not. */
export const readCrash = (text: string): Report | undefined => worst(crashes, outputOf(text))

/** Several tools may have run in one command: the first with something wrong, else the first. */
function worst(rows: readonly Row[], output: Output): Report | undefined {
  const reports = rows.flatMap((row) => readRow(row, output) ?? [])
  return reports.find(hasTrouble) ?? reports[0]
}

function hasTrouble({ counts, kind }: Report): boolean {
  const failures = (counts.failed ?? 0) + (counts.errors ?? 0)
  return failures > 0 || (kind !== 'tests' && (counts.diagnostics ?? 0) > 0)
}

/** Programs that run what their next word names: `yarn eslint`, `npm run lint`, `npm test`. */
const WRAPPERS = new Set(
  'npm pnpm yarn bun uv poetry pipenv run xvfb-run nice dotenv cross-env tool'.split(' '),
)
const PROGRAMS_MAX = 50

/**
 * Names that a hint gives, most specific first: `go test`, then `go`.
 * @internal
 */
export function hintNames({ tool, programs = [] }: ReportHint): readonly string[] {
  return [
    ...(tool === undefined ? [] : [normalName(tool)]),
    ...programs.slice(0, PROGRAMS_MAX).flat().flatMap(namesOf),
  ]
}

/** `bun-test`, `Bun_Test` and `bun test` are one name. */
export const normalName = (name: string): string =>
  name.trim().toLowerCase().replaceAll('-', ' ').replaceAll('_', ' ')

function namesOf({ name, args }: Program): string[] {
  const words = [name, ...plainWords(args).slice(0, 3)]
  // `bun test` is a runner of its own; `bun run test` is whatever the script says.
  while (words.length > 1 && WRAPPERS.has(words[0] ?? '') && !(words[0] === 'bun' && words[1] === 'test'))
    words.shift()
  const [program = '', argument] = words
  return [...(argument === undefined ? [] : [normalName(`${program} ${argument}`)]), normalName(program)]
}
