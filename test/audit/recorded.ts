import { readFile, writeFile } from 'node:fs/promises'
import type { Verified } from '../../src/audit/verified.ts'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Draft, Event, EventFor } from '../../src/core/event/event.ts'
import { GENESIS } from '../../src/core/event/event.ts'
import { open, seal, toEvent } from '../../src/core/event/line.ts'
import type { Head, Store } from '../../src/core/store/store.ts'
import { Memory } from '../../src/memory.ts'
import { sha256 } from '../../src/sha256.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { layoutOf } from '../../src/store/jsonl/layout.ts'
import { sampleNonces } from '../../src/testing/sample-log.ts'
import { clock } from '../core/memory/clock.ts'
import { scratchFolder } from '../store/jsonl/scratch.ts'

export const AGENT = 'agent-1'
const TOOLS = [{ name: 'shell', description: 'Runs a command.', parameters: { type: 'object' } }]

/** A log of three turns with prompts and a large output; events 5, 10 and 15 are tool results. */
export async function recorded(): Promise<{ folder: string; head: Head }> {
  const folder = await scratchFolder()
  const store = jsonlStore({ folder })
  const memory = await Memory.open({ store, agentId: AGENT, goal: 'Fix it', tools: TOOLS, ...clock() })
  for (let turn = 1; turn <= 3; turn++) {
    await memory.startTurn()
    await memory.recordRequest(await memory.prompt(), 'test')
    const call = await memory.recordCall({ tool: 'shell', args: { command: `make step${turn}` } })
    await memory.recordResult({
      call: call as EventFor<'tool_call'>,
      returned: `step${turn} failed in src/file_${turn}.ts:${turn}`,
    })
    await memory.correct('user', 'go on', { update_knowledge: { [`step ${turn}`]: 'tried' } })
  }
  const call = await memory.recordCall({ tool: 'shell', args: {} })
  await memory.recordResult({
    call: call as EventFor<'tool_call'>,
    returned: 'a long line of output\n'.repeat(2_000),
  })
  const { head } = memory
  await memory.close()
  await store.close()
  return { folder, head }
}

/** Records that raw parts are removed. */
export async function buried(folder: string, ...raw: [number, number][]): Promise<void> {
  const store = jsonlStore({ folder })
  const memory = await Memory.open({ store, agentId: AGENT })
  await memory.record({
    type: 'redacted',
    data: { by: 'test', reason: 'old', pattern: 'all raw output', raw, marked: [] },
  })
  await memory.close()
  await store.close()
}

export async function verified(folder: string, known?: Head): Promise<Verified> {
  const store = jsonlStore({ folder })
  const result = await verifyLog(store, AGENT, known)
  await store.close()
  return result
}

export async function linesOf(folder: string): Promise<string[]> {
  const text = await readFile(layoutOf(folder).log(AGENT), 'utf8')
  return text.split('\n').slice(0, -1)
}

export async function rewrite(folder: string, change: (lines: string[]) => string[]): Promise<void> {
  const lines = change(await linesOf(folder))
  await writeFile(layoutOf(folder).log(AGENT), lines.map((line) => `${line}\n`).join(''))
}

/** What was recorded, to be sealed again. */
export function draftOf({ raw, ...event }: Event): Draft {
  return { ...event, ...(raw ? { raw } : {}) } as Draft
}

export const eventIn = (line: string): Event => toEvent(open(Buffer.from(line), sha256))

/** Seals all events anew as one valid chain: what someone would do who knows the format. */
export function rehashed(events: readonly Event[]): string[] {
  const lines: string[] = []
  let prev = GENESIS
  for (const [at, event] of events.entries()) {
    const sealed = seal(
      draftOf(event),
      { ...event, seq: at + 1, prev, nonces: sampleNonces(`${at}`) },
      sha256,
    )
    lines.push(sealed.line)
    prev = sealed.event.hash
  }
  return lines
}

/** Rewrites a log as one whose packets are shown in a view that is not known here. */
export async function inOtherView(store: Store, agent: string, path: string): Promise<void> {
  const events: Event[] = []
  for await (const event of store.read(agent)) events.push(event)
  const other = events.map((event) =>
    event.type === 'run_start'
      ? { ...event, data: { ...event.data, settings: { ...event.data.settings, view: 'desk-next' } } }
      : event,
  )
  await writeFile(path, `${rehashed(other).join('\n')}\n`)
}
