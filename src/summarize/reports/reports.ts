import { annotations } from './annotations.ts'
import { biome, oxlint } from './biome.ts'
import { msbuild, tsc, tslint } from './bracket-places.ts'
import { bun } from './bun.ts'
import { cargoTest } from './cargo-test.ts'
import { formatters } from './formatters.ts'
import { goLint } from './go-lint.ts'
import { goTest } from './go-test.ts'
import { grouped, pyright } from './grouped.ts'
import { hintNames } from './hint.ts'
import { jest } from './jest.ts'
import { jsonReports } from './json-reports.ts'
import { dotnetTest, gradle, maven } from './jvm.ts'
import { lineFormats } from './line-formats.ts'
import { mocha, playwright } from './mocha.ts'
import { type Output, outputOf, sampleOf } from './output.ts'
import { phpcs, phpstan, phpunit } from './php.ts'
import { placeLineReaders } from './place-lines.ts'
import { pytest } from './pytest.ts'
import { banditScreen, flake8, pydocstyle, pylint } from './python-lint.ts'
import type { Reader } from './reader.ts'
import type { Report, ReportHint } from './report.ts'
import { ruffFull, rustc } from './rustc.ts'
import { severityLines } from './severity-lines.ts'
import { tap } from './tap.ts'
import { testSummaries } from './test-summaries.ts'
import { unittest } from './unittest.ts'
import { unknownTool } from './unknown-tool.ts'
import { xmlReports } from './xml-reports.ts'

/**
 * Every reader, in the order in which they are asked. Test runners come first: what they run may print anything.
 * To add a tool, write a `Reader` in a file of its family and put it here.
 */
const READERS: readonly Reader[] = [
  ...jsonReports,
  ...xmlReports,
  pytest,
  unittest,
  goTest,
  cargoTest,
  bun,
  jest,
  mocha,
  playwright,
  tap,
  maven,
  gradle,
  dotnetTest,
  phpunit,
  ...testSummaries,
  annotations,
  biome,
  oxlint,
  tsc,
  msbuild,
  tslint,
  rustc,
  ruffFull,
  pyright,
  grouped,
  pydocstyle,
  banditScreen,
  pylint,
  flake8,
  phpstan,
  phpcs,
  ...lineFormats,
  ...placeLineReaders,
  ...formatters,
  goLint,
  severityLines,
]

/** What a test runner, linter, compiler, type checker or formatter said; undefined when the text is no such output. */
export function readReport(text: string, hint: ReportHint = {}): Report | undefined {
  return worst(readReports(text, hint))
}

/** All reports in one output, as when `npm test` runs several tools; the hinted ones first. */
export function readReports(text: string, hint: ReportHint = {}): readonly Report[] {
  const output = outputOf(text)
  const names = new Set(hintNames(hint))
  const hinted =
    names.size === 0 ? [] : READERS.filter((reader) => reader.names.some((name) => names.has(name)))
  const asked = reportsOf(hinted, output)
  if (asked.length > 0) return asked
  const sample = sampleOf(output)
  const recognised = reportsOf(
    READERS.filter((reader) => reader.recognises(sample)),
    output,
  )
  if (recognised.length > 0) return recognised
  const linter = [...names].find((name) => /lint|check/.test(name))
  if (linter === undefined && !unknownTool.recognises(sample)) return []
  return reportsOf([unknownTool], output).map((report) => ({ ...report, tool: linter ?? report.tool }))
}

function reportsOf(readers: readonly Reader[], output: Output): Report[] {
  return readers.flatMap((reader) => reader.read(output) ?? [])
}

/** The first with something wrong; else the first. */
function worst(reports: readonly Report[]): Report | undefined {
  return reports.find(hasTrouble) ?? reports[0]
}

function hasTrouble({ counts, kind }: Report): boolean {
  const failures = (counts.failed ?? 0) + (counts.errors ?? 0)
  return failures > 0 || (kind !== 'tests' && (counts.diagnostics ?? 0) > 0)
}
