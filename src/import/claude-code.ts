import type { Json, JsonObject } from '../core/event/json.ts'
import { countAt, messageText, objectAt, objectIn, textAt, timeIn, usageIn } from './fields.ts'
import { aboutOf, type Format, type LineReader } from './format.ts'
import {
  callOf,
  type ModelStep,
  modelStep,
  noteSteps,
  personSteps,
  resultStep,
  type Step,
} from './trajectory.ts'

/**
 * Claude Code's transcripts: a line a block of an answer, a message or a remark of the program. Helpers (sidechains) stand in the
 * same file, or in one of their own where each line names them.
 */
export const claudeCode: Format = {
  name: 'Claude Code',
  lines(first) {
    const own = first.find((line) => textAt(line, 'sessionId') !== undefined && isKnown(line))
    if (!own) return undefined
    const messages = first.filter((line) => line['message'] !== undefined)
    const ownFile = messages.length > 0 && messages.every((line) => line['isSidechain'] === true)
    const file = ownFile ? textAt(messages[0], 'agentId') : undefined
    const roots = new Map<string, string>()
    return {
      about: aboutOf(
        'claude-code',
        {
          session: textAt(own, 'sessionId'),
          helper: file,
          project: first.map((line) => textAt(line, 'cwd')).find(Boolean),
          started: first.map((line) => timeIn(line['timestamp'])).find(Boolean),
        },
        fieldsOf(own, ['version', 'cwd', 'gitBranch', 'sessionId']),
      ),
      ...(ownFile ? {} : { helperOf: (line) => helperOf(line, roots) }),
      reader,
    }
  },
}

const KINDS = new Set([
  'user',
  'assistant',
  'system',
  'summary',
  'attachment',
  'queue-operation',
  'progress',
  'file-history-snapshot',
])
const isKnown = (line: JsonObject): boolean => KINDS.has(textAt(line, 'type') ?? '')

const fieldsOf = (line: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (line[name] === undefined ? [] : [[name, line[name] as Json]])))

/** Older versions name no helper: its lines hang together by their parents, up to one without. */
function helperOf(line: JsonObject, roots: Map<string, string>): string | undefined {
  if (line['isSidechain'] !== true) return undefined
  const [id, parent] = [textAt(line, 'uuid') ?? '', textAt(line, 'parentUuid')]
  const root = textAt(line, 'agentId') ?? roots.get(parent ?? '') ?? id
  roots.set(id, root)
  return root
}

function reader(): LineReader {
  /** The blocks of the answer that is being read; they come a line each. */
  let open: OpenAnswer | undefined
  const requests = requestsOf()
  const queue = queueOf()
  /** Lines of a session that was resumed are there twice. */
  const seen = new Set<string>()
  const close = (): Step[] => {
    const answer = open
    open = undefined
    return answer ? [answerOf(answer, requests.of(answer.lines[0]))] : []
  }
  return {
    step(line) {
      const id = textAt(line, 'uuid')
      if (id !== undefined && seen.has(id)) return []
      if (id !== undefined) seen.add(id)
      if (requests.took(line) || queue.took(line)) return []
      const message = objectAt(line, 'message')
      if (line['type'] === 'assistant') {
        const answer = textAt(message, 'id') ?? id ?? ''
        const before = open?.id === answer ? [] : [...close(), ...queue.given()]
        open ??= { id: answer, blocks: [], lines: [] }
        open.blocks.push(...blocksOf(message))
        open.lines.push(line)
        return before
      }
      if (line['type'] === 'user') return [...close(), ...saidOrReturned(line, message), ...queue.given()]
      if (line['type'] === 'attachment')
        return [...close(), ...queue.attached(objectAt(line, 'attachment'), atOf(line))]
      if (line['subtype'] === 'compact_boundary') {
        const { trigger, preTokens } = objectAt(line, 'compactMetadata')
        const text = `Compacted (${String(trigger ?? 'auto')}) at ${String(preTokens ?? '?')} tokens`
        return [...close(), ...noteSteps(text, atOf(line))]
      }
      return []
    },
    end: () => [...close(), ...queue.given()],
  }
}

/**
 * What a person types while the agent is at work waits. It becomes a message by itself (`dequeue`), goes back to the person
 * (`popAll`), or is given to the model between two calls (`remove`): that stands in no message, in newer versions in an attachment.
 */
function queueOf() {
  let waiting: string[] = []
  let taken: { readonly text: string; readonly at: string | undefined }[] = []
  /** The last words of an attachment, whichever of both comes first. */
  let told = ''
  return {
    took(line: JsonObject): boolean {
      if (line['type'] !== 'queue-operation') return false
      const operation = textAt(line, 'operation')
      if (operation === 'enqueue') waiting.push(textAt(line, 'content') ?? '')
      else if (operation === 'popAll') waiting = []
      else {
        const [text = ''] = waiting.splice(Math.max(0, waiting.indexOf(textAt(line, 'content') ?? '')), 1)
        if (operation === 'remove' && text !== told) taken.push({ text, at: atOf(line) })
      }
      return true
    },
    attached({ type, prompt, commandMode }: JsonObject, at: string | undefined): Step[] {
      if (type !== 'queued_command') return []
      told = messageText(prompt)
      taken = taken.filter(({ text }) => text !== told)
      return (commandMode === 'prompt' ? personSteps : noteSteps)(told, at)
    },
    given: () => taken.splice(0).flatMap(({ text, at }) => personSteps(text, at)),
  }
}

