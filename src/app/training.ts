import type { EventFor } from '../core/event/event.ts'
import { isObject, tryParse } from '../core/event/json.ts'
import { redactedIn } from '../core/event/redacted.ts'
import { fieldOf } from '../core/memory/blobs.ts'
import type { Store } from '../core/store/store.ts'
import { sha256 } from '../sha256.ts'

export type TrainingFormat = 'functiongemma-sft' | 'openai-sft'

/** The prompt that a model was served and what it answered, byte for byte as they were recorded. */
export interface TrainingRow {
  readonly agent_id: string
  readonly run_id: string
  readonly turn: number
  /** All turns of a run are in the same part, so that what is tested was not trained on. */
  readonly split: 'train' | 'test'
  /** Text and text, or the body of messages and tools and the body that answered it. */
  readonly prompt: unknown
  readonly completion: unknown
}

/** How many turns went into rows, and why the others did not. */
export interface TrainingCount {
  kept: number
  readonly left_out: Record<string, number>
}

const TEST_PERCENT = 10
/** The formats of prompts (model/formats.ts) that a row is made of. */
const SERVED: Readonly<Record<TrainingFormat, RegExp>> = {
  'functiongemma-sft': /^functiongemma\//,
  'openai-sft': /^chat\//,
}

/** One turn: the request, its answer, and what came of its calls. */
interface Turn {
  readonly request: EventFor<'model_request'>
  readonly response?: EventFor<'model_response'>
  readonly calls: number
  readonly results: number
  readonly failed: string | undefined
}

/** The turns of a log that went well, each as a row; `seen` and `count` go through all logs. */
export async function* trainingRows(
  store: Store,
  agentId: string,
  format: TrainingFormat,
  seen: Set<string>,
  count: TrainingCount,
): AsyncGenerator<TrainingRow> {
  for await (const turn of turnsOf(store, agentId)) {
    const { request, response } = turn
    const why = faultIn(turn, format)
    const [prompt, completion] = await Promise.all([
      textOf(store, request, 'prompt'),
      response ? textOf(store, response, 'completion') : undefined,
    ])
    const reason =
      why ??
      (prompt === undefined || completion === undefined
        ? 'the bytes were not recorded or are pruned'
        : undefined)
    const key = sha256(`${prompt}\n${completion}`)
    const left = reason ?? (seen.has(key) ? 'the same as another' : undefined)
    seen.add(key)
    if (left !== undefined) {
      count.left_out[left] = (count.left_out[left] ?? 0) + 1
      continue
    }
    count.kept++
    const asJson = format === 'openai-sft'
    yield {
      agent_id: agentId,
      run_id: request.run_id,
      turn: request.turn,
      split: Number.parseInt(sha256(request.run_id).slice(0, 8), 16) % 100 < TEST_PERCENT ? 'test' : 'train',
      prompt: asJson ? tryParse(prompt ?? '') : prompt,
      completion: asJson ? tryParse(completion ?? '') : completion,
    }
  }
}

function faultIn(
  { request, response, calls, results, failed }: Turn,
  format: TrainingFormat,
): string | undefined {
  if (request.data.purpose !== 'turn') return 'a larger model was asked'
  if (!SERVED[format].test(request.data.format)) return `served as ${request.data.format}`
  if (!response) return 'no answer'
  if (redactedIn([request, response]).length > 0) return 'redacted'
  if (calls === 0) return 'no call'
  if (failed !== undefined) return failed
  return results < calls ? 'a call without a result' : undefined
}

/** Requests with what followed each up to the next. */
async function* turnsOf(store: Store, agentId: string): AsyncGenerator<Turn> {
  let turn: Turn | undefined
  for await (const event of store.read(agentId)) {
    if (event.type === 'model_request') {
      if (turn) yield turn
      turn = { request: event, calls: 0, results: 0, failed: undefined }
    } else if (turn && event.type === 'model_response') turn = { ...turn, response: event }
    else if (turn && event.type === 'tool_call') turn = { ...turn, calls: turn.calls + 1 }
    else if (turn && event.type === 'tool_result') {
      const failed = event.data.outcome === 'error' ? 'a call failed' : undefined
      turn = { ...turn, results: turn.results + 1, failed: turn.failed ?? failed }
    } else if (turn && event.type === 'agent_error')
      turn = { ...turn, failed: turn.failed ?? 'an error of the agent' }
  }
  if (turn) yield turn
}

async function textOf(
  store: Store,
  event: EventFor<'model_request'> | EventFor<'model_response'>,
  field: string,
): Promise<string | undefined> {
  if (!isObject(event.raw)) return undefined
  const value = await fieldOf(store, event, field)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  return typeof value === 'string' ? value : undefined
}
