import type { EventFor } from '../core/event/event.ts'
import { stateAt } from '../core/memory/at.ts'
import { sharedReader } from '../core/memory/tokenizer.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { ANSWER_CHARS_MAX, BUNDLE_TOKENS_DEFAULT } from '../limits.ts'
import { Memory } from '../memory.ts'
import { type Bundle, bundleOf, renderBundle } from './bundle.ts'
import { adviceDelta } from './escalate.ts'
import { type RunState, readRunState } from './state.ts'

const END = { turn: Number.MAX_SAFE_INTEGER }

/** What somebody else needs to help an agent as it stands now, within a number of tokens. Records nothing. */
export async function escalationBundle(
  store: Store,
  agentId: string,
  tokensMax = BUNDLE_TOKENS_DEFAULT,
): Promise<{ readonly bundle: Bundle; readonly text: string; readonly tokens: number }> {
  const { state } = await stateAt(store, agentId, END)
  const reader = await sharedReader(state.settings.tokenizer)
  const reason = reasonOf(await readRunState(store, agentId))
  const bundle = await bundleOf(store, agentId, reason, reader, tokensMax)
  const text = renderBundle(bundle)
  return { bundle, text, tokens: reader.count(text) }
}

/**
 * Puts somebody's help back into an agent's log as one event, a model's, or a person's without one; a resumed run goes on from it. The same answer again,
 * while nothing was done since, is not recorded twice: `recorded` is false and the event is the one that was there.
 */
export async function answerEscalation(
  store: Store,
  agentId: string,
  { text, model }: { readonly text: string; readonly model?: string },
): Promise<{ event: EventFor<'escalation'>; recorded: boolean }> {
  const answer = text.trim()
  if (answer === '')
    throw new TwotrackError('bad_argument', 'The answer is empty; write what the agent should do.')
  if (answer.length > ANSWER_CHARS_MAX)
    throw new TwotrackError(
      'limit',
      `The answer has ${answer.length} characters; the most is ${ANSWER_CHARS_MAX}. Say it in fewer words.`,
    )
  if (!(await store.head(agentId))) throw new TwotrackError('missing', `There is no log of "${agentId}".`)
  const memory = await Memory.open({ store, agentId: agentId })
  try {
    const state = await readRunState(store, agentId)
    if (state.agent?.reason === 'submitted' || state.submitted)
      throw new TwotrackError(
        'conflict',
        `"${agentId}" has handed in its result: it does not go on from an answer.`,
      )
    const before = await lastAnswer(store, agentId)
    if (before?.data.answer === answer && before.data.model === model)
      return { event: before, recorded: false }
    const event = await memory.record({
      type: 'escalation',
      data: { reason: reasonOf(state), ...(model === undefined ? {} : { model }), answer },
      delta: model === undefined ? { set_error: null } : adviceDelta(answer),
    })
    return { event: event as EventFor<'escalation'>, recorded: true } // an event has the type of its draft
  } finally {
    await memory.close()
  }
}

const reasonOf = ({ agent }: RunState): string =>
  agent?.reason ? `${agent.reason}, ${agent.summary}` : 'the run has not ended'

/** The answer that is the last thing in the log; undefined when something was done since. */
async function lastAnswer(store: Store, agentId: string): Promise<EventFor<'escalation'> | undefined> {
  const head = await store.head(agentId)
  for await (const event of store.read(agentId, { from: head?.seq ?? 1 }))
    if (event.type === 'escalation' && event.data.answer !== undefined) return event
  return undefined
}
