import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { open, toEvent } from '../../src/core/event/line.ts'
import type { Store } from '../../src/core/store/store.ts'
import { sha256 } from '../../src/sha256.ts'
import { memoryStore } from '../../src/store/memory.ts'

const FOLDER = join(import.meta.dirname, '../golden')

export const goldenNames = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

export const goldenStore = (name: string): Promise<{ store: Store; agent: string }> =>
  storeOf(readFileSync(join(FOLDER, name, 'events.jsonl'), 'utf8'))

/** The lines of a log in a store; what was too large for them counts as pruned. */
export async function storeOf(log: string): Promise<{ store: Store; agent: string }> {
  const store = memoryStore()
  const lines = log.trimEnd().split('\n')
  const sealed = lines.map((line) => ({ line, event: toEvent(open(Buffer.from(line), sha256)) }))
  const agent = sealed[0]?.event.agent_id ?? ''
  const writer = await store.open(agent)
  await writer.append(sealed, 0)
  await writer.close()
  return { store, agent }
}
