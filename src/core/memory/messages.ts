import type { Event } from '../event/event.ts'
import { canonical, type Json } from '../event/json.ts'
import { assertStore } from '../store/given.ts'
import type { Store } from '../store/store.ts'
import { fieldOf } from './blobs.ts'

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls: { id: string; name: string; arguments: string }[] }
  | { role: 'tool'; tool_call_id: string; name: string; content: string }

const PRUNED = '[pruned from the log]'

/** The transcript of a log: what a runner without a packet would send. For debugging and comparison. */
export async function messagesOf(
  store: Store,
  agentId: string,
  range: { to?: number } = {},
): Promise<ChatMessage[]> {
  assertStore(store, agentId)
  const messages: ChatMessage[] = []
  for await (const event of store.read(agentId, range)) {
    const message = await messageOfEvent(store, event, messages.at(-1))
    if (message) messages.push(...message)
  }
  return messages
}

async function messageOfEvent(
  store: Store,
  event: Event,
  last: ChatMessage | undefined,
): Promise<ChatMessage[] | undefined> {
  switch (event.type) {
    case 'run_start':
      return [
        ...(event.data.instructions ? [{ role: 'system' as const, content: event.data.instructions }] : []),
        { role: 'user', content: event.data.goal },
      ]
    case 'model_response':
      return [{ role: 'assistant', content: asText(await fieldOf(store, event, 'text')), tool_calls: [] }]
    case 'tool_call': {
      const call = {
        id: event.data.call_id,
        name: event.data.tool,
        arguments: canonical(asJson(await fieldOf(store, event, 'args'))),
      }
      if (last?.role === 'assistant') {
        last.tool_calls.push(call)
        return undefined
      }
      return [{ role: 'assistant', content: '', tool_calls: [call] }]
    }
    case 'tool_result':
      return [
        {
          role: 'tool',
          tool_call_id: event.data.call_id,
          name: event.data.tool,
          content: event.raw
            ? withError(asText(await fieldOf(store, event, 'raw_output')), event.data.error)
            : PRUNED,
        },
      ]
    case 'agent_error':
      return event.data.code === 'no_call' ? [{ role: 'user', content: event.data.message }] : undefined
    case 'escalation': {
      const { answer = '' } = event.data
      return answer === '' ? undefined : [{ role: 'user', content: answer }]
    }
    case 'person_message':
      return [{ role: 'user', content: event.data.text }]
    case 'correction':
      return [{ role: 'user', content: event.data.note }]
    default:
      return undefined
  }
}

/** A result that is only an error has no output of its own to show. */
function withError(output: string, error: string | undefined): string {
  if (error === undefined || output.includes(error)) return output
  return output === '' || output === 'null' ? error : `${output}\n${error}`
}

const asJson = (value: Json | Uint8Array | undefined): Json =>
  value === undefined ? null : value instanceof Uint8Array ? `[${value.length} bytes]` : value

const asText = (value: Json | Uint8Array | undefined): string => {
  const json = asJson(value)
  return typeof json === 'string' ? json : json === null ? '' : canonical(json)
}
