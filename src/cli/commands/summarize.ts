import { defined } from '../../core/event/json.ts'
import { observe } from '../../summarize/observe.ts'
import { registryOf } from '../../summarize/registry.ts'
import type { Report } from '../../summarize/reports/report.ts'
import { readReport } from '../../summarize/reports/reports.ts'
import { summarize } from '../../summarize/summarize.ts'
import type { Observation } from '../../summarize/summarizer.ts'
import { within } from '../../summarize/within.ts'
import { wrapResult } from '../../tool/wrap.ts'
import type { CommandWords } from '../command.ts'
import { readInput } from '../input.ts'
import { type Found, paint, safe } from '../output.ts'

interface SummarizeOptions {
  readonly tool?: string
  readonly command?: string
}

const COUNTS = ['passed', 'failed', 'errors', 'skipped', 'warnings', 'diagnostics'] as const

/** What the packet would learn from one output, through the same summarizers as a run. */
async function summarizeCommand(file: string, options: SummarizeOptions): Promise<Found> {
  const seen = observation(await readInput(file), options)
  const { delta, summarizer, outcome } = summarize(seen, registryOf())
  const report = reportOf(seen, options)
  // In one order; a count that the output does not state is left out.
  const counts = Object.fromEntries(
    COUNTS.flatMap((name) => (report?.counts[name] === undefined ? [] : [[name, report.counts[name]]])),
  )
  const stated = Object.entries(counts).map(([name, value]) => `${value} ${name}`)
  const summary = delta.add_action?.[0]?.summary ?? ''
  const diagnostics = (delta.add_diagnostics ?? []).filter((line) => line !== null)
  const knowledge = delta.update_knowledge ?? {}
  const learned = Object.entries(knowledge)
  return {
    json: {
      ...{ summary, outcome, summarizer },
      ...(report ? { counts, report: `${report.tool} (${report.kind})` } : {}),
      ...{ knowledge, diagnostics },
      failed_attempts: delta.add_failed_attempt ?? [],
      focus: delta.set_focus ?? null,
    },
    lines: () => [
      safe(summary),
      paint('dim', `${outcome}, by ${summarizer}`),
      report && `${paint('bold', 'Counts')} (${safe(report.tool)}): ${stated.join(', ') || 'none stated'}`,
      diagnostics.length > 0 && paint('bold', 'Open problems'),
      ...diagnostics.map((line) => `- ${safe(line)}`),
      learned.length > 0 && paint('bold', 'Learned'),
      ...learned.map(([key, value]) => `- ${safe(key)}: ${safe(JSON.stringify(value))}`),
    ],
  }
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

export default {
  takes: '<file>',
  examples: [
    'summarize output.txt --command "pytest -q"',
    'summarize rows.json --tool query_database --json',
    'eslint src | twotrack summarize -   # recognised by itself',
  ],
  options: [
    ['--tool <name>', 'the tool that gave it'],
    ['--command <line>', 'the shell command that gave it'],
  ],
  call: summarizeCommand,
} satisfies CommandWords
