import { z } from 'zod'
import { indexNames } from '../core/store/store.ts'
import {
  ACTIONS_MAX,
  AGENTS_AT_ONCE_DEFAULT,
  ID_CHARS_MAX,
  LEASE_MS_DEFAULT,
  LEASE_MS_MAX,
  LEASE_MS_MIN,
  MODEL_ANSWER_TOKENS_DEFAULT,
  MODEL_DEADLINE_MS,
  PACKET_TOKENS_DEFAULT,
  PACKET_TOKENS_MIN,
  PROMPT_TOKENS_DEFAULT,
  PROMPT_TOKENS_MAX,
} from '../limits.ts'
import { checkSchema } from './checks.ts'

/** The longest time between two syncs in durability `interval`, in milliseconds. */
const SYNC_INTERVAL_MS_MAX = 60_000

const tokens = z.int().min(PACKET_TOKENS_MIN).max(PROMPT_TOKENS_MAX)
const text = z
  .string()
  .min(1)
  .regex(/^[^\0]+$/)
const onceEach = (names: readonly string[]) => new Set(names).size === names.length

/** A key of the configuration: what it accepts, what it is unless said otherwise, and what for. */
const key = <Schema extends z.ZodType>(
  schema: Schema,
  usual: z.core.util.NoUndefined<z.output<Schema>>,
  description: string,
) => schema.default(usual).describe(description)

const days = z.int().min(0).max(36_500).nullable().default(null)

const retentionSchema = z.strictObject({
  raw_days: days.describe(
    'Raw output of agents that ended more days ago than this is removed by "twotrack compact"; null keeps it.',
  ),
  raw_bytes: key(
    z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable(),
    null,
    'The most bytes that all raw output may have together; that of the agents that ended first is removed. null for no limit.',
  ),
  keep_errors: key(
    z.boolean(),
    true,
    'Whether raw output stays of agents that did not do what they were asked for, and of every call that failed.',
  ),
  archive_days: days.describe(
    'Logs of agents that ended more days ago than this are compressed by "twotrack compact"; null leaves them as they are.',
  ),
})

const memorySchema = z.strictObject({
  enabled: key(
    z.boolean(),
    true,
    'Whether runs have two-track memory. When false, the log is kept in memory only and the model is given the chat transcript.',
  ),
  packet_size_limit: key(tokens, PACKET_TOKENS_DEFAULT, 'The most tokens that the rendered packet may take.'),
  prompt_budget: key(
    tokens,
    PROMPT_TOKENS_DEFAULT,
    'The most tokens that the whole prompt may take, tool declarations included. The packet gets the smaller of its own limit and what is left here.',
  ),
  trace_store: key(
    z.enum(['memory', 'jsonl', 'kv', 'postgres']),
    'jsonl',
    'What holds the logs: memory (gone when the process ends), jsonl (one file of lines per agent), kv (one SQLite file), postgres (a database for agents on many machines; needs npm install pg).',
  ),
  url: key(
    z.string(),
    '',
    'Of postgres: postgres://user@host:5432/database, several hosts with commas between them. Leave the password to PGPASSWORD or ~/.pgpass.',
  ),
  project: key(
    z.string(),
    '',
    'Of postgres: the name under which all machines keep this project; that of its top folder unless given.',
  ),
  lease_ms: key(
    z.int().min(LEASE_MS_MIN).max(LEASE_MS_MAX),
    LEASE_MS_DEFAULT,
    'Of postgres: how long a writer that is not heard of keeps its log, in milliseconds. Then another machine may go on.',
  ),
  folder: key(
    text,
    '.agentfs',
    'Where logs and blobs are kept. A relative path starts from the top of the project: the folder of twotrack.yaml, else the top of the git repository, else the current folder.',
  ),
  durability: key(
    z.union([z.literal('always'), z.strictObject({ interval_ms: z.int().min(1).max(SYNC_INTERVAL_MS_MAX) })]),
    'always',
    'When an append counts as done: always (after it is synced to disk), or {interval_ms: N} (at once, synced every N milliseconds; a power cut may lose that much).',
  ),
  trace_indexing: key(
    z.array(z.enum(indexNames)).refine(onceEach).meta({ uniqueItems: true }),
    [...indexNames],
    'Which indexes the kv store keeps for other programs that read its file, each at most once.',
  ),
  summarizer_mode: key(
    z.enum(['tool_specific', 'generic', 'tool_only']),
    'tool_specific',
    'Who summarizes a tool result that brings no summary: tool_specific (the registered summarizer, else the generic one), generic (only the generic one), tool_only (nobody: only what the tool itself says is kept).',
  ),
  recent_actions: key(
    z.int().min(1).max(ACTIONS_MAX),
    ACTIONS_MAX,
    'How many of the last actions the packet shows.',
  ),
  rendering: key(
    z.enum(['json', 'outline']),
    'outline',
    'How the packet is written for the model: json, or outline (the same in fewer tokens).',
  ),
  secrets: key(
    z.enum(['replace', 'off']),
    'replace',
    'What becomes of secrets in tool output, arguments, prompts and answers: replace (a placeholder is recorded and shown in their place), or off (they are recorded as they are, and the log says so).',
  ),
  vault_days: days.describe(
    'For how many days the originals of hidden secrets are kept, encrypted with a key of yours outside the project ("twotrack reveal"); null keeps none.',
  ),
  tokenizer: key(
    text.max(ID_CHARS_MAX),
    'estimate-1',
    'What counts tokens: estimate-1, or the name of an installed exact tokenizer.',
  ),
  retention: retentionSchema.prefault({}).describe('How long what only people read is kept.'),
})

