/**
 * What the commands that look back cost over many logs: time and memory of each, in a process of its own.
 *
 *     node bench/audit-logs.ts [--logs 10000] [--folder DIR]
 *
 * Records logs of five turns (a search, a file read, failing tests, an edit, tests that pass) into a folder, which is
 * removed afterwards unless it was given.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { program } from '../src/cli/program.ts'
import { type Draft, type Event, type EventFor, GENESIS } from '../src/event/event.ts'
import type { Json } from '../src/event/json.ts'
import { type Sealed, seal } from '../src/event/line.ts'
import { Memory } from '../src/memory/memory.ts'
import { sha256 } from '../src/sha256.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'
import { memoryStore } from '../src/store/memory.ts'
import type { Store } from '../src/store/store.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    logs: { type: 'string', default: '10000' },
    folder: { type: 'string' },
    /** Runs the command that follows and reports its own memory; the bench starts itself so. */
    child: { type: 'boolean', default: false },
  },
})
const TEMPLATES = 100
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['why, one value of one log', ['why', 'agent-77', '/last_error']],
  ['why, a text of one log', ['why', 'agent-77', 'assert total']],
  ['blindspots of one log', ['blindspots', 'agent-77']],
  ['blindspots --all', ['blindspots', '--all', '--json']],
  ['whatif of one log', ['whatif', 'agent-77', '--limit', '600']],
  ['whatif --all --limit', ['whatif', '--all', '--limit', '600', '--json']],
  ['whatif --all --summarizers', ['whatif', '--all', '--summarizers', 'built-in', '--json']],
]

if (values.child) await runChild(positionals)
else await bench(Number(values.logs))

async function runChild(args: readonly string[]): Promise<void> {
  await program(() => {}).parseAsync(args, { from: 'user' })
  process.send?.({ memory: process.resourceUsage().maxRSS * 1024 })
  process.disconnect()
}

async function bench(logs: number): Promise<void> {
  const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'twotrack-audit-')))
  if (!existsSync(join(folder, 'traces'))) await record(folder, logs)
  console.log(
    `${logs.toLocaleString('en-US')} logs\n\n| command | seconds | peak memory, MB |\n| --- | --- | --- |`,
  )
  for (const [name, args] of COMMANDS) {
    const start = performance.now()
    const child = fork(import.meta.filename, ['--child', '--', ...args, '--folder', folder], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const [{ memory }] = (await once(child, 'message')) as [{ memory: number }]
    await once(child, 'exit')
    const seconds = (performance.now() - start) / 1000
    console.log(`| ${name} | ${seconds.toFixed(1)} | ${Math.round(memory / 1e6)} |`)
  }
  if (values.folder === undefined) await rm(folder, { recursive: true })
}

/** A few are recorded like real runs; the others are sealed anew from these, as logs of other agents. */
async function record(folder: string, logs: number): Promise<void> {
  const templates: Event[][] = []
  for (let at = 0; at < Math.min(TEMPLATES, logs); at++) {
    const store = memoryStore()
    await recordOne(store, at)
    const events: Event[] = []
    for await (const event of store.read(`agent-${at}`)) events.push(event)
    templates.push(events)
  }
  const store = jsonlStore({ folder, durability: { interval_ms: 1000 } })
  for (let at = 0; at < logs; at++) {
    if (at % 100 === 0) process.stderr.write(`\r${at} of ${logs} logs recorded`)
    const agent_id = `agent-${at}`
    const writer = await store.open(agent_id)
    await writer.append(sealedFor(agent_id, templates[at % templates.length] ?? []), 0)
    await writer.close()
  }
  await store.close()
  process.stderr.write('\n')
}

function sealedFor(agent_id: string, events: readonly Event[]): Sealed[] {
  const sealed: Sealed[] = []
  let prev = GENESIS
  for (const event of events) {
    const { raw, ...draft } = event
    const one = seal({ ...draft, ...(raw ? { raw } : {}) } as Draft, { ...event, agent_id, prev }, sha256)
    sealed.push(one)
    prev = one.event.hash
  }
  return sealed
}

async function recordOne(store: Store, at: number): Promise<void> {
  const file = `src/module_${at % 97}.py`
  const source = Array.from(
    { length: 40 },
    (_, line) => `    step_${line} = compute_${(at + line) % 31}(${line})`,
  )
  const failing = `FAILED tests/test_${at}.py::test_total\nE   assert total == ${at}\n${file}:${12 + (at % 20)}: AssertionError\n1 failed, 4 passed`
  const steps: readonly (readonly [string, Json, string])[] = [
    [
      'search',
      { query: `compute_${at % 31}` },
      source.map((line, number) => `${file}:${number + 1}:${line}`).join('\n'),
    ],
    ['read_file', { path: file }, `def total():\n${source.join('\n')}\n`],
    ['shell', { command: 'pytest -q' }, failing],
    ['edit_file', { path: file, old_string: source[3] ?? '', new_string: '    step_3 = 0' }, 'Edited'],
    ['shell', { command: `pytest -q tests/test_${at}.py` }, '5 passed'],
  ]
  const memory = await Memory.open({
    store,
    agent_id: `agent-${at}`,
    run_id: 'bench',
    operation: 'fix',
    goal: `Make ${file} pass`,
    packet_size_limit: 1500,
  })
  for (const [tool, args, output] of steps) {
    await memory.startTurn()
    const call = await memory.recordCall({ tool, args })
    await memory.recordResult(call as EventFor<'tool_call'>, output, args)
  }
  await memory.record({ type: 'run_end', data: { reason: 'submitted', summary: 'done' } })
  await memory.close()
}
