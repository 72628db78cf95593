/**
 * What the commands that look back cost over many logs: time, processor time and memory of each, in a process of its own.
 *
 *     node bench/audit.ts [--logs 10000] [--store jsonl|kv] [--folder DIR] [--only WORD]
 *
 * Records logs of five turns (a search, a file read, failing tests, an edit, tests that pass) into a folder, which is
 * removed afterwards unless it was given.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Draft, type Event, GENESIS } from '../src/core/event/event.ts'
import type { Json } from '../src/core/event/json.ts'
import { type Sealed, seal } from '../src/core/event/line.ts'
import { getBlob, type Store } from '../src/core/store/store.ts'
import { Memory } from '../src/memory.ts'
import { sha256 } from '../src/sha256.ts'
import { jsonlStore } from '../src/store/jsonl/jsonl.ts'
import { kvStore } from '../src/store/kv/kv.ts'
import { memoryStore } from '../src/store/memory.ts'
import { sampleNonces } from '../src/testing/sample-log.ts'

const { values } = parseArgs({
  options: {
    logs: { type: 'string', default: '10000' },
    store: { type: 'string', default: 'jsonl' },
    folder: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
/** A few are recorded like real runs; the others are sealed anew from these, as logs of other agents. */
const TEMPLATES = 100
/** One template in a hundred fails; one in ten names a person. */
const FAILED = 7
const PERSON = 'Ada Lovelace'

const COMMANDS: readonly string[] = [
  'runs',
  'verify',
  'why agent-77 /goal',
  'why agent-77 "assert total"',
  'blindspots agent-77',
  'blindspots --all --json',
  'whatif agent-77 --limit 600',
  'whatif --all --limit 600 --json',
  'whatif --all --summarizers built-in --json',
  'report',
  'report --json',
  'report --run run-7',
  `escalate agent-${FAILED}`,
  `escalate agent-${FAILED} --answer -`,
  `redact "${PERSON}"`,
  `redact "${PERSON}" --yes`,
  'compact --older-than 0d',
  'compact --older-than 0d --apply',
  'compact --archive-older-than 0d --apply',
  'report',
]

const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'twotrack-audit-')))
const file = join(folder, 'agent.db')
if (!existsSync(join(folder, 'traces')) && !existsSync(file)) await record(Number(values.logs))
console.log(
  `| ${Number(values.logs).toLocaleString('en-US')} logs (${values.store}) | seconds | of them processor | peak memory, MB |`,
)
console.log('| --- | --- | --- | --- |')
for (const command of COMMANDS) if (command.includes(values.only)) measure(command)
if (values.folder === undefined) await rm(folder, { recursive: true })

function measure(command: string): void {
  const usage =
    'const {maxRSS, userCPUTime, systemCPUTime} = process.resourceUsage();' +
    'process.stderr.write("\\nused " + JSON.stringify([maxRSS / 1e3, (userCPUTime + systemCPUTime) / 1e6]))'
  const atExit = `data:text/javascript,process.on("exit",()=>{${encodeURIComponent(usage)}})`
  const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
  const begun = performance.now()
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', atExit, MAIN, ...args, '--store', values.store, '--folder', folder],
    { encoding: 'utf8', maxBuffer: 2 ** 30, input: 'Read the file first.' },
  )
  const seconds = (performance.now() - begun) / 1000
  const [memory, processor] = JSON.parse(/\nused (.*)$/.exec(stderr)?.[1] ?? '[0, 0]') as [number, number]
  const wrong = status === 0 ? '' : ` (exit code ${status})`
  console.log(
    `| ${command}${wrong} | ${seconds.toFixed(1)} | ${processor.toFixed(1)} | ${Math.round(memory)} |`,
  )
}

async function record(logs: number): Promise<void> {
  const begun = performance.now()
  const durability = { interval_ms: 1000 }
  const store = values.store === 'kv' ? kvStore({ file, durability }) : jsonlStore({ folder, durability })
  const templates: Event[][] = []
  for (let at = 0; at < Math.min(TEMPLATES, logs); at++) templates.push(await recordOne(at, store))
  for (let at = 0; at < logs; at++) {
    const agent_id = `agent-${at}`
    const writer = await store.open(agent_id)
    await writer.append(sealedFor(agent_id, `run-${at % 100}`, templates[at % templates.length] ?? []), 0)
    await writer.close()
    if (at % 100 === 99) process.stderr.write(`\r${at + 1} of ${logs} logs recorded`)
  }
  await store.close()
  process.stderr.write(` in ${Math.round((performance.now() - begun) / 1000)} s\n`)
}

function sealedFor(agent_id: string, run_id: string, events: readonly Event[]): Sealed[] {
  const sealed: Sealed[] = []
  let prev = GENESIS
  for (const event of events) {
    const { raw, ...draft } = event
    const one = seal(
      { ...draft, ...(raw ? { raw } : {}) } as Draft,
      { ...event, agent_id, run_id, prev, nonces: sampleNonces(agent_id) },
      sha256,
    )
    sealed.push(one)
    prev = one.event.hash
  }
  return sealed
}

/** The events of one run; its blobs go where the logs will be. */
async function recordOne(at: number, to: Store): Promise<Event[]> {
  const path = `src/module_${at % 97}.py`
  const source = Array.from(
    { length: 40 },
    (_, line) => `    step_${line} = compute_${(at + line) % 31}(${line})`,
  )
  const failing = `FAILED tests/test_${at}.py::test_total\nE   assert total == ${at}\n${path}:${12 + (at % 20)}: AssertionError\n1 failed, 4 passed`
  const found = source.map((line, number) => `${path}:${number + 1}:${line}`).join('\n')
  const author = at % 10 === 0 ? `# by ${PERSON}\n` : ''
  const steps: readonly (readonly [string, Json, string])[] = [
    ['search', { query: `compute_${at % 31}` }, `${found}\n`.repeat(8)],
    ['read_file', { path }, `${author}def total():\n${source.join('\n')}\n`],
    ['shell', { command: 'pytest -q' }, failing],
    ['edit_file', { path, old_string: source[3] ?? '', new_string: '    step_3 = 0' }, 'Edited'],
    ['shell', { command: `pytest -q tests/test_${at}.py` }, '5 passed'],
  ]
  const store = memoryStore()
  const memory = await Memory.open({
    ...{ store, agentId: 'template', operation: 'fix', goal: `Make ${path} pass` },
    packetSizeLimit: 1500,
  })
  for (const [tool, args, output] of steps) {
    await memory.startTurn()
    await memory.recordRequest(await memory.prompt(), 'small')
    const usage = { prompt_tokens: 900, completion_tokens: 40 }
    await memory.record({
      type: 'model_response',
      data: { model: 'small', text: 'Next.', calls: [], usage, latency_ms: 800 },
    })
    const call = await memory.recordCall({ tool, args })
    await memory.recordResult({ call, returned: output, args, durationMs: 120 })
  }
  const reason = at === FAILED ? 'loop' : 'submitted'
  await memory.record({ type: 'run_end', data: { reason, summary: 'done' } })
  await memory.close()
  const events: Event[] = []
  for await (const event of store.read('template')) events.push(event)
  for (const { sha256: digest, media } of events.flatMap(({ raw }) => Object.values(raw?.blobs ?? {})))
    await to.putBlob(await getBlob(store, digest), media)
  return events
}