const LEAVES_OUT = 'null leaves it to the server.'

const modelSchema = z.strictObject({
  adapter: key(
    z.enum(['first-candidate', 'functiongemma', 'openai']),
    'first-candidate',
    "Who answers: first-candidate (embedded: takes the packet's first candidate action), functiongemma (over a completions endpoint), openai (any OpenAI-compatible chat endpoint).",
  ),
  name: key(z.string(), '', 'The model, as its server names it.'),
  url: key(z.string(), '', 'Where the model server is, such as http://127.0.0.1:8080/v1.'),
  server: key(
    z.enum(['any', 'llama.cpp', 'vllm', 'lm-studio', 'ollama', 'openai']),
    'any',
    'What answers at the URL. Each but any brings its usual URL, and its own defaults where they differ from those below.',
  ),
  deadline_ms: key(z.int().min(100).max(3_600_000), MODEL_DEADLINE_MS, 'How long one answer may take.'),
  max_tokens: key(
    z.int().min(1).max(PROMPT_TOKENS_MAX).nullable(),
    MODEL_ANSWER_TOKENS_DEFAULT,
    `The most tokens of one answer; ${LEAVES_OUT}`,
  ),
  temperature: key(z.number().min(0).max(2).nullable(), 0, `How freely tokens are chosen; ${LEAVES_OUT}`),
  top_p: key(
    z.number().min(0).max(1).nullable(),
    null,
    `The share of likely tokens to choose from; ${LEAVES_OUT}`,
  ),
  seed: key(z.int().nullable(), null, `What makes a random choice repeatable; ${LEAVES_OUT}`),
  stop: key(
    z.array(text).nullable(),
    null,
    `Texts at which an answer ends, besides the model's own end; ${LEAVES_OUT}`,
  ),
  tool_choice: key(
    z.enum(['required', 'auto']).nullable(),
    'required',
    `For openai, whether the server makes the model call a tool; ${LEAVES_OUT}`,
  ),
  text_calls: key(
    z.boolean(),
    false,
    'For openai: whether an answer whose text is nothing but calls of declared tools counts as calls.',
  ),
  stream: key(z.boolean(), false, 'For openai: whether the answer is streamed, for servers that take long.'),
  bos: key(z.boolean(), false, 'For functiongemma: whether `<bos>` is sent, for servers that do not add it.'),
  extra: key(
    z.record(z.string(), z.unknown()),
    {},
    'For openai: further fields of the request, for what one server needs.',
  ),
})

const runSchema = z.strictObject({
  concurrency: key(z.int().min(1).max(64), AGENTS_AT_ONCE_DEFAULT, 'Agents at work at the same time.'),
  context: key(
    z.enum(['packet', 'messages', 'both']),
    'packet',
    'What the model is given: the packet, the chat transcript, or both.',
  ),
  prompt_tokens_max: key(
    z.int().min(0),
    0,
    'The most prompt tokens that one agent may use in all; 0 for no limit.',
  ),
})

const escalationSchema = z.strictObject({
  name: key(z.string(), '', 'The model, as its server names it; empty for no escalation.'),
  url: key(z.string(), '', 'Its OpenAI-compatible endpoint.'),
})

const price = z.number().min(0).max(1_000_000)

const reportSchema = z.strictObject({
  currency: key(text.max(ID_CHARS_MAX), 'USD', 'What prices are in.'),
  prices: key(
    z.record(z.string(), z.strictObject({ prompt: price, completion: price })),
    {},
    'What a million tokens cost, by the name of the model: {gpt-oss-20b: {prompt: 0.05, completion: 0.2}}.',
  ),
})

/**
 * Every key there is. A section is a strict object with `.prefault({})`; a key has a default and a description.
 * The command line, the documentation and the error messages all take their facts from here.
 */
export const configSchema = z.strictObject({
  runner: z
    .strictObject({
      memory: memorySchema.prefault({}).describe('The log, and the packet that is folded from it.'),
    })
    .prefault({})
    .describe('How agents are run.'),
  model: modelSchema.prefault({}).describe('What chooses the next call.'),
  run: runSchema.prefault({}).describe('Many agents at once, and their limits.'),
  escalation: escalationSchema.prefault({}).describe('A larger model that is asked when an agent is stuck.'),
  checks: key(
    z.array(checkSchema),
    [],
    'Linters of your own, each a row: {name: notes, files: "*.py", check: notes-lint {files}, report: lines}.',
  ),
  report: reportSchema.prefault({}).describe('What "twotrack report" needs to know.'),
})

export type Config = z.infer<typeof configSchema>
export type MemoryConfig = Config['runner']['memory']

export const defaultConfig: Config = configSchema.parse({})

/** The kind of store to open: without memory nothing durable is kept. */
export const storeKind = (memory: MemoryConfig): MemoryConfig['trace_store'] =>
  memory.enabled ? memory.trace_store : 'memory'

/** What the model is given, unless a run asks for another context. */
export const contextMode = (memory: MemoryConfig): 'packet' | 'messages' =>
  memory.enabled ? 'packet' : 'messages'
