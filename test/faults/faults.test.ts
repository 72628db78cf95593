/** Disks that fail, fill up, or are shared: nothing acknowledged is lost, nothing is there twice, every log opens again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/core/store/store.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../src/store/kv/kv.ts'
import { sampleLog } from '../../src/testing/sample-log.ts'
import { collect } from '../../src/testing/store-cases/case.ts'
import { contained } from '../../src/tool/command/contain.ts'
import { buildShim } from './shim.ts'

/** The full count is run with `npm run test:faults`. */
const FAULTS = Number(process.env['TWOTRACK_FAULTS'] ?? 60)
const RACES = Number(process.env['TWOTRACK_NAMESPACE_RACES'] ?? 2)
const SEED = Number(process.env['SEED'] ?? 20261116)
/** Events that a process tries to append, until it ends or fails for good. */
const EVENTS = FAULTS > 1_000 ? 3_000 : 200
const AGENT = 'agent-1'
const KINDS = ['jsonl', 'kv'] as const
type Kind = (typeof KINDS)[number]
/** One call in so many fails. SQLite makes more of them for an event. */
const RATES = { jsonl: ['8', '12', '20'], kv: ['30', '40', '60'] } as const

// On a memory disk where there is one: syncs of a real one would be most of the time.
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'twotrack-faults-'))
const built = mkdtempSync(join(tmpdir(), 'twotrack-shim-'))
const shim = buildShim(built)
afterAll(() => {
  for (const folder of [scratch, built]) rmSync(folder, { recursive: true, force: true })
})

let places = 0
function freshPlace(kind: Kind): { folder: string; place: string } {
  const folder = join(scratch, String(places++))
  mkdirSync(folder)
  return { folder, place: kind === 'kv' ? join(folder, 'store.db') : folder }
}

const openStore = (kind: Kind, place: string): Store =>
  kind === 'kv' ? kvStore({ file: place }) : jsonlStore({ folder: place })

function start(script: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return run([process.execPath, join(import.meta.dirname, script), ...args], env)
}

function run([program = '', ...args]: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
  })
}

async function linesOf(child: ChildProcess): Promise<string[]> {
  const chunks: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  const lines = Buffer.concat(chunks).toString().trim().split('\n')
  expect(lines.filter((line) => line.startsWith('unexpected'))).toEqual([])
  return lines
}

/** The acknowledged events of children's lines, each once, are in the log; and the log goes on. Gives their number. */
async function assertKept(kind: Kind, place: string, lines: readonly string[]): Promise<number> {
  const acknowledged = new Map<string, string>()
  for (const line of lines.filter((one) => /^\d/.test(one))) {
    const [seq = '', hash = ''] = line.split(' ')
    expect(acknowledged.has(seq), `event ${seq} twice`).toBe(false)
    acknowledged.set(seq, hash)
  }
  const store = openStore(kind, place)
  try {
    const writer = await store.open(AGENT)
    await writer.append(sampleLog(AGENT, 1, { after: writer.head }), writer.head.seq)
    const hashes = (await collect(store.readLines(AGENT))).map(({ hash }) => hash)
    for (const [seq, hash] of acknowledged) expect(hashes[Number(seq) - 1], `event ${seq}`).toBe(hash)
    expect(writer.head.seq).toBe(hashes.length)
    await writer.close()
    expect((await store.check()).filter(({ level }) => level === 'error')).toEqual([])
  } finally {
    await store.close()
  }
  return acknowledged.size
}

