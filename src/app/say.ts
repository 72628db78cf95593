import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { SAID_CHARS_MAX } from '../limits.ts'
import type { MemoryOptions } from '../memory.ts'
import { recordInRun, wordsFor } from '../run/run-log.ts'
import { readRunState } from '../run/state.ts'
import { shortNames } from './names.ts'
import { personName } from './person.ts'

const WAITING_MAX = 100

/** What became of words that were left for an agent. */
export interface Left {
  readonly agent_id: string
  /** What a person types for it: `lint#3`. */
  readonly name: string
  /** Whether it is at work now; otherwise it reads them when somebody goes on with it. */
  readonly at_work: boolean
}

/** Leaves words for an agent, which takes them in at its next turn, on whatever machine. Throws `missing`, `limit` and `conflict`. */
export async function sayTo(
  { store, ...own }: { readonly store: Store } & Pick<MemoryOptions, 'secrets'>,
  agentId: string,
  given: string,
): Promise<Left> {
  const text = given.trim()
  if (text === '')
    throw new TwotrackError('bad_argument', 'There is nothing to say: write it after the name.')
  if (text.length > SAID_CHARS_MAX)
    throw new TwotrackError(
      'limit',
      `That has ${text.length} characters; the most is ${SAID_CHARS_MAX}. Say it in fewer words.`,
    )
  const { agent, heard } = await readRunState(store, agentId)
  if (!agent) throw new TwotrackError('missing', `There is no log of agent "${agentId}".`)
  const { reason, outcome, run_id: runId } = agent
  const name = await shortNames(store)(agent)
  if (reason === 'submitted' || reason === 'imported')
    throw new TwotrackError(
      'conflict',
      reason === 'imported'
        ? `"${name}" was recorded elsewhere: nobody takes in what is said to it here.`
        : `"${name}" has handed in its result and does not go on. "twotrack retry ${name}" begins anew.`,
    )
  let waiting = 0
  for await (const _ of wordsFor(store, { runId, agentId, heard })) waiting++
  if (waiting >= WAITING_MAX)
    throw new TwotrackError('limit', `${WAITING_MAX} messages wait for this agent already.`)
  await recordInRun(store, runId, { type: 'said', data: { agent_id: agentId, by: personName(), text } }, own)
  return { agent_id: agentId, name, at_work: outcome === 'open' }
}
