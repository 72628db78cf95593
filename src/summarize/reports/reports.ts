import { type Program, plainWords } from '../../text/shell.ts'
import { readAnyRunner } from './any-runner.ts'
import { compilers } from './compilers.ts'
import { jsonReports } from './json-reports.ts'
import { junit } from './junit.ts'
import { linters, unknownTool } from './linters.ts'
import { type Output, outputOf, sampleOf } from './output.ts'
import type { Reader, Report, ReportHint } from './report.ts'
import { runners } from './runners.ts'

/**
 * Every reader, in the order in which they are asked. Test runners come first: what they run may print anything. A new
 * linter or compiler is a row of `linters.ts` or `compilers.ts`.
 */
const READERS: readonly Reader[] = [jsonReports, junit, ...runners, ...linters, ...compilers]

/** What a test runner, linter, compiler, type checker or formatter said; undefined when the text is no such output. */
export function readReport(text: string, hint: ReportHint = {}): Report | undefined {
  const output = outputOf(text)
  const names = new Set(hintNames(hint))
  const hinted =
    names.size === 0 ? [] : READERS.filter((reader) => reader.names.some((name) => names.has(name)))
  const sample = sampleOf(output)
  return (
    worst(hinted, output) ??
    worst(
      READERS.filter((reader) => reader.recognises(sample)),
      output,
    ) ??
    readAnyRunner(output) ??
    unknown(output, sample, names)
  )
}

function unknown(output: Output, sample: Output, names: ReadonlySet<string>): Report | undefined {
  const linter = [...names].find((name) => /lint|check|rubocop|standardrb/.test(name))
  if (linter === undefined && !unknownTool.recognises(sample)) return undefined
  const report = unknownTool.read(output)
  return report && { ...report, tool: linter ?? report.tool }
}

/** Several tools may have run in one command: the first with something wrong, else the first. */
function worst(readers: readonly Reader[], output: Output): Report | undefined {
  const reports = readers.flatMap((reader) => reader.read(output) ?? [])
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
