import { expect } from 'vitest'
import { z } from 'zod'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Event, EventFor, EventType } from '../../src/core/event/event.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { Model } from '../../src/model/model.ts'
import type { AgentOptions } from '../../src/run/agent-options.ts'
import { startAgent } from '../../src/run/start.ts'
import type { Stop } from '../../src/run/state.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { success } from '../../src/tool/result.ts'
import { defineTool, type Tool } from '../../src/tool/tool.ts'

export const AGENT = 'agent-1'

/** A tool of each effect that counts how often it really ran, and says so. */
export function countingTools() {
  const ran = { look: 0, put: 0, send: 0 }
  const counting = (name: keyof typeof ran, effect: Tool['effect']): Tool =>
    defineTool({
      name,
      description: `Counts as ${effect}.`,
      effect,
      input: z.strictObject({ what: z.string() }),
      run({ what }) {
        ran[name]++
        return success(`${name} ${what}`, `${name} ${what} done.`, { [`${name}_${what}`]: true })
      },
    })
  return { ran, tools: [counting('look', 'pure'), counting('put', 'idempotent'), counting('send', 'effect')] }
}

export interface Setup extends Omit<Partial<AgentOptions>, 'agent_id' | 'model'> {
  readonly model: Model
}

export interface Ran {
  readonly stop: Stop
  readonly store: Store
  readonly events: Event[]
  /** How long each retry would have waited. */
  readonly waits: number[]
  of<T extends EventType>(type: T): EventFor<T>[]
}

/** Runs or resumes the agent on its log, really, except that waiting takes no time. The log must verify. */
export async function run(setup: Setup): Promise<Ran> {
  const { store = memoryStore() } = setup
  const waits: number[] = []
  const { stop } = await startAgent({
    goal: 'Do the work.',
    instructions: 'Do what the goal says.',
    operation: 'tester',
    node: { id: 'src/app.py', type: 'file' },
    submit: resultSchema,
    limits: { turnsMax: 20 },
    wait: async (milliseconds) => void waits.push(milliseconds),
    random: () => 0.5,
    ...setup,
    agentId: AGENT,
    store,
  })
  const events = await eventsOf(store)
  const verified = await verifyLog(store, AGENT)
  expect(verified.findings).toEqual([])
  return { stop, store, events, waits, of: (type) => events.filter((event) => isOf(event, type)) as never }
}

/** What the agents of these tests hand in. */
export const resultSchema = z.strictObject({ summary: z.string(), count: z.int().optional() })

const isOf = (event: Event, type: EventType): boolean => event.type === type

export async function eventsOf(store: Store): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of store.read(AGENT)) events.push(event)
  return events
}

/** The same model, but its prompts are rendered in another format. */
export const inFormat = (model: Model, format: string): Model => ({ ...model, format })

/** The same model, counting how often it is asked. */
export function counted(model: Model): Model & { asked: number } {
  const counting = {
    ...model,
    asked: 0,
    answer: (...given: Parameters<Model['answer']>) => {
      counting.asked++
      return model.answer(...given)
    },
  }
  return counting
}

export const submits = { tool: 'submit_result', args: { summary: 'all done' } } as const