describe.skipIf(shim === undefined)('system calls that fail (needs a C compiler)', () => {
  const faulty = (folder: string, log: string, more: Record<string, string>) => ({
    LD_PRELOAD: shim ?? '',
    FAULT_FOLDER: folder,
    FAULT_LOG: log,
    ...more,
  })

  it.each(KINDS)(
    `%s keeps what it acknowledged (SEED=${SEED})`,
    { timeout: 600_000 + FAULTS * 1_000 },
    async (kind) => {
      const log = join(built, `faults-${kind}`)
      let [acknowledged, rounds] = [0, 0]
      const injected = () => (existsSync(log) ? statSync(log).size : 0)
      for (; injected() < FAULTS / KINDS.length; rounds++) {
        const { folder, place } = freshPlace(kind)
        const rate = RATES[kind][rounds % 3] ?? ''
        const env = faulty(folder, log, {
          FAULT_ONE_IN: rate,
          FAULT_SEED: String(SEED + rounds),
        })
        const lines = await linesOf(start('fault-child.ts', [kind, place, AGENT, String(EVENTS)], env))
        acknowledged += await assertKept(kind, place, lines)
        rmSync(folder, { recursive: true })
      }
      console.log(
        `${kind}: ${injected()} faults in ${rounds} processes, ${acknowledged} events acknowledged and kept`,
      )
      expect(acknowledged).toBeGreaterThan(0)
    },
  )

  it('kv keeps what is only in the log of SQLite, though its file of shared memory fails again and again', async () => {
    const { folder, place } = freshPlace('kv')
    const store = kvStore({ file: place })
    const writer = await store.open(AGENT)
    const events = sampleLog(AGENT, 20, { after: writer.head })
    await writer.append(events, 0)
    // As a process leaves them that is killed now.
    const left = freshPlace('kv')
    for (const end of ['', '-wal']) copyFileSync(place + end, left.place + end)
    await store.close()
    const env = faulty(left.folder, join(built, 'shared-memory'), {
      FAULT_ONE_IN: '2',
      FAULT_SEED: '1',
      FAULT_ENDS: '-shm',
    })
    await linesOf(start('fault-child.ts', ['kv', left.place, AGENT, '60'], env))
    await assertKept(
      'kv',
      left.place,
      events.map(({ event }) => `${event.seq} ${event.hash}`),
    )
    rmSync(folder, { recursive: true })
  })

  it.each([
    ['jsonl', 'alone'],
    ['kv', 'alone'],
    ['kv', 'beside a reader'],
  ] as const)(
    '%s, synced at intervals, tells of a sync that failed: at the next append and at close, %s',
    { timeout: 60_000 },
    async (kind, how) => {
      const { folder, place } = freshPlace(kind)
      await assertKept(kind, place, [])
      const env = faulty(folder, join(built, 'syncs'), {
        FAULT_ONE_IN: '1',
        FAULT_SEED: '1',
        FAULT_ONLY: 'sync',
        FAULT_WHEN: join(built, `when-${places}`),
      })
      const lines = await linesOf(start('interval-child.ts', [kind, place, AGENT, how], env))
      expect(lines).toEqual(['first: acknowledged', 'second: io', 'close: io'])
      await assertKept(kind, place, [])
    },
  )
})

describe.skipIf(contained(['true']).length === 1)('namespaces (needs leave to make some)', () => {
  it.each(KINDS)(
    '%s has one writer, though two are in process namespaces of their own',
    { timeout: 600_000 + RACES * 60_000 },
    async (kind) => {
      for (let race = 0; race < RACES; race++) {
        const { place } = freshPlace(kind)
        const command = [
          process.execPath,
          join(import.meta.dirname, 'fault-child.ts'),
          kind,
          place,
          AGENT,
          '60',
          '6',
        ]
        const both = await Promise.all([1, 2].map(() => linesOf(run(contained(command)))))
        await assertKept(kind, place, both.flat())
      }
    },
  )

  it.each(KINDS)(
    '%s on a disk that is full keeps what it acknowledged',
    { timeout: 600_000 },
    async (kind) => {
      const { folder } = freshPlace(kind)
      const small = join(folder, 'small')
      const after = join(folder, 'after')
      for (const each of [small, after]) mkdirSync(each)
      const place = (where: string) => (kind === 'kv' ? join(where, 'store.db') : where)
      const size = kind === 'kv' ? '700k' : '300k'
      const script = `mount -t tmpfs -o size=${size} none "$1" && shift && "$@"; cp -a "${small}/." "${after}"`
      const child = [
        process.execPath,
        join(import.meta.dirname, 'fault-child.ts'),
        kind,
        place(small),
        AGENT,
        '500',
      ]
      const lines = await linesOf(
        run(['unshare', '--map-root-user', '--mount', 'sh', '-c', script, 'sh', small, ...child]),
      )
      const acknowledged = await assertKept(kind, place(after), lines)
      expect(acknowledged).toBeGreaterThan(20)
      expect(acknowledged).toBeLessThan(480)
      // The error says what is on the disk.
      const told = lines.findIndex((line) => line.startsWith('kept '))
      expect(lines[told]).toBe(`kept ${lines[told - 1]?.split(' ')[0]}`)
    },
  )
})
