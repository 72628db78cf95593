import type { Model } from './model.ts'

/**
 * The embedded default: takes the first candidate action, also where the packet has no space to show it. No network,
 * no weights, no guess.
 */
export function firstCandidate(): Model {
  return {
    name: 'first-candidate',
    format: 'text',
    async answer({ prompt: { packet }, candidates = packet.candidate_actions }, signal) {
      signal.throwIfAborted()
      const [first] = candidates
      if (!first) return { text: 'There is no candidate action to take.', calls: [], finish: 'stop' }
      const call = { call_id: `call_${packet.turn}_1`, tool: first.tool, args: first.args }
      return { text: first.reason, calls: [call], finish: 'tool_calls' }
    },
  }
}
