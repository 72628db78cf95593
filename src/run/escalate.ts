import type { Delta } from '../core/event/delta.ts'
import { defined } from '../core/event/json.ts'
import { sharedReader } from '../core/memory/tokenizer.ts'
import { givenFor } from '../model/formats.ts'
import { cut } from '../text/cut.ts'
import { attempts, recordWith } from './attempts.ts'
import { askForHelp, bundleOf } from './bundle.ts'
import type { AgentRun } from './run.ts'
import type { Stop } from './state.ts'

const ESCALATIONS_MAX = 2
/** Turns that an answered escalation adds to a run that had none left. */
const TURNS_AFTER_ESCALATION = 5
const ADVICE_CHARS_MAX = 600
const STUCK = new Set<Stop['reason']>(['loop', 'turn_limit'])

/**
 * Asks a larger model for advice when the agent is stuck. The bundle and the answer are one event each; the answer
 * becomes part of the packet, and undefined says that the run goes on. A run that was handed over and got no help ends as
 * `escalated`: it is a person's turn.
 */
export async function escalate(run: AgentRun, stop: Stop, signal: AbortSignal): Promise<Stop | undefined> {
  const { memory, store, escalation } = run
  if (!escalation || !STUCK.has(stop.reason)) return stop
  const { handed } = run.state().escalations
  if (handed >= ESCALATIONS_MAX) return withoutHelp(stop, `${escalation.name} was asked ${handed} times`)
  const reader = await sharedReader(memory.state.settings.tokenizer)
  await memory.flush()
  const bundle = await bundleOf(store, memory.agent_id, stop.summary, reader)
  await memory.record({
    type: 'escalation',
    data: { reason: stop.summary, model: escalation.name },
    raw: { bundle },
  })
  const request = askForHelp(bundle, memory.packet, reader.count)
  const parameters = escalation.parameters?.(request)
  const text = givenFor(escalation.format, request, parameters)
  const answer = await attempts(run, 'escalation', signal, async () => {
    const { name, format } = escalation
    await memory.recordRequest(request.prompt, name, {
      ...{ purpose: 'escalation', format, text },
      ...defined({ parameters }),
    })
    await memory.flush()
    return escalation.answer(parameters ? { ...request, body: text } : request, signal)
  })
  if ('reason' in answer && answer.reason === 'cancelled') return answer
  const advice = 'reason' in answer ? '' : answer.text.trim()
  if (advice === '') return withoutHelp(stop, `${escalation.name} gave no answer`)
  await recordWith(run, 'reason' in answer ? undefined : answer.completion, {
    type: 'escalation',
    data: { reason: stop.summary, model: escalation.name, answer: advice },
    delta: adviceDelta(advice),
  })
  return undefined
}

/** What the packet learns from a larger model's advice. */
export const adviceDelta = (advice: string): Delta => ({
  set_state_summary: cut(`Advice: ${advice}`, ADVICE_CHARS_MAX),
  set_error: null,
})

/** The limit of turns, with those that advice added. */
export function turnsAllowed({ limits, state }: AgentRun): number {
  const { answered_in_turn } = state().escalations
  return answered_in_turn === undefined
    ? limits.turnsMax
    : Math.max(limits.turnsMax, answered_in_turn + TURNS_AFTER_ESCALATION)
}

const withoutHelp = ({ reason, summary }: Stop, why: string): Stop => ({
  reason: 'escalated',
  summary: `${reason}: ${summary}; ${why}`,
})
