import { ruleView } from '../agent/rule-view.ts'
import { statusOf } from '../agent/rules.ts'
import type { Delta } from '../core/event/delta.ts'
import { canonical, type JsonObject } from '../core/event/json.ts'
import { messageOf } from '../errors.ts'
import { recordPull } from '../hub/pull.ts'
import { inTime } from '../in-time.ts'
import { TOOL_DEADLINE_MS_DEFAULT } from '../limits.ts'
import { toolContext } from './execute.ts'
import type { AgentRun } from './run.ts'

const deadlineFor = ({ toolDeadlineMs = TOOL_DEADLINE_MS_DEFAULT }: AgentRun['limits']) => toolDeadlineMs

/** Before the first turn: what the context providers know becomes knowledge. One that fails is an event. */
export async function prepare(run: AgentRun, signal: AbortSignal): Promise<undefined> {
  const { memory, contextProviders, limits } = run
  const known: JsonObject = {}
  for (const provide of contextProviders) {
    try {
      if (!provide.filesOnly) await run.workspace?.complete()
      const context = (own: AbortSignal) => toolContext(run, own)
      const given = await inTime('context', deadlineFor(limits), signal, (own) => provide(context(own)))
      Object.assign(known, given)
    } catch (thrown) {
      await memory.record({ type: 'agent_error', data: { where: 'context', message: messageOf(thrown) } })
    }
  }
  if (Object.keys(known).length > 0)
    await memory.suggest('context', 'known before the first turn', { update_knowledge: known })
  return undefined
}

/**
 * Asks the hub what is known of the agent's node and the nodes in view. Only what changed becomes an event; a
 * hub that fails is an event too, and the run goes on without it.
 */
export async function pull({ hub, memory, limits }: AgentRun, signal: AbortSignal): Promise<void> {
  if (!hub) return
  try {
    await inTime('hub', deadlineFor(limits), signal, (own) => recordPull(memory, hub, own))
  } catch (thrown) {
    if (signal.aborted) return
    const data = { where: 'hub', message: messageOf(thrown), retry: true }
    await memory.record({ type: 'agent_error', data })
  }
}

/** Records what the agent's rules say of the state of now, as far as it is new: candidate actions, where the work stands. */
export async function suggest({ candidates, status, memory, state }: AgentRun): Promise<void> {
  const view = ruleView(memory.state, state().calls)
  const { set_extension, ...delta } = changesOf(memory.state, {
    set_candidates: [...candidates(view)],
    ...statusOf(status, view),
  })
  const note = 'set_candidates' in delta ? 'candidate actions' : 'where the work stands'
  if (Object.keys(delta).length > 0) await memory.suggest('rules', note, delta)
  if (set_extension === undefined) return
  try {
    await memory.suggest('rules', 'extension', { set_extension })
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
  const isProposed = canonical(set_candidates) === canonical([...(known.candidates?.value ?? [])])
  const summary = known.state_summary
  const isSummed =
    set_state_summary === undefined || summary?.from === 'model' || summary?.value === set_state_summary
  return {
    ...(isProposed ? {} : { set_candidates }),
    ...(isSummed ? {} : { set_state_summary }),
    ...(extensions.length > 0 ? { set_extension: Object.fromEntries(extensions) } : {}),
  }
}
