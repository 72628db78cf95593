import { defined } from '../core/event/json.ts'
import { observe } from '../summarize/observe.ts'
import { registryOf } from '../summarize/registry.ts'
import type { Report } from '../summarize/reports/report.ts'
import { readReport } from '../summarize/reports/reports.ts'
import { summarize } from '../summarize/summarize.ts'
import type { Observation } from '../summarize/summarizer.ts'
import { within } from '../summarize/within.ts'
import { wrapResult } from '../tool/wrap.ts'

/** Who gave an output; with neither, only the output itself can tell. */
export interface GivenBy {
  readonly tool?: string
  readonly command?: string
}

const COUNTS = ['passed', 'failed', 'errors', 'skipped', 'warnings', 'diagnostics'] as const

/** What the packet would learn from one output, through the same summarizers as a run. */
export function learnedFrom(text: string, by: GivenBy) {
  const seen = observation(text, by)
  const { delta, summarizer, outcome } = summarize(seen, registryOf())
  const report = reportIn(seen)
  // In one order; a count that the output does not state is left out.
  const counts = Object.fromEntries(
    COUNTS.flatMap((name) => (report?.counts[name] === undefined ? [] : [[name, report.counts[name]]])),
  )
  return {
    summary: delta.add_action?.[0]?.summary ?? '',
    ...{ outcome, summarizer },
    ...(report ? { counts, report: `${report.tool} (${report.kind})` } : {}),
    knowledge: delta.update_knowledge ?? {},
    diagnostics: (delta.add_diagnostics ?? []).filter((line) => line !== null),
    failed_attempts: delta.add_failed_attempt ?? [],
    focus: delta.set_focus ?? null,
  }
}

/** Of a shell that ran the command, or of the tool by its name. */
function observation(text: string, { tool, command }: GivenBy): Observation {
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

function reportIn(seen: Observation): Report | undefined {
  const { kind } = seen.call.intent
  if (kind !== 'run' && kind !== 'other') return undefined
  return readReport(within(seen.shown))
}
