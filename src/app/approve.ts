import type { EventFor } from '../core/event/event.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { openQuestions } from '../run/approval.ts'
import { recordInRun } from '../run/run-log.ts'
import { personName } from './person.ts'
import { newestPlanned } from './plan.ts'

/** A call that waits for a person. */
export type CallQuestion = Pick<
  EventFor<'asked'>['data'],
  'agent_id' | 'call' | 'tool' | 'effect' | 'args'
> & {
  readonly since: string
}

/** The calls of a run that wait for a person, of the newest unless it is named. */
export async function questionsOf(store: Store, run: string | undefined): Promise<CallQuestion[]> {
  const runId = run ?? (await newestPlanned(store))?.run_id
  const open = runId === undefined ? [] : await openQuestions(store, runId)
  return open.map(({ data, timestamp }) => ({ ...data, since: timestamp }))
}

/** Answers the call that an agent waits for, wherever it runs. Throws `missing` where it waits for none. */
export async function answerQuestion(store: Store, agentId: string, allowed: boolean): Promise<CallQuestion> {
  let runId: string | undefined
  for await (const { run_id } of store.read(agentId, { from: 1, to: 1 })) runId = run_id
  const open = runId === undefined ? [] : await openQuestions(store, runId)
  const asked = open.find(({ data }) => data.agent_id === agentId)
  if (!asked || runId === undefined)
    throw new TwotrackError('missing', `"${agentId}" does not wait for anybody's approval.`)
  const { agent_id, call } = asked.data
  const data = { agent_id, call, by: personName(), allowed }
  await recordInRun(store, runId, { type: 'approval', data })
  return { ...asked.data, since: asked.timestamp }
}
