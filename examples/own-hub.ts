/**
 * A hub of your own: what a team's wiki says of the code, beside what the code says itself. Each turn the run pulls;
 * what changed becomes an event, and the packet shows it.
 * Run: node examples/own-hub.ts
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Memory, memoryStore } from 'twotrack'
import { type Hub, openHub, recordPull } from 'twotrack/hub'

/** Stands for a wiki's API: pages by the node that they are about, with the time of their last change. */
const pages = new Map([
  [
    'stock.py:take',
    { text: 'Called by the till; must never return less than 0.', changed: '2026-05-01T09:00:00.000Z' },
  ],
])

const project = mkdtempSync(join(tmpdir(), 'own-hub-'))
writeFileSync(
  join(project, 'stock.py'),
  'def take(n: int) -> int:\n    """Takes n from stock."""\n    return n\n',
)

const code = openHub({ project })
/** What the code says, and beside it what the wiki says: a source of its own would do without the former. */
const hub: Hub = {
  ...code,
  name: 'code and wiki',
  async pull(nodes, _since, signal) {
    const answer = await code.pull(nodes, undefined, signal)
    const found = nodes.flatMap((key) => {
      const page = pages.get(key)
      return page ? [{ key, ...page }] : []
    })
    return {
      ...answer,
      facts: Object.fromEntries(found.map(({ key, text }) => [key, text])),
      // Of what is answered, never of now: a replay must say the same.
      freshness: [answer.freshness, ...found.map(({ changed }) => changed)].sort().at(-1) ?? '',
      source: `${answer.source} + wiki`,
    }
  },
}
const memory = await Memory.open({
  store: memoryStore(),
  agentId: 'example',
  goal: 'Give take() a lower bound.',
  node: { id: 'stock.py:take', type: 'function' },
})
try {
  for (const page of ['', 'And it must say why it refuses.']) {
    if (page !== '') pages.set('stock.py:take', { text: page, changed: '2026-05-02T09:00:00.000Z' })
    for (let turns = 0; turns < 2; turns++) {
      const turn = await memory.startTurn()
      const said = await recordPull(memory, hub)
      console.log(`turn ${turn}: ${said ? JSON.stringify(said.data) : 'nothing new'}`)
    }
  }
  console.log(JSON.stringify(memory.packet.hub_context, null, 2))
} finally {
  await hub.close()
  await memory.close()
  rmSync(project, { recursive: true })
}
