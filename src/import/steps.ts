import type { EventFor } from '../core/event/event.ts'
import { defined, type Json } from '../core/event/json.ts'
import { REMARKS_MAX } from '../limits.ts'
import type { Memory } from '../memory.ts'
import { cutMiddle } from '../text/cut.ts'
import { markStated } from '../tool/result.ts'
import type { ModelStep, ResultStep, Step } from './trajectory.ts'

const ERROR_CHARS_MAX = 600
const NOTE_CHARS_MAX = 64_000

/** What was recorded so far. */
export interface Recorded {
  readonly turns: number
  readonly calls: number
  readonly raw_bytes: number
  /** What could not be read, in the words of the source's reader. */
  readonly remarks: readonly string[]
}

/** The time that events get: that of the step they are made of. */
export interface StepClock {
  now(): Date
  at(time: string | undefined): void
}

export function stepClock(now: () => Date = () => new Date()): StepClock {
  let stated: Date | undefined
  return {
    now: () => stated ?? now(),
    at(time) {
      const date = time === undefined ? undefined : new Date(time)
      if (date && !Number.isNaN(date.getTime())) stated = date
    },
  }
}

interface OpenCall {
  readonly event: EventFor<'tool_call'>
  readonly args: Json
}

/**
 * Records steps as events of a memory, through the same summarizers as a live run. `beforeTurn` is called before each turn
 * but the first, and by `end`, with the memory as a model would find it when it chooses the next call.
 */
export function recordSteps(
  memory: Memory,
  clock: StepClock,
  beforeTurn: (turn: number) => void | Promise<void> = () => {},
) {
  const waiting = new Map<string, OpenCall[]>()
  const remarks: string[] = []
  const total = { turns: 0, calls: 0, raw_bytes: 0 }
  let begun: number | undefined
  let answer: string | undefined

  async function beginTurn(asked: number | undefined): Promise<void> {
    const turn = Math.max(asked ?? memory.turn + 1, memory.turn)
    if (turn === begun) return
    if (begun !== undefined) await beforeTurn(begun)
    await memory.record({ type: 'turn_start', data: {}, turn })
    begun = turn
    total.turns++
  }

  async function call(call_id: string | undefined, tool: string, args: Json): Promise<void> {
    const event = await memory.recordCall({ tool, args, ...defined({ callId: call_id }) })
    const id = call_id ?? event.data.call_id
    waiting.set(id, [...(waiting.get(id) ?? []), { event, args }])
    total.calls++
  }

  async function model(step: ModelStep): Promise<void> {
    if (begun === undefined || step.answer === undefined || step.answer !== answer) await beginTurn(step.turn)
    answer = step.answer
    const { text, model = 'imported', usage, latency_ms: latencyMs, finish, completion } = step
    if (text !== '' || completion !== undefined || usage || finish !== undefined)
      await memory.recordResponse({ model, text, ...defined({ usage, latencyMs, finish, completion }) })
    for (const { call_id, tool, args } of step.calls) await call(call_id, tool, args)
  }

  async function result(step: ResultStep): Promise<void> {
    const { tool = 'unknown', output, packed: log, duration_ms: durationMs } = step
    const id = step.call_id ?? oldestId()
    if (id === undefined || !waiting.has(id)) {
      await beginTurn(undefined)
      await call(id, tool, {})
    }
    const open = take(id ?? oldestId() ?? '')
    if (!open) return
    const { event, args } = open
    await memory.recordResult({
      ...{ call: event, args, returned: returnedBy(step) },
      ...defined({ log, durationMs }),
    })
    // A recording's `respond` speaks to a person, and its output is what that person answered.
    if (event.data.tool === 'respond' && typeof output === 'string' && output.trim() !== '')
      await memory.say(output.trim())
    total.raw_bytes += Buffer.byteLength(textOf(output))
  }

  const oldestId = (): string | undefined => waiting.keys().next().value

  function take(id: string): OpenCall | undefined {
    const [first, ...rest] = waiting.get(id) ?? []
    if (rest.length > 0) waiting.set(id, rest)
    else waiting.delete(id)
    return first
  }

  async function remark(where: string, text: string): Promise<void> {
    remarks.push(text)
    if (remarks.length <= REMARKS_MAX)
      await memory.record({ type: 'agent_error', data: { where, message: text } })
  }

  return {
    get recorded(): Recorded {
      return { ...total, remarks }
    },
    async record(step: Step): Promise<void> {
      clock.at(step.at)
      if (step.kind === 'person') await memory.say(step.text)
      else if (step.kind === 'model') await model(step)
      else if (step.kind === 'result') await result(step)
      else if (step.kind === 'note') await memory.suggest('harness', cutMiddle(step.text, NOTE_CHARS_MAX))
      else await remark(step.where, step.text)
    },
    /** The last turn is over. */
    async end(): Promise<void> {
      if (begun !== undefined) await beforeTurn(begun)
    },
  }
}

const textOf = (output: Json): string => (typeof output === 'string' ? output : JSON.stringify(output))

/** The output untouched; wrapped in the contract's shape when the source says that it is an error. */
function returnedBy({ is_error, output }: ResultStep): unknown {
  if (is_error !== true) return output
  const error = textOf(output).trim().split('\n', 1)[0]?.slice(0, ERROR_CHARS_MAX) || 'failed'
  return markStated({ result: output, outcome: 'error', error })
}
