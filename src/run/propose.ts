import { ruleView } from '../agent/rule-view.ts'
import { statusOf } from '../agent/status.ts'
import { messageOf } from '../errors.ts'
import type { Delta } from '../event/delta.ts'
import { canonical } from '../event/json.ts'
import type { AgentRun } from './run.ts'

/** Records what the agent's rules say of the state of now, as far as it is new: candidate actions, where the work stands. */
export async function propose({ candidates, status, memory, state }: AgentRun): Promise<void> {
  const view = ruleView(memory.state, state().calls)
  const { set_extension, ...delta } = changesOf(memory.state, {
    set_candidates: [...candidates(view)],
    ...statusOf(status, view),
  })
  const note = 'set_candidates' in delta ? 'candidate actions' : 'where the work stands'
  if (Object.keys(delta).length > 0) await memory.propose('rules', note, delta)
  if (set_extension === undefined) return
  try {
    await memory.propose('rules', 'extension', { set_extension })
  } catch (thrown) {
    // A value that the extension's schema refuses is a mistake of the definition; the run goes on without it.
    await memory.record({ type: 'agent_error', data: { where: 'rules', message: messageOf(thrown) } })
  }
}

/** The parts of a delta that differ from what the state has. Advice of a larger model is not written over. */
function changesOf(known: AgentRun['memory']['state'], delta: Delta): Delta {
  const { set_candidates = [], set_state_summary, set_extension } = delta
  const extensions = Object.entries(set_extension ?? {}).filter(
    ([name, value]) => canonical(known.extensions[name]?.value ?? null) !== canonical(value),
  )
  const hasAdvice = known.state_summary?.from === 'model'
  return {
    ...(canonical(set_candidates) === canonical([...(known.candidates?.value ?? [])])
      ? {}
      : { set_candidates }),
    ...(set_state_summary === undefined || hasAdvice || known.state_summary?.value === set_state_summary
      ? {}
      : { set_state_summary }),
    ...(extensions.length > 0 ? { set_extension: Object.fromEntries(extensions) } : {}),
  }
}
