/** `node bench/ablation-views.ts SRC TRAJECTORIES OUT TURNS [FIELD]`: packets by that source, without the section of a field. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [source = '', trajectories = '', out = '', every = '1', without = ''] = process.argv.slice(2)
const from = <Module>(path: string): Promise<Module> => import(join(source, path))
const { rows } = await from<typeof import('../src/core/view/rows.ts')>('core/view/rows.ts')
const { readTrajectory } = await from<typeof import('../src/import/read.ts')>('import/read.ts')
const { recordTrajectory } = await from<typeof import('../src/import/record.ts')>('import/record.ts')
const { memoryStore } = await from<typeof import('../src/store/memory.ts')>('store/memory.ts')

for (const row of rows) if (row.field === without) Object.assign(row, { items: () => [] })

const LIMIT = 2_000
const options = { agentId: 'a', packetSizeLimit: LIMIT, promptBudget: 2 * LIMIT + 4_000 }
for (const file of readdirSync(trajectories)) {
  const views: string[] = []
  const trajectory = readTrajectory(readFileSync(join(trajectories, file), 'utf8'), file)
  await recordTrajectory(trajectory, { ...options, store: memoryStore() }, async (memory, turn) => {
    if (turn % Number(every) === 0) views.push(JSON.stringify({ turn, view: (await memory.prompt()).text }))
  })
  writeFileSync(join(out, file), `${views.join('\n')}\n`)
}
