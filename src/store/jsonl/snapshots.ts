import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, replaceFile } from '../../files/disk.ts'
import { openSnapshot, sealSnapshot } from '../sealed-text.ts'
import type { Snapshot } from '../store.ts'
import type { Layout } from './layout.ts'

const ENDING = '.snapshot'

/** Not synced: a snapshot that a power failure takes or damages counts as absent. */
export async function putSnapshot(layout: Layout, agentId: string, snapshot: Snapshot): Promise<void> {
  const folder = layout.snapshotsOf(agentId)
  makeFolder(folder)
  await replaceFile(join(folder, `${snapshot.seq}${ENDING}`), Buffer.from(sealSnapshot(agentId, snapshot)))
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
    const bytes = await readFile(join(folder, `${seq}${ENDING}`)).catch(() => Buffer.alloc(0))
    const snapshot = openSnapshot(bytes, agentId)
    if (snapshot?.seq === seq) return snapshot
  }
  return undefined
}
