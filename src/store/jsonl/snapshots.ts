import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject, tryParse } from '../../event/json.ts'
import type { Snapshot } from '../store.ts'
import { makeFolder, replaceFile } from './disk.ts'
import type { Layout } from './layout.ts'
import { openText, sealText } from './sealed-text.ts'

const ENDING = '.snapshot'

/** Not synced: a snapshot that a power failure takes or damages counts as absent. */
export async function putSnapshot(layout: Layout, agentId: string, snapshot: Snapshot): Promise<void> {
  const folder = layout.snapshotsOf(agentId)
  await makeFolder(folder)
  const { seq, hash, state } = snapshot
  const text = sealText(JSON.stringify({ agent_id: agentId, seq, hash, state }))
  await replaceFile(join(folder, `${seq}${ENDING}`), Buffer.from(text))
}

export async function getSnapshot(
  layout: Layout,
  agentId: string,
  seqMax: number,
): Promise<Snapshot | undefined> {
  const folder = layout.snapshotsOf(agentId)
  const names = await readdir(folder).catch(() => [])
  const seqs = names
    .map((name) => (name.endsWith(ENDING) ? Number(name.slice(0, -ENDING.length)) : Number.NaN))
    .filter((seq) => Number.isSafeInteger(seq) && seq <= seqMax)
    .sort((a, b) => b - a)
  for (const seq of seqs) {
    const snapshot = await readSnapshot(join(folder, `${seq}${ENDING}`), agentId)
    if (snapshot?.seq === seq) return snapshot
  }
  return undefined
}

/** Paths of snapshots that are not what was written. */
export async function* checkSnapshots(layout: Layout): AsyncGenerator<string> {
  const entries = await readdir(layout.snapshots, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (entry.isDirectory()) continue
    const path = join(entry.parentPath, entry.name)
    if (openText(await readFile(path)) === undefined) yield path
  }
}

async function readSnapshot(path: string, agentId: string): Promise<Snapshot | undefined> {
  const text = openText(await readFile(path).catch(() => Buffer.alloc(0)))
  const value = text === undefined ? undefined : tryParse(text)
  if (!isObject(value) || value['agent_id'] !== agentId) return undefined
  const { seq, hash, state } = value
  if (typeof seq !== 'number' || typeof hash !== 'string' || typeof state !== 'string') return undefined
  return { seq, hash, state }
}
