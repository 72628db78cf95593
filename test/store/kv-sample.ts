import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { type BlobRef, type Draft, GENESIS, type Raw } from '../../src/core/event/event.ts'
import { type Sealed, seal } from '../../src/core/event/line.ts'
import type { Store } from '../../src/core/store/store.ts'
import { sha256 } from '../../src/sha256.ts'
import { kvStore } from '../../src/store/kv/kv.ts'
import { headOf, sampleLog, sampleNonces } from '../../src/testing/sample-log.ts'

/** A folder that vanishes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'twotrack-kv-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const call = (call_id: string, tool: string, args: Record<string, string>): Draft => ({
  type: 'tool_call',
  data: { call_id, tool, args, effect: 'pure' },
})

export const result = (
  call_id: string,
  tool: string,
  raw: Raw,
  data: Partial<Extract<Draft, { type: 'tool_result' }>['data']> = {},
): Draft => ({
  type: 'tool_result',
  data: {
    call_id,
    tool,
    outcome: 'success',
    summarizer: 'tool',
    output_sha256: GENESIS,
    output_bytes: 0,
    ...data,
  },
  raw,
})

/** Events of one agent from drafts, a second apart, two to a turn. */
export function sealed(agentId: string, drafts: readonly Draft[]): Sealed[] {
  const events: Sealed[] = []
  for (const draft of drafts) {
    const { seq, hash } = headOf(events)
    events.push(
      seal(
        draft,
        {
          id: `event-${seq + 1}`,
          run_id: 'run-1',
          agent_id: agentId,
          operation: 'lint',
          node_id: 'src/a.py:C.f',
          seq: seq + 1,
          turn: Math.ceil((seq + 1) / 2),
          timestamp: new Date(Date.parse('2026-01-01T00:00:00Z') + seq * 1000).toISOString(),
          prev: hash,
          nonces: sampleNonces(`${seq}`),
        },
        sha256,
      ),
    )
  }
  return events
}

export async function append(store: Store, agentId: string, events: readonly Sealed[]): Promise<void> {
  const writer = await store.open(agentId)
  await writer.append(events, 0)
  await writer.close()
}

/** Does to the file what no store would, behind its back. */
export function edit(file: string, sql: string, ...values: SQLInputValue[]): void {
  const database = new DatabaseSync(file)
  database.prepare(sql).run(...values)
  database.close()
}

export function rows(file: string, sql: string) {
  const database = new DatabaseSync(file)
  const all = database.prepare(sql).all()
  database.close()
  return all
}

/** Flips each bit of a column of one row in turn and calls `see`; restores it in the end. */
export async function eachFlip(
  file: string,
  [table, column, rowid]: readonly [table: string, column: string, rowid: number],
  see: (bit: number) => Promise<void>,
): Promise<void> {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA synchronous = OFF')
  const row = database
    .prepare(
      `SELECT CAST(${column} AS BLOB) AS bytes, typeof(${column}) AS type FROM ${table} WHERE rowid = ?`,
    )
    .get(rowid)
  const bytes = row?.['bytes']
  if (!(bytes instanceof Uint8Array)) throw new Error(`no bytes in ${table}.${column}`)
  const update = database.prepare(
    `UPDATE ${table} SET ${column} = CAST(? AS ${String(row?.['type'])}) WHERE rowid = ?`,
  )
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    update.run(flipped(bytes, bit), rowid)
    await see(bit)
  }
  update.run(bytes, rowid)
  database.close()
}

export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return changed
}

export async function using<T>(file: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = kvStore({ file })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

export const damageLog = sealed('a', [
  call('1', 'search', { query: 'f' }),
  result('1', 'search', { raw_output: 'src/a.py:1: def f()' }),
  call('2', 'read', { path: 'src/a.py' }),
  { type: 'correction', data: { by: 'test', note: 'é 🙂 \ufffd' } },
])
export const content = Buffer.from('raw output, '.repeat(50))

/** A file with two logs and a blob, all in order. */
export async function sampleFile(): Promise<{ file: string; blob: BlobRef }> {
  const file = join(temporaryFolder(), 'store.db')
  return using(file, async (store) => {
    await append(store, 'a', damageLog)
    await append(store, 'b', sampleLog('b', 3))
    const blob = await store.putBlob(content, 'text')
    return { file, blob }
  })
}
