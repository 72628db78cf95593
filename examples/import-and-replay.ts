/**
 * A recorded bug fix, turn by turn: how much the tools wrote, and how little a model has to read.
 * Leaves nothing behind. Run: node examples/import-and-replay.ts [FILE]
 */
import { readFileSync } from 'node:fs'
import { type Memory, memoryStore } from 'twotrack'
import { readTrajectory, recordTrajectory, verifyLog } from 'twotrack/audit'

const file = process.argv[2] ?? new URL('trajectory.jsonl', import.meta.url)
const trajectory = readTrajectory(readFileSync(file, 'utf8'), String(file))
const store = memoryStore()

console.log('turn  tokens  last action')
let last = ''
const onTurn = async (memory: Memory, turn: number) => {
  const { text, tokens, packet } = await memory.prompt()
  const action = packet.recent_actions.at(-1)
  console.log(
    `${String(turn).padStart(4)}  ${String(tokens).padStart(6)}  ${action?.summary.slice(0, 90) ?? ''}`,
  )
  last = text
}
const { agent_id, turns, raw_bytes } = await recordTrajectory(
  trajectory,
  { store, agentId: 'example' },
  onTurn,
)

console.log(`\nWhat the model would be given now:\n\n${last}\n`)
const { ok, events } = await verifyLog(store, agent_id)
console.log(
  `${turns} turns, ${raw_bytes} bytes of raw output, ${events} events, ${ok ? 'intact' : 'NOT intact'}.`,
)
console.log('Keep a log of it: npm run twotrack -- import examples/trajectory.jsonl')
