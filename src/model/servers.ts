import type { JsonObject } from '../core/event/json.ts'
import { MODEL_ANSWER_TOKENS_DEFAULT } from '../limits.ts'

/** What every adapter of a model server can be told. Null leaves a field out of the request. */
export interface ServerOptions {
  /** What answers at the URL: gives the defaults of `servers`, the URL among them. */
  readonly server?: keyof typeof servers
  readonly url?: string
  /** Null or empty: none is sent. */
  readonly apiKey?: string | null
  readonly deadlineMs?: number
  readonly maxTokens?: number | null
  readonly temperature?: number | null
  readonly topP?: number | null
  readonly seed?: number | null
  readonly stop?: readonly string[] | null
}

export interface Preset extends Required<Omit<ServerOptions, 'server' | 'url' | 'apiKey' | 'deadlineMs'>> {
  readonly url: string
  readonly toolChoice: 'required' | 'auto' | null
  /** Whether it may leave calls in the text. */
  readonly textCalls: boolean
  /** What it calls the limit of answer tokens. */
  readonly limitField: 'max_tokens' | 'max_completion_tokens'
}

const any: Preset = {
  url: '',
  maxTokens: MODEL_ANSWER_TOKENS_DEFAULT,
  temperature: 0,
  topP: null,
  seed: null,
  stop: null,
  toolChoice: 'required',
  textCalls: false,
  limitField: 'max_tokens',
}

/** How the common servers differ. */
export const servers = {
  any,
  'llama.cpp': { ...any, url: 'http://127.0.0.1:8080/v1', textCalls: true },
  vllm: { ...any, url: 'http://127.0.0.1:8000/v1', textCalls: true },
  'lm-studio': { ...any, url: 'http://127.0.0.1:1234/v1', textCalls: true },
  // It does not know tool_choice.
  ollama: { ...any, url: 'http://127.0.0.1:11434/v1', textCalls: true, toolChoice: null },
  // Its newer models take no temperature, and count what they think as part of the answer.
  openai: {
    ...any,
    url: 'https://api.openai.com/v1',
    temperature: null,
    maxTokens: 16 * MODEL_ANSWER_TOKENS_DEFAULT,
    limitField: 'max_completion_tokens',
  },
} as const satisfies Record<string, Preset>

export type ServerName = keyof typeof servers

export const isServer = (name: string): name is ServerName => Object.hasOwn(servers, name)

/** The fields of a request; those that are null are left out. */
export const requestOf = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
