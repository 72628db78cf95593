import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Agent } from '../../src/agent/agent.ts'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Event, EventFor, EventType } from '../../src/event/event.ts'
import { Memory } from '../../src/memory/memory.ts'
import type { MemoryOptions } from '../../src/memory/options.ts'
import type { Model } from '../../src/model/model.ts'
import { followRun } from '../../src/run/follow.ts'
import { loop } from '../../src/run/loop.ts'
import type { AgentRun, Stop } from '../../src/run/run.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/store.ts'
import { success } from '../../src/tool/result.ts'
import { declarationOf, defineTool, type Effect, type Tool } from '../../src/tool/tool.ts'
import { agentWith } from './agent-like.ts'

export const AGENT = 'agent-1'

/** A tool of each effect that counts how often it really ran, and says so. */
export function countingTools() {
  const ran = { look: 0, put: 0, send: 0 }
  const counting = (name: keyof typeof ran, effect: Effect): Tool =>
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

export interface Setup extends Partial<Omit<AgentRun, 'agent' | 'memory' | 'state' | 'store' | 'model'>> {
  readonly model: Model
  readonly agent?: Agent
  readonly tools?: readonly Tool[]
  readonly store?: Store
  readonly memory?: Partial<MemoryOptions>
  readonly signal?: AbortSignal
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
  const { store = memoryStore(), agent = agentWith(setup.tools ?? []), signal, memory: options } = setup
  const memory = await Memory.open({
    store,
    agent_id: AGENT,
    goal: 'Do the work.',
    instructions: 'Do what the goal says.',
    operation: 'tester',
    node: { id: 'src/app.py', type: 'file' },
    tools: agent.tools.map(declarationOf),
    ...options,
  })
  onTestFinished(() => memory.close())
  const waits: number[] = []
  const stop = await loop(
    {
      workspace: process.cwd(),
      context: 'packet',
      limits: { turns_max: 20 },
      wait: async (milliseconds) => void waits.push(milliseconds),
      random: () => 0.5,
      ...setup,
      agent,
      memory,
      state: await followRun(memory, store),
      store,
    },
    signal ?? new AbortController().signal,
  )
  await memory.close()
  const events = await eventsOf(store)
  const verified = await verifyLog(store, AGENT)
  expect(verified.findings).toEqual([])
  return { stop, store, events, waits, of: (type) => events.filter((event) => isOf(event, type)) as never }
}

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
