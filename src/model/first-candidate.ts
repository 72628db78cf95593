import type { Model } from './model.ts'

/** The embedded default: takes the packet's first candidate action. No network, no weights, no guess. */
export function firstCandidate(): Model {
  return {
    name: 'first-candidate',
    format: 'text',
    async answer({ prompt: { packet } }, signal) {
      signal.throwIfAborted()
      const [first] = packet.candidate_actions
      if (!first) return { text: 'The packet has no candidate action to take.', calls: [], finish: 'stop' }
      const call = { call_id: `call_${packet.turn}_1`, tool: first.tool, args: first.args }
      return { text: first.reason, calls: [call], finish: 'tool_calls' }
    },
  }
}
