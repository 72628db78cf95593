import { messageOf } from '../errors.ts'
import { cut } from '../packet/cut.ts'
import { estimate } from '../prompt/estimate.ts'
import { bundleJson, bundleOf, renderBundle } from './bundle.ts'
import type { AgentRun, Stop } from './run.ts'

const ESCALATIONS_MAX = 2
const STUCK = new Set<Stop['reason']>(['loop', 'turn_limit'])
const QUESTION =
  'Say in a few sentences what the agent should do next, naming files, lines and tools. Do not call tools.'

/**
 * Asks a larger model for advice when the agent is stuck. The bundle and the answer are one event each; the
 * answer becomes part of the packet. True when the run can go on.
 */
export async function escalate(run: AgentRun, stop: Stop, signal: AbortSignal): Promise<boolean> {
  const { memory, store, escalation } = run
  if (!escalation || !STUCK.has(stop.reason) || (await escalations(run)) >= ESCALATIONS_MAX) return false
  const bundle = await bundleOf(store, memory.agent_id, memory.packet, stop.summary, estimate)
  await memory.record({
    type: 'escalation',
    data: { reason: stop.summary, bundle: bundleJson(bundle), model: escalation.name },
  })
  const text = `${renderBundle(bundle)}\n\n${QUESTION}`
  const prompt = { text, declarations: '', packet: memory.packet, tokens: estimate.count(text) }
  try {
    const answer = await escalation.answer({ prompt, tools: [], callRequired: false }, signal)
    if (answer.text.trim() === '') return false
    await memory.record({
      type: 'escalation',
      data: { reason: stop.summary, model: escalation.name, answer: answer.text },
      delta: { set_state_summary: cut(`Advice: ${answer.text.trim()}`, 600), set_error: null },
    })
    return true
  } catch (thrown) {
    await memory.record({ type: 'agent_error', data: { where: 'escalation', message: messageOf(thrown) } })
    return false
  }
}

async function escalations({ store, memory }: AgentRun): Promise<number> {
  let count = 0
  for await (const event of store.read(memory.agent_id))
    if (event.type === 'escalation' && event.data.answer === undefined) count++
  return count
}
