import { streamFrom } from '../../app/context.ts'
import { messagesOf, redactedEvents, wholeEvent } from '../../app/events.ts'
import { agentsMeant, type WhichOptions } from '../../app/names.ts'
import { sendTrace, traceRequestsOf } from '../../app/otlp.ts'
import { redactedNote } from '../../app/replay.ts'
import { type TrainingCount, type TrainingFormat, trainingRows } from '../../app/training.ts'
import { visibleJson } from '../../audit/visible.ts'
import { TwotrackError } from '../../errors.ts'
import { type CommandWords, LAST_RUN, OF_ALL, OF_RUN } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, safe } from '../output.ts'

interface ExportOptions extends CommonOptions, WhichOptions {
  readonly format: 'events' | 'messages' | 'otlp' | TrainingFormat
  readonly to?: string
}

/** Logs as JSON: events with their blobs put back, one a line, the chat transcript, or spans for OpenTelemetry. */
async function exportCommand(agents: readonly string[], options: ExportOptions): Promise<Found> {
  const { to, format } = options
  if (to !== undefined && format !== 'otlp')
    throw new TwotrackError('bad_argument', 'Only spans are sent: --format otlp --to URL.')
  const seen = new Set<string>()
  const count: TrainingCount = { kept: 0, left_out: {} }
  const each = streamFrom(options, async function* (store) {
    for (const agentId of await agentsMeant(store, agents, options))
      if (format === 'messages') {
        yield line(await messagesOf(store, agentId))
        // A model server knows no such field, so that it is said beside the messages.
        const note = redactedNote(await redactedEvents(store, agentId))
        if (note !== undefined) process.stderr.write(`${safe(agentId)}: ${note}\n`)
      } else if (format === 'otlp')
        for await (const request of traceRequestsOf(store, agentId)) {
          if (to === undefined) yield line(request)
          else await sendTrace(request, to)
        }
      else if (format === 'functiongemma-sft' || format === 'openai-sft')
        for await (const row of trainingRows(store, agentId, format, seen, count)) yield line(row)
      else for await (const event of store.read(agentId)) yield line(await wholeEvent(store, event))
    // Beside the rows, which a trainer reads as they are.
    if (format.endsWith('-sft')) process.stderr.write(`${countText(count)}\n`)
  })
  return { each }
}

const countText = ({ kept, left_out }: TrainingCount): string =>
  [
    `${kept} turns kept: those whose calls all succeeded`,
    ...(kept + Object.keys(left_out).length === 0
      ? ['No prompt is recorded here: recordings of other harnesses have none.']
      : []),
    ...Object.entries(left_out).map(([why, turns]) => `${turns} left out: ${why}`),
  ].join('\n')

const line = (json: unknown) => ({ json, lines: () => [visibleJson(json)] })

export default {
  takes: '[agents...]',
  examples: [
    'export import-run > events.jsonl',
    'export import-run --format messages > chat.json',
    'export --last --format functiongemma-sft > rows.jsonl',
    'export --last --format otlp --to http://127.0.0.1:4318/v1/traces',
    'export --all',
  ],
  options: [
    ...[LAST_RUN, OF_RUN, OF_ALL],
    [
      '--format <format>',
      'events with their blobs put back, the chat transcript, spans for OpenTelemetry, or rows to train a model',
      ['events', 'messages', 'otlp', 'functiongemma-sft', 'openai-sft'],
      'events',
    ],
    ['--to <url>', 'send spans there instead of printing them, such as http://127.0.0.1:4318/v1/traces'],
  ],
  call: exportCommand,
} satisfies CommandWords
