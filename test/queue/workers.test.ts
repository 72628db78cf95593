import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Event } from '../../src/core/event/event.ts'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { BUNDLE } from '../cli/bundle.ts'
import { environment, NODE_ARGS } from '../cli/run.ts'
import { postgresServer } from '../postgres-server.ts'

/**
 * Real workers, killed again and again. `npm run test:queue` has more of both; TWOTRACK_PROJECT names a folder with code
 * that somebody else wrote, for agents on real files.
 */
const AGENTS = Number(process.env['TWOTRACK_AGENTS'] ?? 60)
const WORKERS = Number(process.env['TWOTRACK_WORKERS'] ?? 3)
const KILL_AFTER_JOBS = 15
/** On a machine that does much else. */
const EACH_MS_MAX = 10_000
const GIVEN = process.env['TWOTRACK_PROJECT']

const server = await postgresServer()
const isThere = typeof server !== 'string'
if (!isThere) console.warn(`skipped: workers ${server}`)
afterAll(async () => {
  if (isThere) await server.dispose()
})

/** A machine of its own: a checkout, and what Twotrack keeps beside it. */
function checkout(files = AGENTS): string {
  const folder = mkdtempSync(join(tmpdir(), 'twotrack-workers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (GIVEN && files === AGENTS) cpSync(GIVEN, folder, { recursive: true })
  else
    for (let n = 0; n < files; n++) {
      const file = join(folder, `src/part${n % 7}/m${n}.py`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, `import os\nimport sys\n\n\ndef f${n}():\n    return sys.argv\n`)
    }
  mkdirSync(join(folder, '.git'), { recursive: true })
  return folder
}

/** Every process of a test, to see that none is left. */
const started: ChildProcess[] = []

function start(cwd: string, args: readonly string[]) {
  const more = ['--store', 'postgres', ...(args[0] === 'queue' ? [] : ['--trust'])]
  const child = spawn(process.execPath, [...NODE_ARGS, BUNDLE, ...args, ...more], {
    cwd,
    env: environment({
      TWOTRACK_RUNNER_MEMORY_URL: isThere ? server.url : '',
      TWOTRACK_RUNNER_MEMORY_PROJECT: 'shop',
      TWOTRACK_RUNNER_MEMORY_LEASE_MS: '1500',
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  )
  return { child, ended }
}

test.skipIf(!isThere)(
  `${AGENTS} agents of ${WORKERS} workers, of which one is killed again and again, each end once, with what they changed`,
  async () => {
    const { url } = server as { url: string }
    const submitted = checkout()
    const run = start(submitted, ['run', 'lint', '.', '--queue', '--json', '--fail-on', 'never'])
    const workers: ChildProcess[] = []
    /** When a worker was killed with these jobs, and when another took each of them. */
    const orphans = new Map<string, number>()
    const waits: number[] = []
    const at = new Map<ChildProcess, Set<string>>()
    let [ended, kills] = [0, 0]
    const begin = () => {
      const { child } = start(checkoutless(), ['worker', '--json', '--concurrency', '2'])
      workers.push(child)
      at.set(child, new Set())
      createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on('line', (line) => {
        const { what, agent_id } = JSON.parse(line) as { what: string; agent_id?: string }
        if (agent_id === undefined) return
        const since = orphans.get(agent_id)
        if (what === 'took' && since !== undefined) waits.push(Date.now() - since)
        if (what === 'took') orphans.delete(agent_id)
        if (what === 'took') at.get(child)?.add(agent_id)
        else at.get(child)?.delete(agent_id)
        if (what !== 'done' || ++ended % KILL_AFTER_JOBS !== 0 || ended > AGENTS - KILL_AFTER_JOBS) return
        const victim = workers.shift()
        victim?.kill('SIGKILL')
        for (const id of (victim && at.get(victim)) ?? []) orphans.set(id, Date.now())
        kills++
        begin()
      })
    }
    for (let n = 0; n < WORKERS; n++) begin()
    const { code, stdout, stderr } = await run.ended
    expect(stderr).not.toContain('twotrack:')
    expect(code).toBe(0)
    const done = JSON.parse(stdout) as { agent_id: string; standing: string; changes: unknown[] }[]
    if (!GIVEN) expect(done).toHaveLength(AGENTS)
    expect(kills).toBeGreaterThan(1)
    for (const worker of workers) worker.kill('SIGTERM')

    const store = postgresStore({ url, project: 'shop' })
    onTestFinished(() => store.close())
    let [events, bytes, taken] = [0, 0, 0]
    for (const { agent_id } of done.filter(({ standing }) => standing !== 'nothing_to_do')) {
      const log: Event[] = []
      for await (const event of store.read(agent_id)) log.push(event)
      const count = (type: Event['type']) => log.filter((event) => event.type === type).length
      expect({ agent_id, ends: count('run_end'), submits: count('submit_result') }).toEqual({
        ...{ agent_id, ends: 1, submits: 1 },
      })
      expect((await verifyLog(store, agent_id)).findings, agent_id).toEqual([])
      events += log.length
      bytes += JSON.stringify(log).length
      if (count('proposal') > 0) taken++
    }
    if (!GIVEN) expect(taken).toBe(AGENTS)

    // On another machine: what was proposed there is byte for byte what one machine alone would have made.
    const other = checkout()
    const accepted = await start(other, ['accept', '--all', '--json']).ended
    expect(accepted.stderr).toBe('')
    const alone = checkout()
    const local = (...args: string[]) =>
      execFileSync(process.execPath, [...NODE_ARGS, BUNDLE, ...args], { cwd: alone, env: environment() })
    local('run', 'lint', '.', '--trust', '--fail-on', 'never', '--json')
    local('accept', '--all', '--json')
    const differing = execFileSync('sh', [
      '-c',
      `diff -rq -x .agentfs -x .git "$1" "$2" || true`,
      'sh',
      other,
      alone,
    ])
    expect(differing.toString()).toBe('')
    if (!GIVEN) expect(readFileSync(join(other, 'src/part0/m0.py'), 'utf8')).not.toContain('import os')

    await Promise.all(
      started.map(
        (child) => child.exitCode ?? child.signalCode ?? new Promise((end) => child.once('exit', end)),
      ),
    )
    expect(started.filter(({ pid }) => pid !== undefined && existsSync(`/proc/${pid}`))).toEqual([])
    waits.sort((a, b) => a - b)
    if (process.env['TWOTRACK_AGENTS'])
      console.log({
        agents: done.length,
        kills,
        taken_over: waits.length,
        longest_wait_ms: waits.at(-1),
        events,
        bytes,
        proposing: taken,
      })
  },
  AGENTS * EACH_MS_MAX,
)

test.skipIf(!isThere)(
  'a run that no worker takes says what it waits for; one that is cancelled says so',
  async () => {
    const cwd = checkout(1)
    const run = start(cwd, ['run', 'lint', '.', '--queue', '--needs', 'a_gpu', '--json'])
    const waits = new Promise<string>((resolve) => {
      let told = ''
      run.child.stderr?.on('data', (text: string) => {
        told += text
        if (told.includes('No worker')) resolve(told)
      })
    })
    expect(await waits).toContain('model:first-candidate, a_gpu')
    expect((await start(cwd, ['queue', 'cancel', '--all']).ended).stdout).toContain('1 job cancelled')
    const { code, stdout } = await run.ended
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject([{ standing: 'cancelled' }])
  },
)

/** Where a worker starts: a folder without the project. */
function checkoutless(): string {
  const folder = mkdtempSync(join(tmpdir(), 'twotrack-worker-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, '.git'))
  return folder
}
