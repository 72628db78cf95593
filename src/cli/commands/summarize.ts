import { defined, type Json } from '../../event/json.ts'
import { registryOf } from '../../memory/registry.ts'
import { observe } from '../../summarize/observe.ts'
import type { Counts, Report } from '../../summarize/reports/report.ts'
import { readReport } from '../../summarize/reports/reports.ts'
import { type Summarized, summarize } from '../../summarize/summarize.ts'
import type { Observation } from '../../summarize/summarizer.ts'
import { within } from '../../summarize/within.ts'
import { wrapResult } from '../../tool/wrap.ts'
import { readInput } from '../input.ts'
import { paint, print, printJson, safe } from '../output.ts'

export interface SummarizeOptions {
  readonly tool?: string
  readonly command?: string
  readonly json?: boolean
}

/** What the packet would learn from one output, through the same summarizers as a run. */
export async function summarizeCommand(file: string, options: SummarizeOptions): Promise<number> {
  const seen = observation(await readInput(file), options)
  const summarized = summarize(seen, {}, registryOf(undefined, undefined))
  const report = reportOf(seen, options)
  if (options.json) printJson(asJson(summarized, report))
  else print(asText(summarized, report))
  return 0
}

/** A shell that ran the command, or the tool by its name; with neither, only the output itself can tell. */
function observation(text: string, { tool, command }: SummarizeOptions): Observation {
  const { output, outcome } = wrapResult(text)
  return observe({
    tool: tool ?? (command === undefined ? 'output' : 'shell'),
    args: command === undefined ? {} : { command },
    text,
    ...defined({ output, outcome }),
    turn: 1,
    packet: undefined,
  })
}

function reportOf(seen: Observation, { tool }: SummarizeOptions): Report | undefined {
  const { kind } = seen.call.intent
  if (kind !== 'run' && kind !== 'other') return undefined
  return readReport(within(seen.shown), defined({ tool, programs: seen.call.programs }))
}

const COUNTS = ['passed', 'failed', 'errors', 'skipped', 'warnings', 'diagnostics'] as const

function asJson({ delta, summarizer, outcome }: Summarized, report: Report | undefined): Json {
  const counts = report
    ? { counts: statedCounts(report.counts), report: `${report.tool} (${report.kind})` }
    : {}
  return {
    summary: delta.add_action?.[0]?.summary ?? '',
    outcome,
    summarizer,
    ...counts,
    knowledge: delta.update_knowledge ?? {},
    diagnostics: (delta.add_diagnostics ?? []).filter((line) => line !== null),
    failed_attempts: delta.add_failed_attempt ?? [],
    focus: delta.set_focus ?? null,
  }
}

/** In one order; a count that the output does not state is left out. */
const statedCounts = (counts: Counts): Record<string, number> =>
  Object.fromEntries(COUNTS.flatMap((name) => (counts[name] === undefined ? [] : [[name, counts[name]]])))

function asText({ delta, summarizer, outcome }: Summarized, report: Report | undefined): string {
  const lines = [safe(delta.add_action?.[0]?.summary ?? ''), paint('dim', `${outcome}, by ${summarizer}`)]
  if (report) {
    const stated = Object.entries(statedCounts(report.counts)).map(([name, value]) => `${value} ${name}`)
    lines.push(`${paint('bold', 'Counts')} (${safe(report.tool)}): ${stated.join(', ') || 'none stated'}`)
  }
  const problems = (delta.add_diagnostics ?? []).filter((line) => line !== null)
  if (problems.length > 0)
    lines.push(paint('bold', 'Open problems'), ...problems.map((line) => `- ${safe(line)}`))
  const learned = Object.entries(delta.update_knowledge ?? {})
  if (learned.length > 0) lines.push(paint('bold', 'Learned'))
  for (const [key, value] of learned) lines.push(`- ${safe(key)}: ${safe(JSON.stringify(value))}`)
  return lines.join('\n')
}
