import { messageOf } from '../errors.ts'
import type { JsonObject } from '../event/json.ts'
import { toolContext } from './execute.ts'
import type { AgentRun } from './run.ts'

/** Before the first turn: what the context providers know becomes knowledge. One that fails is an event. */
export async function prepare(run: AgentRun, signal: AbortSignal): Promise<undefined> {
  const { memory, contextProviders } = run
  const known: JsonObject = {}
  for (const provide of contextProviders) {
    try {
      if (!provide.filesOnly) await run.workspace?.complete()
      Object.assign(known, await provide(toolContext(run, signal)))
    } catch (thrown) {
      await memory.record({ type: 'agent_error', data: { where: 'context', message: messageOf(thrown) } })
    }
  }
  if (Object.keys(known).length > 0)
    await memory.propose('context', 'known before the first turn', { update_knowledge: known })
  return undefined
}
