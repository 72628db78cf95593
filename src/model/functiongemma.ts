import { isObject, type JsonObject, tryParse } from '../core/event/json.ts'
import { MODEL_DEADLINE_MS } from '../limits.ts'
import { identified, type ReadCall, usageOf } from './calls.ts'
import { noCompletion, quote, Unusable } from './faults.ts'
import { bodyFor } from './formats.ts'
import { parseAnswer } from './gemma-notation/answer.ts'
import { CALL, END_CALL, END_TURN, ESCAPE, RESPONSE } from './gemma-notation/tokens.ts'
import { ask, endpointOf } from './http.ts'
import type { Model, ModelAnswer } from './model.ts'
import { type Preset, requestOf, type ServerOptions, servers } from './servers.ts'

/** `url` is that of the server, with or without `/v1`: `http://127.0.0.1:8080`. */
export interface FunctionGemmaOptions extends ServerOptions {
  /** As the server names it. */
  readonly model?: string
  /** Only for a server that does not put `<bos>` before a prompt itself. */
  readonly bos?: boolean
}

/** What a server gave, before it is read as FunctionGemma's. */
interface Generation {
  readonly text: string
  readonly finish?: string
  readonly tokens: readonly [prompt: unknown, completion: unknown]
}

/** FunctionGemma over a plain completions endpoint: the format is rendered and parsed here, not by the server. */
export function functiongemma(options: FunctionGemmaOptions): Model {
  const { server = 'any', model = 'functiongemma', bos = false } = options
  const settings = { ...servers[server], ...options, model }
  const { apiKey, deadlineMs = MODEL_DEADLINE_MS } = settings
  const endpoint = endpointOf(settings.url.replace(/\/v1\/?$/, ''), deadlineMs, apiKey)
  const { path, parametersOf, read } = server === 'ollama' ? ollama : completions
  const format = bos ? 'functiongemma/1+bos' : 'functiongemma/1'
  const parameters = () => requestOf(parametersOf(settings))
  return {
    name: model,
    format,
    parameters,
    answer(request, signal) {
      const body = request.body ?? bodyFor(format, request, parameters())
      return ask(endpoint, { path, body }, signal, async (received) => {
        const text = await received.text()
        const generation = read(tryParse(text))
        if (!generation) throw noCompletion(text)
        return completionAnswer(generation, request.prompt.packet.turn)
      })
    },
  }
}

type Settings = FunctionGemmaOptions & Preset & { readonly model: string }

const STOP = [END_TURN, RESPONSE]

/** The OpenAI-style endpoint of llama.cpp, vLLM and LM Studio. */
const completions = {
  path: '/v1/completions',
  parametersOf: (settings: Settings): JsonObject => ({
    model: settings.model,
    max_tokens: settings.maxTokens,
    temperature: settings.temperature,
    top_p: settings.topP,
    seed: settings.seed,
    stop: [...STOP, ...(settings.stop ?? [])],
    stream: false,
    // Without these the answer comes without the tokens that hold calls together: llama.cpp's name, then vLLM's.
    preserved_tokens: [CALL, END_CALL, ESCAPE, ...STOP],
    skip_special_tokens: false,
    spaces_between_special_tokens: false,
  }),
  read(body: unknown): Generation | undefined {
    const choice = isObject(body) && Array.isArray(body['choices']) ? body['choices'][0] : undefined
    if (!isObject(body) || !isObject(choice) || typeof choice['text'] !== 'string') return undefined
    const usage = isObject(body['usage']) ? body['usage'] : {}
    return {
      text: choice['text'],
      ...finishOf(choice['finish_reason']),
      tokens: [usage['prompt_tokens'], usage['completion_tokens']],
    }
  },
}

/** Ollama's raw mode: its own template would lose arguments. */
const ollama = {
  path: '/api/generate',
  parametersOf: (settings: Settings): JsonObject => ({
    model: settings.model,
    raw: true,
    stream: false,
    options: requestOf({
      num_predict: settings.maxTokens,
      temperature: settings.temperature,
      top_p: settings.topP,
      seed: settings.seed,
      stop: [...STOP, ...(settings.stop ?? [])],
    }),
  }),
  read(body: unknown): Generation | undefined {
    if (!isObject(body) || typeof body['response'] !== 'string') return undefined
    return {
      text: body['response'],
      ...finishOf(body['done_reason']),
      tokens: [body['prompt_eval_count'], body['eval_count']],
    }
  },
}

const finishOf = (finish: unknown) => (typeof finish === 'string' ? { finish } : {})

function completionAnswer({ text, finish, tokens }: Generation, turn: number): ModelAnswer {
  const parsed = parseAnswer(text)
  if (parsed.hidden && parsed.problems.length > 0) {
    throw new Unusable(
      'bad_answer',
      false,
      'leaves special tokens out of its answers, and calls cannot be read without them. ' +
        'Let it print them: --special for llama-server, skip_special_tokens false for vLLM.',
      { completion: text },
    )
  }
  const cut = parsed.problems.find((problem) => problem.cut)
  if (cut) {
    const full = finish === 'length'
    const what = `ended its answer in the middle of a call of "${quote(cut.tool)}": ${cut.what}.`
    const advice = full ? ' Raise the limit of answer tokens.' : ''
    throw new Unusable('truncated', !full, what + advice, { completion: text })
  }
  // A call that cannot be read goes on with its text as arguments: the check of the arguments then says so.
  const unread = parsed.problems.map(({ tool, raw }): ReadCall => ({ tool, args: raw }))
  return {
    text: parsed.text,
    calls: identified([...parsed.calls, ...unread], turn),
    ...usageOf(...tokens),
    ...(finish === undefined ? {} : { finish }),
    completion: text,
  }
}
