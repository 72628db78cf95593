import { canonical, defined, type JsonObject, recordable } from '../core/event/json.ts'
import type { ChatMessage } from '../core/memory/messages.ts'
import { loadTokenizer } from '../core/memory/tokenizer.ts'
import { TwotrackError } from '../errors.ts'
import { countedFor, givenFor } from '../model/formats.ts'
import type { ModelAnswer, ModelRequest } from '../model/model.ts'
import { shortened, shortenedTo } from '../model/transcript.ts'
import { attempts, completionOf } from './attempts.ts'
import type { AgentRun } from './run.ts'
import type { Stop } from './state.ts'

/** Asks the model for the next calls: each attempt, each fault and the answer are events. */
export async function askModel(run: AgentRun, signal: AbortSignal): Promise<ModelAnswer | Stop> {
  const { memory, model, context } = run
  const { toolDeadlineMs: deadlineMs } = run.limits
  const prompt = await memory.prompt({ signal, ...defined({ deadlineMs }) })
  const tokenizer = await loadTokenizer(memory.state.settings.tokenizer)
  const { tools, candidates } = memory.state
  const bare = { prompt, tools, candidates: candidates?.value ?? [], context, callRequired: true }
  const said = context === 'packet' ? undefined : await memory.messages()
  const withMessages = (messages?: readonly ChatMessage[]): ModelRequest => ({
    ...bare,
    ...defined({ messages }),
  })
  const countOf = (messages: readonly ChatMessage[]) =>
    tokenizer.count(countedFor(model.format, withMessages(messages)))
  const transcript = said && shortenedTo(said, memory.state.settings.prompt_budget, countOf)
  const request = withMessages(said && transcript && shortened(said, transcript))
  const parameters = model.parameters?.(request)
  assertNoSecret(run, parameters)
  const text = givenFor(model.format, request, parameters)
  const counted = countedFor(model.format, request)
  const tokens = () => (text === prompt.text ? prompt.tokens : tokenizer.count(counted))
  return attempts<ModelAnswer | Stop>(run, 'model', signal, async () => {
    const stop = outOfTokens(run, tokens)
    if (stop) return stop
    await memory.recordRequest(prompt, model.name, {
      ...{ format: model.format, context, text, counted },
      ...defined({ parameters, transcript }),
    })
    await memory.flush()
    const begun = performance.now()
    const given = await model.answer(parameters ? { ...request, body: text } : request, signal)
    // Arguments that are nested too deep for an event stay as their text: no tool takes that, and the model is told so.
    const answer = { ...given, calls: given.calls.map((call) => ({ ...call, args: recordable(call.args) })) }
    await recordAnswer(run, answer, performance.now() - begun)
    return answer
  })
}

/** A request is recorded as it goes out, so that what is sent beside the prompt must hold nothing to hide. */
function assertNoSecret({ memory, model }: AgentRun, parameters: JsonObject = {}): void {
  const names = Object.keys(parameters).filter((name) => {
    const { [name]: value = null } = parameters
    return canonical(memory.border.hideIn({ [name]: value })) !== canonical({ [name]: value })
  })
  if (names.length === 0) return
  throw new TwotrackError(
    'bad_argument',
    `The request of the model "${memory.border.hide(model.name)}" has a secret in ${names.join(', ')}, and the log keeps each request as it is sent. ` +
      'Give the key as apiKey (OPENAI_API_KEY), which is sent in a header.',
  )
}

async function recordAnswer(run: AgentRun, answer: ModelAnswer, latency_ms: number): Promise<void> {
  const { text, calls, usage, finish, completion } = answer
  await run.memory.recordResponse({
    ...{ model: run.model.name, text, calls, latencyMs: Math.round(latency_ms) },
    ...defined({ usage, finish, completion: completionOf(run, completion) }),
  })
}

/** A run whose prompts together would pass their limit with the next one. */
function outOfTokens({ state, limits }: AgentRun, tokens: () => number): Stop | undefined {
  const { promptTokensMax: most } = limits
  if (most === undefined) return undefined
  const used = state().agent?.prompt_tokens ?? 0
  const next = tokens()
  if (used + next <= most) return undefined
  const summary = `${used} of ${most} prompt tokens used, and the next prompt has ${next}`
  return { reason: 'token_limit', summary }
}
