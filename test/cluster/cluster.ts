/**
 * Three PostgreSQL under Patroni with etcd, 32 agents that append to them, and what goes wrong on such machines: a leader is
 * killed, all are, the power goes, the network parts, a leader stands still. Prints what was lost, stored twice or damaged,
 * and for how long an agent waited at most. Ten minutes, as root on Linux:
 *
 *     npm run test:cluster
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { postgresStore } from '../../src/store/postgres/postgres.ts'
import { type Machine, makeMachines, makeNetwork, powerCut } from './machine.ts'
import { clusterPrograms } from './programs.ts'
import { compare, startWriters } from './writers.ts'

const AGENTS = 32
const KILLS = 6
/** What of it is to happen; everything unless given. */
const ONLY = new RegExp(process.env['TWOTRACK_ONLY'] ?? '')
const GAP_MS_MAX = 30_000
const AFTER_MS = 5_000
/** So long a network is parted, or a machine stands still: until another leads for long. */
const AWAY_MS = 40_000
const HEALTHY_MS_MAX = 180_000
/** Of each machine, where it does not become healthy. */
const LOG_LINES = 100
const CANARY = Buffer.alloc(1024 * 1024, 'not synced')

const [inside] = process.argv.slice(2)
if (inside === undefined) await outside()
else {
  // Who began this is gone.
  process.stdin.resume().once('end', () => process.exit(1))
  process.exitCode = (await tell(inside)) ? 0 : 1
  process.stdin.destroy()
}

/** In a network, and with processes and mounts, that nobody else has, and that end with this. */
async function outside(): Promise<void> {
  const programs = clusterPrograms()
  if (typeof programs === 'string') {
    console.error(`skipped: the cluster ${programs}`)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'tw-cluster-'))
  // Who runs PostgreSQL is not who began this.
  chmodSync(folder, 0o755)
  try {
    const spaces = ['--net', '--mount', '--pid', '--mount-proc', '--fork', '--kill-child']
    // A shell first: processes that lost their parents are its own, and it waits for all of them.
    const shell = ['sh', '-c', '"$@"; exit $?', 'sh']
    const args = [...spaces, ...shell, process.execPath, fileURLToPath(import.meta.url), folder]
    const child = spawn('unshare', args, { stdio: ['pipe', 'inherit', 'inherit'] })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill('SIGKILL'))
    process.exitCode = await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function tell(folder: string): Promise<boolean> {
  const programs = clusterPrograms()
  if (typeof programs === 'string') throw new Error(programs)
  makeNetwork()
  const machines = makeMachines(folder, programs, ['a', 'b', 'c'])
  for (const one of machines) one.start()
  await healthy(machines)
  const hosts = machines.map(({ address }) => address).join(',')
  const place = { url: `postgres://twotrack@${hosts}/postgres`, project: 'cluster' }
  const store = postgresStore(place)
  const agents = startWriters(store, AGENTS)
  await agents.written()
  let isGood = true
  console.log(
    'what happened                                          acknowledged   lost  twice  damaged  longest gap',
  )

  const happens = async (what: string, work: (leader: Machine) => Promise<void>, gapMax = GAP_MS_MAX) => {
    if (!ONLY.test(what)) return
    const leader = await healthy(machines)
    agents.measure()
    await work(leader)
    await agents.written()
    await sleep(AFTER_MS)
    const gap = agents.longestGap()
    await healthy(machines)
    const reader = postgresStore(place)
    const { acknowledged, lost, twice, damaged } = await compare(reader, agents)
    await reader.close()
    isGood &&= lost + twice + damaged === 0 && gap <= gapMax
    const columns = [acknowledged, lost, twice, damaged].map((count, n) =>
      String(count).padStart(n === 0 ? 14 : 7),
    )
    console.log(`${what.padEnd(53)}${columns.join('')}${(gap / 1000).toFixed(1).padStart(12)} s`)
  }

  for (let n = 1; n <= KILLS; n++)
    await happens(`the leader is killed (${n} of ${KILLS})`, async (leader) => {
      await leader.kill()
      await agents.written()
      await sleep(AFTER_MS)
      leader.start()
    })
  await happens('a standby is killed', async (leader) => {
    const standby = othersOf(leader)[0]
    await standby?.kill()
    await sleep(AFTER_MS)
    standby?.start()
  })
  await happens('the leader stands still, and goes on', async (leader) => {
    leader.pause(true)
    await sleep(AWAY_MS)
    leader.pause(false)
  })
  await happens('the leader is cut off from all', async (leader) => {
    leader.cutOff('all', true)
    await sleep(AWAY_MS)
    leader.cutOff('all', false)
  })
  await happens('the leader is cut off from the others, not from agents', async (leader) => {
    leader.cutOff(othersOf(leader), true)
    await sleep(AWAY_MS)
    leader.cutOff(othersOf(leader), false)
  })
  // Nobody leads until the old leader's time is over: that is as long as with one of them, and the time to start.
  await happens(
    'all are killed',
    async () => {
      await Promise.all(machines.map((one) => one.kill()))
      for (const one of machines) one.start()
    },
    2 * GAP_MS_MAX,
  )
  await happens(
    'the power of all goes',
    async () => {
      for (const { disk } of machines) writeFileSync(join(disk, 'canary'), CANARY)
      await powerCut(machines, folder)
      for (const one of machines) {
        const left = await readFile(join(one.disk, 'canary')).catch(() => Buffer.alloc(0))
        if (left.includes('not synced'))
          throw new Error('That was no power cut: what was not synced is there.')
        one.start()
      }
    },
    2 * GAP_MS_MAX,
  )
  await agents.stop()
  await store.close()
  for (const [said, times] of agents.errors)
    console.log(`${times} × an append failed and was looked after: ${said}`)
  await Promise.all(machines.map((one) => one.kill()))
  return isGood

  function othersOf(leader: Machine): Machine[] {
    return machines.filter((one) => one !== leader)
  }
}

/** Waits until all say that one leads and the other two have all that it acknowledged; gives who leads. */
async function healthy(machines: readonly Machine[]): Promise<Machine> {
  let seen: readonly Members[] = []
  for (const until = Date.now() + HEALTHY_MS_MAX; Date.now() < until; await sleep(200)) {
    // One that stood still, or was cut off, still says what it knew before.
    seen = await Promise.all(machines.map(membersOf))
    const leader = machines.find(({ name }) => seen.every((members) => members[name] === 'leader'))
    const isSynced = (members: Members) =>
      Object.values(members).filter((role) => role === 'sync_standby').length === machines.length - 1
    if (leader && seen.every(isSynced)) return leader
  }
  for (const { name, disk } of machines) {
    const lines = (await readFile(join(disk, 'patroni.log'), 'utf8')).split('\n').slice(-LOG_LINES)
    console.error(`${name}:\n${lines.join('\n')}`)
  }
  throw new Error(`The cluster did not become healthy: ${JSON.stringify(seen)}`)
}

/** The role of each machine. */
type Members = Readonly<Record<string, string>>

/** As one of them sees it. */
async function membersOf({ address }: Machine): Promise<Members> {
  try {
    const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(1_000) })
    const { members } = (await answer.json()) as {
      members: readonly { readonly name: string; readonly role: string }[]
    }
    return Object.fromEntries(members.map(({ name, role }) => [name, role]))
  } catch {
    return {}
  }
}
