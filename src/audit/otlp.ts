import type { Event, EventFor } from '../core/event/event.ts'
import { VERSION } from '../version.ts'

/** A span in the JSON form of OpenTelemetry's protocol; names are those of its conventions for generative AI. */
export interface TraceSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number; readonly message?: string }
}

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue: string } | { readonly intValue: string } | Strings
}
type Strings = { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } }

const INTERNAL = 1
const CLIENT = 3
const ERROR = 2
/** Ids are the beginning of the hash of the event that a span begins with: the same log gives the same spans. */
const TRACE_CHARS = 32
const SPAN_CHARS = 16

/** A span that has begun; times in milliseconds. */
interface Begun {
  readonly event: Event
  readonly name: string
  readonly kind: number
  readonly from: number
  readonly about: Record<string, About>
}
type About = string | number | readonly string[] | undefined

/** One log as spans: the agent, the answers of its model and its calls. What was cut short ends with the log. */
export async function spansOf(events: AsyncIterable<Event>): Promise<TraceSpan[]> {
  const spans: TraceSpan[] = []
  const calls = new Map<string, Begun>()
  let agent: Begun | undefined
  let chat: Begun | undefined
  let last = 0
  let failure: string | undefined
  const close = (begun: Begun, to: number, more: Record<string, About> = {}, error?: string): void => {
    spans.push(spanOf(begun, agent?.event ?? begun.event, to, more, error))
  }
  for await (const event of events) {
    const at = Date.parse(event.timestamp)
    last = Math.max(last, at)
    switch (event.type) {
      case 'run_start':
        agent = agentOf(event, at)
        break
      case 'model_request':
        if (chat) close(chat, at)
        chat = chatOf(event, event.data.model, at)
        break
      case 'model_response': {
        const { model, usage, finish, latency_ms = 0 } = event.data
        close(chat ?? chatOf(event, model, at - latency_ms), at, {
          'gen_ai.response.model': model,
          'gen_ai.response.finish_reasons': finish === undefined ? undefined : [finish],
          'gen_ai.usage.input_tokens': usage?.prompt_tokens,
          'gen_ai.usage.output_tokens': usage?.completion_tokens,
          ...redactedParts(event),
        })
        chat = undefined
        break
      }
      case 'agent_error':
        if (chat && event.data.where === 'model') {
          close(chat, at, { 'error.type': event.data.code ?? 'model_fault' }, event.data.message)
          chat = undefined
        }
        break
      case 'tool_call':
        calls.set(event.data.call_id, callOf(event, at))
        break
      case 'tool_result': {
        const { call_id, outcome, error } = event.data
        const call = calls.get(call_id)
        calls.delete(call_id)
        const told = redactedParts(event)
        if (call && outcome === 'error')
          close(call, at, { ...told, 'error.type': 'tool_error' }, error ?? 'failed')
        else if (call) close(call, at, told)
        break
      }
      case 'run_end':
        failure =
          event.data.reason === 'submitted' || event.data.reason === 'imported'
            ? undefined
            : event.data.reason
        break
      default:
    }
  }
  for (const cut of [...calls.values(), ...(chat ? [chat] : [])]) close(cut, last)
  if (!agent) return []
  const root = spanOf(agent, undefined, last, failure === undefined ? {} : { 'error.type': failure }, failure)
  return [root, ...spans]
}

function agentOf(event: EventFor<'run_start'>, from: number): Begun {
  const { agent_id, run_id, operation, node_id } = event
  return {
    event,
    ...{ name: `invoke_agent ${operation}`, kind: INTERNAL, from },
    about: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'twotrack',
      'gen_ai.agent.id': agent_id,
      'gen_ai.agent.name': operation,
      'gen_ai.conversation.id': agent_id,
      'twotrack.run_id': run_id,
      'twotrack.node_id': node_id,
    },
  }
}

const chatOf = (event: Event, model: string, from: number): Begun => ({
  event,
  ...{ name: `chat ${model}`, kind: CLIENT, from },
  about: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'unknown',
    'gen_ai.request.model': model,
    'gen_ai.conversation.id': event.agent_id,
  },
})

const callOf = (event: EventFor<'tool_call'>, from: number): Begun => ({
  event,
  ...{ name: `execute_tool ${event.data.tool}`, kind: INTERNAL, from },
  about: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': event.data.tool,
    'gen_ai.tool.call.id': event.data.call_id,
    'gen_ai.tool.type': 'function',
  },
})

function spanOf(
  { event, name, kind, from, about }: Begun,
  agent: Event | undefined,
  to: number,
  more: Record<string, About>,
  error: string | undefined,
): TraceSpan {
  const seq: Record<string, About> = {
    'twotrack.seq': event.seq,
    'twotrack.turn': event.turn,
    ...redactedParts(event),
  }
  return {
    traceId: (agent ?? event).hash.slice(0, TRACE_CHARS),
    spanId: event.hash.slice(0, SPAN_CHARS),
    ...(agent && agent !== event ? { parentSpanId: agent.hash.slice(0, SPAN_CHARS) } : {}),
    ...{ name, kind },
    startTimeUnixNano: nanos(from),
    endTimeUnixNano: nanos(Math.max(from, to)),
    attributes: Object.entries({ ...about, ...seq, ...more }).flatMap(([key, value]) =>
      attribute(key, value),
    ),
    status: error === undefined ? {} : { code: ERROR, message: error },
  }
}

/** That texts of an event were taken out, and of which part of it. */
const redactedParts = ({ redacted }: Event): Record<string, About> =>
  redacted ? { 'twotrack.redacted': redacted } : {}

const nanos = (ms: number): string => (BigInt(Math.round(ms)) * 1_000_000n).toString()

function attribute(key: string, value: About): Attribute[] {
  if (value === undefined) return []
  if (typeof value === 'string') return [{ key, value: { stringValue: value } }]
  if (typeof value === 'number') return [{ key, value: { intValue: String(value) } }]
  return [{ key, value: { arrayValue: { values: value.map((one) => ({ stringValue: one })) } } }]
}

/** A request of the protocol (`ExportTraceServiceRequest`) with these spans. */
export const traceRequest = (spans: readonly TraceSpan[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: attribute('service.name', 'twotrack') },
      scopeSpans: [{ scope: { name: 'twotrack', version: VERSION }, spans }],
    },
  ],
})
