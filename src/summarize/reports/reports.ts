import { anyLinter, isAnyLinter, readAnyRunner } from './any-tool.ts'
import { diagnostics } from './diagnostics.ts'
import { readJson, readJunit } from './documents.ts'
import { type Output, outputOf, sampleOf } from './output.ts'
import type { ToolReport } from './report.ts'
import { type ReportRow, readRow, recognises } from './row.ts'
import { crashes, testRuns } from './test-runs.ts'

/** In the order in which they are asked. Test runners come first: what they run may print anything. */
const ROWS: readonly ReportRow[] = [...testRuns, ...diagnostics]

/**
 * What a test runner, linter, compiler, type checker or formatter said, or a program that died; undefined when the text
 * is no such output. The text is as `readable` gives it, and says alone what it is: not the command.
 */
export function readReport(text: string): ToolReport | undefined {
  const output = outputOf(text)
  const sample = sampleOf(output)
  return (
    readJson(output) ??
    readJunit(output) ??
    worst(
      ROWS.filter((row) => recognises(row, sample)),
      output,
    ) ??
    readAnyRunner(output) ??
    (isAnyLinter(sample.lines) ? readRow(anyLinter, output) : undefined) ??
    worst(crashes, output)
  )
}

/** How a program died; undefined when it did not. */
export const readCrash = (text: string): ToolReport | undefined => worst(crashes, outputOf(text))

/** Several tools may have run in one command: the first with something wrong, else the first. */
function worst(rows: readonly ReportRow[], output: Output): ToolReport | undefined {
  const reports = rows.flatMap((row) => readRow(row, output) ?? [])
  return reports.find(hasTrouble) ?? reports[0]
}

function hasTrouble({ counts, kind }: ToolReport): boolean {
  const failures = (counts.failed ?? 0) + (counts.errors ?? 0)
  return failures > 0 || (kind !== 'tests' && (counts.diagnostics ?? 0) > 0)
}
