import { randomUUID } from 'node:crypto'
import type { Event } from '../../event/event.ts'
import { prune, seal } from '../../event/line.ts'
import { sha256 } from '../../sha256.ts'
import type { LogWriter, Store } from '../../store/store.ts'
import { isWithin, type Stretch, type Survey, stretches } from './survey.ts'

/**
 * Removes raw parts of one log: first the tombstone that says so, then the bytes. Whatever happens in between, no raw
 * part is gone without a tombstone, and doing it again does the rest. Throws `locked` for a log that is being written;
 * false when something was recorded since the log was looked at.
 */
export async function buryRaw(store: Store, survey: Survey, reason: string): Promise<boolean> {
  const { agent_id, head, prunable } = survey
  const writer = await store.open(agent_id)
  try {
    if (writer.head.hash !== head.hash) return false
    const unannounced = seqsOf(prunable).filter((seq) => !isWithin(seq, survey.buried))
    if (unannounced.length > 0) await appendTombstone(store, writer, agent_id, reason, stretches(unannounced))
    await writer.rewrite((line, { header, raw }) =>
      raw !== null && header.raw_sha256 !== null && isWithin(header.seq, prunable)
        ? prune(line, sha256)
        : line,
    )
    return true
  } finally {
    await writer.close()
  }
}

const seqsOf = (all: readonly Stretch[]): number[] =>
  all.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, at) => first + at))

/** Without a memory: a tombstone changes no packet, and folding every old log would take its time. */
async function appendTombstone(
  store: Store,
  writer: LogWriter,
  agentId: string,
  reason: string,
  raw: readonly Stretch[],
): Promise<void> {
  const { seq, hash } = writer.head
  let last: Event | undefined
  for await (const event of store.read(agentId, { from: seq, to: seq, raw: false })) last = event
  if (!last) return
  const { run_id, agent_id, operation, node_id, turn } = last
  const timestamp = new Date().toISOString()
  const identity = {
    run_id,
    agent_id,
    operation,
    node_id,
    turn,
    id: randomUUID(),
    seq: seq + 1,
    timestamp,
    prev: hash,
  }
  const spans = raw.map(([first, end]): [number, number] => [first, end])
  const sealed = seal({ type: 'tombstone', data: { by: 'compact', reason, raw: spans } }, identity, sha256)
  await writer.append([sealed], seq)
}
