import type { Event } from '../../event/event.ts'
import { fieldOf } from '../../memory/blobs.ts'
import { messagesOf } from '../../memory/messages.ts'
import type { Store } from '../../store/store.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { agentsMeant, type WhichOptions } from '../names.ts'
import { print, printJson } from '../output.ts'

export interface ExportOptions extends CommonOptions, WhichOptions {
  readonly format: 'events' | 'messages'
}

/** Writes logs to standard output: events with their blobs put back, one a line, or the chat transcript. */
export async function exportCommand(agents: readonly string[], options: ExportOptions): Promise<number> {
  return withStore(options, async (store) => {
    for (const agentId of await agentsMeant(store, agents, options)) {
      if (options.format === 'messages') printJson(await messagesOf(store, agentId))
      else for await (const event of store.read(agentId)) print(JSON.stringify(await whole(store, event)))
    }
    return 0
  })
}

async function whole(store: Store, event: Event): Promise<unknown> {
  const fields = await Promise.all(
    Object.keys(event.raw?.blobs ?? {}).map(async (field) => {
      const value = await fieldOf(store, event, field)
      return [field, value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value]
    }),
  )
  const { blobs: _, ...inline } = event.raw ?? {}
  return { ...event, ...(event.raw ? { raw: { ...inline, ...Object.fromEntries(fields) } } : {}) }
}
