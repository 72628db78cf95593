import { streamFrom } from '../../app/context.ts'
import { messagesOf, wholeEvent } from '../../app/events.ts'
import { agentsMeant, type WhichOptions } from '../../app/names.ts'
import { type CommandWords, LAST_RUN } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import type { Found } from '../output.ts'

interface ExportOptions extends CommonOptions, WhichOptions {
  readonly format: 'events' | 'messages'
}

/** Logs as JSON: events with their blobs put back, one a line, or the chat transcript. */
async function exportCommand(agents: readonly string[], options: ExportOptions): Promise<Found> {
  const each = streamFrom(options, async function* (store) {
    for (const agentId of await agentsMeant(store, agents, options))
      if (options.format === 'messages') yield line(await messagesOf(store, agentId))
      else for await (const event of store.read(agentId)) yield line(await wholeEvent(store, event))
  })
  return { each }
}

const line = (json: unknown) => ({ json, lines: () => [JSON.stringify(json)] })

export default {
  takes: '[agents...]',
  examples: ['export import-run > events.jsonl', 'export import-run --format messages > chat.json'],
  options: [
    LAST_RUN,
    [
      '--format <format>',
      'events with their blobs put back, or the chat transcript',
      ['events', 'messages'],
      'events',
    ],
  ],
  call: exportCommand,
} satisfies CommandWords
