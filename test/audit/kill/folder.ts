import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { compact } from '../../../src/audit/compact/compact.ts'
import { redactStore } from '../../../src/audit/redact/redact.ts'
import { redactText } from '../../../src/audit/redact/texts.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { filesBelow } from '../../../src/files/disk.ts'
import { Memory } from '../../../src/memory.ts'
import { answerEscalation } from '../../../src/run/answer.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../../src/store/kv/kv.ts'
import { clock } from '../../core/memory/clock.ts'

export const storeIn = (kind: string, folder: string): Store =>
  kind === 'kv' ? kvStore({ file: `${folder}/agent.db` }) : jsonlStore({ folder })

export const GOES = 'needle-that-has-to-go'
export const STAYS = 'needle-that-has-to-stay'
/** Large enough for a blob, and so even that a page of a database holds all of it compressed. */
const filler = 'nothing to see here\n'.repeat(4_000)
export const outputWith = (needle: string): string => `${filler}${needle}\n${filler}`
export const SHARED = `${outputWith(STAYS)} shared`

/**
 * Three agents: one that is done, one that failed, one that has not ended. The first two share a blob. What has to go is
 * in raw parts alone: what a model's server sent is in no summary, packet or prompt.
 */
export async function prepare(store: Store): Promise<void> {
  await agent(store, 'done', [outputWith(GOES), SHARED], 'submitted')
  await agent(store, 'failed', [outputWith(`${STAYS} of the failed`), SHARED], 'loop')
  await agent(store, 'open', [outputWith(`${STAYS} of the open`)], undefined)
}

async function agent(
  store: Store,
  agent_id: string,
  outputs: readonly string[],
  end: 'submitted' | 'loop' | undefined,
): Promise<void> {
  const memory = await Memory.open({ store, agentId: agent_id, goal: `Be ${agent_id}.`, ...clock() })
  for (const output of outputs) {
    await memory.startTurn()
    await memory.recordRequest(await memory.prompt(), 'test')
    const call = await memory.recordCall({ tool: 'shell', args: { n: 1 } })
    await memory.record({
      type: 'model_response',
      data: { model: 'test', text: '' },
      raw: { completion: output },
    })
    await memory.recordResult({
      call,
      returned: 'ok',
      log: `${agent_id === 'done' ? GOES : STAYS} in the log`,
    })
  }
  if (end) await memory.record({ type: 'run_end', data: { reason: end, summary: '' } })
  await memory.close()
}

/** What earlier work that broke off left of it: a torn end, a log that was being compressed, a blob, a workspace. */
export function addRemains(kind: string, folder: string): void {
  write(folder, 'workspaces/lost~making/file.txt', GOES)
  if (kind === 'kv') return
  const packed = zstdCompressSync(GOES)
  write(folder, 'traces/done.jsonl.torn-8192', `{"header":{"v":1 ${GOES}`)
  write(folder, 'traces/done.jsonl.zst.0123456789ab.tmp', Buffer.concat([Buffer.alloc(32), packed]))
  write(folder, 'blobs/new.0123456789ab.tmp', Buffer.concat([Buffer.alloc(32), packed]))
}

/** For a person's data: an agent that was asked for it and saw it everywhere, compressed, and further files that hold it. */
export async function addPerson(store: Store, folder: string): Promise<void> {
  const what = `${GOES} and ${STAYS}`
  const memory = await Memory.open({ store, agentId: 'person', goal: `Write to ${what}.`, ...clock() })
  for (const text of [what, `${what}\n`.repeat(2_000)]) {
    await memory.startTurn()
    await memory.recordRequest(await memory.prompt(), 'test')
    const call = await memory.recordCall({ tool: 'send', args: { to: text } })
    await memory.recordResult({ call, returned: text, args: { to: text } })
  }
  await memory.recordRequest(await memory.prompt(), 'test')
  await memory.close()
  await store.archive('person')
  write(folder, 'export.jsonl', JSON.stringify({ who: what }))
  write(folder, 'workspaces/person/files/mail.txt', `To ${what}\n`)
  const index = new DatabaseSync(join(folder, 'index.db'))
  index.exec(`CREATE TABLE seen AS SELECT '${what}' AS text`)
  index.close()
}

function write(folder: string, name: string, bytes: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), bytes)
}

export const compactAll = (store: Store, folder?: string, dry_run = false) =>
  compact(store, {
    raw_days: 0,
    raw_bytes: null,
    keep_errors: true,
    archive_days: 0,
    dry_run,
    now_ms: Date.parse('2030-01-01'),
    unused_ms: -1,
    ...(folder === undefined ? {} : { workspaces: { project: folder, folder, stores: [store] } }),
  })

export const answerAll = (store: Store) => answerEscalation(store, 'failed', { text: 'Read the file first.' })

export const redactAll = (store: Store, folder: string) =>
  redactStore(store, { redact: redactText(GOES), reason: 'asked for', folder })

/** The files of a folder that hold a text, in their bytes or in anything compressed among these. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  return (await filesBelow(folder)).filter((file) => {
    const bytes = readFileSync(file)
    return bytes.includes(text) || compressedIn(bytes).some((part) => part.includes(text))
  })
}

const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** What decompresses from any place that begins like it; a database may have it in pieces, of which the first is read. */
function compressedIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let at = bytes.indexOf(ZSTD); at !== -1; at = bytes.indexOf(ZSTD, at + 1)) {
    const finishFlush = constants.ZSTD_e_flush
    try {
      found.push(zstdDecompressSync(bytes.subarray(at), { finishFlush }))
    } catch {}
  }
  return found
}
