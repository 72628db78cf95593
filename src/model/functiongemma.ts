import { isObject, tryParse } from '../event/json.ts'
import { MODEL_ANSWER_TOKENS_DEFAULT, MODEL_DEADLINE_MS } from '../limits.ts'
import { identified, type ReadCall, usageOf } from './calls.ts'
import { attempt, endpointOf } from './endpoint.ts'
import { modelFault, NoCompletion, quote, Refused } from './faults.ts'
import { parseAnswer } from './functiongemma/answer.ts'
import { renderRequest } from './functiongemma/prompt.ts'
import { CALL, END_CALL, END_TURN, ESCAPE, RESPONSE } from './functiongemma/tokens.ts'
import type { Model, ModelAnswer } from './model.ts'

export interface FunctionGemmaOptions {
  /** Of the server, with or without `/v1`: `http://127.0.0.1:8080`. */
  readonly url: string
  /** As the server names it. */
  readonly model?: string
  /** `completions`: the OpenAI-style endpoint of llama.cpp and vLLM (default). `ollama`: its raw mode. */
  readonly server?: 'completions' | 'ollama'
  readonly apiKey?: string
  readonly deadlineMs?: number
  readonly maxTokens?: number
  /** Only for a server that does not put `<bos>` before a prompt itself. */
  readonly bos?: boolean
}

/** What a server gave, before it is read as FunctionGemma's. */
interface Completion {
  readonly text: string
  readonly finish?: string
  readonly tokens: readonly [prompt: unknown, completion: unknown]
}

/** FunctionGemma over a plain completions endpoint: the format is rendered and parsed here, not by the server. */
export function functiongemma(options: FunctionGemmaOptions): Model {
  const { server = 'completions', apiKey, deadlineMs = MODEL_DEADLINE_MS, bos = false } = options
  const endpoint = endpointOf(options.url, deadlineMs, apiKey)
  const { path, bodyOf, read } = SERVERS[server]
  const url = `${endpoint.url.replace(/\/v1$/, '')}${path}`
  return {
    name: options.model ?? 'functiongemma',
    format: bos ? 'functiongemma/1+bos' : 'functiongemma/1',
    answer: (request, signal) =>
      attempt(endpoint, signal, async (connect, until) => {
        const response = await connect(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
          },
          body: JSON.stringify(
            bodyOf(
              renderRequest(request, { bos }),
              options.maxTokens ?? MODEL_ANSWER_TOKENS_DEFAULT,
              options.model ?? 'functiongemma',
            ),
          ),
          signal: until,
        })
        const text = await response.text()
        if (!response.ok) throw new Refused(response.status, response.headers, errorIn(text))
        const completion = read(tryParse(text))
        if (!completion) throw new NoCompletion(text)
        return answerOf(completion, request.prompt.packet.turn)
      }),
  }
}

const STOP = [END_TURN, RESPONSE]

const SERVERS = {
  completions: {
    path: '/v1/completions',
    bodyOf: (prompt: string, max_tokens: number, model: string) => ({
      ...{ model, prompt, max_tokens, temperature: 0, stop: STOP, stream: false },
      // Without these the answer comes without the tokens that hold calls together: llama.cpp's name, then vLLM's.
      preserved_tokens: [CALL, END_CALL, ESCAPE, ...STOP],
      skip_special_tokens: false,
      spaces_between_special_tokens: false,
    }),
    read(body: unknown): Completion | undefined {
      const choice = isObject(body) && Array.isArray(body['choices']) ? body['choices'][0] : undefined
      if (!isObject(body) || !isObject(choice) || typeof choice['text'] !== 'string') return undefined
      const usage = isObject(body['usage']) ? body['usage'] : {}
      return {
        text: choice['text'],
        ...finishOf(choice['finish_reason']),
        tokens: [usage['prompt_tokens'], usage['completion_tokens']],
      }
    },
  },
  ollama: {
    path: '/api/generate',
    bodyOf: (prompt: string, num_predict: number, model: string) => ({
      ...{ model, prompt, raw: true, stream: false },
      options: { temperature: 0, num_predict, stop: STOP },
    }),
    read(body: unknown): Completion | undefined {
      if (!isObject(body) || typeof body['response'] !== 'string') return undefined
      return {
        text: body['response'],
        ...finishOf(body['done_reason']),
        tokens: [body['prompt_eval_count'], body['eval_count']],
      }
    },
  },
} as const

const finishOf = (finish: unknown) => (typeof finish === 'string' ? { finish } : {})

function answerOf({ text, finish, tokens }: Completion, turn: number): ModelAnswer {
  const parsed = parseAnswer(text)
  if (parsed.hidden && parsed.problems.length > 0) {
    throw modelFault(
      { kind: 'bad_answer', retry: false },
      'The model server leaves special tokens out of its answers, and calls cannot be read without them. ' +
        'Let it print them: --special for llama-server, skip_special_tokens false for vLLM.',
    )
  }
  const cut = parsed.problems.find((problem) => problem.cut)
  if (cut) {
    const full = finish === 'length'
    throw modelFault(
      { kind: 'truncated', retry: !full },
      `The answer ends in the middle of a call of "${quote(cut.tool)}": ${cut.what}.${full ? ' Raise the limit of answer tokens.' : ''}`,
    )
  }
  // A call that cannot be read goes on with its text as arguments: the check of the arguments then says so.
  const unread = parsed.problems.map(({ tool, raw }): ReadCall => ({ tool, args: raw }))
  return {
    text: parsed.text,
    calls: identified([...parsed.calls, ...unread], turn),
    ...usageOf(...tokens),
    ...(finish === undefined ? {} : { finish }),
  }
}

/** Servers put the message at `error.message`, `error` or `message`; some send none. */
function errorIn(text: string): string {
  const body = tryParse(text)
  const error = isObject(body) ? (body['error'] ?? body) : text
  const message = isObject(error) ? error['message'] : error
  return typeof message === 'string' ? message : text
}