const atOf = (line: JsonObject | undefined) => timeIn(line?.['timestamp'])

interface OpenAnswer {
  readonly id: string
  readonly blocks: Json[]
  readonly lines: JsonObject[]
}

function answerOf({ id, blocks, lines }: OpenAnswer, request: JsonObject | undefined): ModelStep {
  const last = objectAt(lines.at(-1), 'message')
  const usage = objectAt(last, 'usage')
  const prompt = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].map((name) =>
    countAt(usage, name),
  )
  const isThought = blocks.some((block) => textAt(block, 'thinking') !== undefined)
  // Thoughts and requests stand in no other field.
  const kept = request !== undefined ? { request, content: blocks } : isThought ? blocks : undefined
  return modelStep({
    answer: id,
    text: messageText(ofType(blocks, 'text')),
    calls: ofType(blocks, 'tool_use').map((block) =>
      callOf(textAt(block, 'name'), objectAt(block, 'input'), textAt(block, 'id')),
    ),
    ...usageIn(
      prompt[0] === undefined ? undefined : prompt.reduce<number>((sum, count) => sum + (count ?? 0), 0),
      countAt(usage, 'output_tokens'),
    ),
    model: textAt(last, 'model'),
    finish: textAt(last, 'stop_reason'),
    completion: kept && JSON.stringify(kept),
    at: atOf(lines[0]),
  })
}

const ofType = (blocks: readonly Json[], type: string): Json[] =>
  blocks.filter((block) => textAt(block, 'type') === type)

const blocksOf = ({ content }: JsonObject): readonly Json[] =>
  Array.isArray(content) ? content : [{ type: 'text', text: String(content ?? '') }]

function saidOrReturned(line: JsonObject, message: JsonObject): Step[] {
  const at = atOf(line)
  const blocks = blocksOf(message)
  if (line['isCompactSummary'] === true)
    return [modelStep({ finish: 'compacted', completion: messageText(blocks), at })]
  const seen = line['toolUseResult']
  const duration_ms = countAt(seen, 'durationMs') ?? countAt(seen, 'totalDurationMs')
  return [
    ...ofType(blocks, 'tool_result').flatMap((block) => {
      const { content: output = '', is_error } = objectIn(block)
      const call_id = textAt(block, 'tool_use_id')
      return [
        resultStep(output, { is_error: is_error === true ? true : null, call_id, duration_ms, at }),
        ...personSteps(repliedIn(messageText(output)), at),
      ]
    }),
    ...(line['isMeta'] === true ? noteSteps : personSteps)(messageText(ofType(blocks, 'text')), at),
  ]
}

/** What a person said in place of a result: to a call that they did not allow, or to questions that a tool asked them. */
const REPLY =
  /^(?:The user doesn't want to (?:proceed with|take) this .*?To tell you how to proceed, the user said:|User has answered your questions:)\s*(.*)/s

const repliedIn = (output: string): string => REPLY.exec(output)?.[1] ?? ''

/**
 * Exact requests, where the transcript has them: each says how many messages of the one before (`base`) it kept and what
 * it added. They stay in this form, with the messages in place of their digests, so that a log grows by each message once.
 */
function requestsOf() {
  const texts = new Map<string, Json>()
  const shapes = new Map<string, Json>()
  const waiting = new Map<string, JsonObject>()
  return {
    /** Whether a line is a part of a request. */
    took(line: JsonObject): boolean {
      const { type, id, message, shape, tail } = line
      if (type === 'api-request-blob') texts.set(textAt(line, 'hash') ?? '', message ?? null)
      else if (type === 'api-request-shape') shapes.set(textAt(line, 'shapeHash') ?? '', shape ?? null)
      else if (type === 'api-request') {
        const added = (Array.isArray(tail) ? tail : []).map((hash) => texts.get(String(hash)) ?? hash)
        const hash = textAt(line, 'shapeHash') ?? ''
        const named = shapes.get(hash)
        waiting.set(String(id), {
          ...fieldsOf(line, ['id', 'params', 'base', 'keep', 'shapeHash', 'requestDigest']),
          ...(named === undefined ? {} : { shape: named }),
          messages: added,
        })
        // Said once: what comes later names it by its digest.
        shapes.delete(hash)
        texts.clear()
      } else return false
      return true
    },
    of(line: JsonObject | undefined): JsonObject | undefined {
      const ref = textAt(line, 'requestRef')
      const request = ref === undefined ? undefined : waiting.get(ref)
      waiting.clear()
      return request
    },
  }
}
