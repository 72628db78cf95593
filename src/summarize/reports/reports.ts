import { anyRunner } from './any-runner.ts'
import { compilers } from './compilers.ts'
import { hintNames } from './hint.ts'
import { jsonReports } from './json-reports.ts'
import { junit } from './junit.ts'
import { linters } from './linters.ts'
import { type Output, outputOf, sampleOf } from './output.ts'
import type { Reader, Report, ReportHint } from './report.ts'
import { runners } from './runners.ts'
import { unknownTool } from './unknown-tool.ts'

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
    anyRunner.read(output) ??
    unknown(output, sample, names)
  )
}

function unknown(output: Output, sample: Output, names: ReadonlySet<string>): Report | undefined {
  const linter = [...names].find((name) => /lint|check/.test(name))
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
