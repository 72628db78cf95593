import type { JsonObject } from '../core/event/json.ts'
import { argumentsIn, countAt, messageText, objectAt, textAt, timeIn, usageIn } from './fields.ts'
import { aboutOf, type Format, type LineReader } from './format.ts'
import { spokenIn } from './spoken.ts'
import { callOf, type ModelStep, modelStep, personSteps, resultStep, type Step } from './trajectory.ts'

/** Codex' rollouts: a header, then what went to the model and came back, each `{timestamp, type, payload}`. */
export const codex: Format = {
  name: 'Codex',
  lines(first) {
    const [head] = first
    const meta = objectAt(head, 'payload')
    if (head?.['type'] !== 'session_meta') return undefined
    const source = objectAt(meta, 'source')
    const [id, cwd, version] = ['id', 'cwd', 'cli_version'].map((name) => textAt(meta, name))
    const parent =
      textAt(meta, 'forked_from_id') ??
      textAt(objectAt(objectAt(source, 'subagent'), 'thread_spawn'), 'parent_thread_id')
    const context = first.find((line) => line['type'] === 'turn_context')
    return {
      about: aboutOf(
        'codex',
        {
          session: parent ?? id,
          helper: parent === undefined ? undefined : id,
          project: cwd,
          started: timeIn(meta['timestamp'] ?? head['timestamp']),
        },
        { session: id, cwd, version, subagent: textAt(source, 'subagent'), parent },
      ),
      reader: () => reader(textAt(context?.['payload'], 'model')),
    }
  },
}

function reader(given: string | undefined): LineReader {
  let model = given
  /** Parts that no answer in between belongs to are one answer. */
  let answer = 0
  /** A prompt stands there as a message and as an event, in this order or the other. */
  const told = { message: '', event: '' }
  /** Of programs that were run, by call: what came out with its exit code stands in an event before the result. */
  const durations = new Map<string, number>()
  return {
    step(line) {
      const payload = objectAt(line, 'payload')
      const at = timeIn(line['timestamp'])
      const said = (step: Partial<ModelStep>): Step[] => [
        modelStep({ answer: String(answer), model, at, ...step }),
      ]
      const kind = textAt(payload, 'type')
      if (line['type'] === 'turn_context') model = textAt(payload, 'model') ?? model
      if (line['type'] === 'event_msg') return event(kind, payload, said, at)
      if (line['type'] === 'compacted')
        return said({ finish: 'compacted', completion: textAt(payload, 'message') ?? '' })
      if (line['type'] !== 'response_item') return []
      return item(kind, payload, said, at)
    },
  }

  type Said = (step: Partial<ModelStep>) => Step[]
  type When = string | undefined

  function event(kind: string | undefined, payload: JsonObject, said: Said, at: When): Step[] {
    if (kind === 'user_message') {
      const text = textAt(payload, 'message') ?? ''
      told.event = spokenIn(text).said
      return person(text, told.message, at)
    }
    if (kind === 'token_count') {
      const last = objectAt(objectAt(payload, 'info'), 'last_token_usage')
      const usage = usageIn(countAt(last, 'input_tokens'), countAt(last, 'output_tokens'))
      return 'usage' in usage ? said(usage) : []
    }
    const id = textAt(payload, 'call_id') ?? textAt(objectAt(payload, 'item'), 'id')
    const { secs, nanos } = objectAt({ ...payload, ...objectAt(payload, 'item') }, 'duration')
    if (id !== undefined && typeof secs === 'number')
      durations.set(id, Math.round(secs * 1_000 + Number(nanos ?? 0) / 1e6))
    return []
  }

  function item(kind: string | undefined, payload: JsonObject, said: Said, at: When): Step[] {
    const call_id = textAt(payload, 'call_id') ?? textAt(payload, 'id')
    switch (kind) {
      case 'message':
        return message(payload, said, at)
      case 'reasoning':
        return said({ completion: JSON.stringify(payload) })
      case 'function_call':
      case 'custom_tool_call':
      case 'local_shell_call': {
        const tool = textAt(payload, 'name') ?? 'shell'
        const given = payload['arguments'] ?? payload['action'] ?? payload['input']
        // A custom tool is given text, such as a patch.
        const args = kind === 'custom_tool_call' ? { input: given ?? '' } : argumentsIn(given)
        return said({ calls: [callOf(tool, args, call_id)] })
      }
      case 'web_search_call':
        return said({ calls: [callOf('web_search', objectAt(payload, 'action'), call_id)] })
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'local_shell_call_output': {
        answer++
        const duration_ms = durations.get(call_id ?? '')
        return [resultStep(payload['output'] ?? '', { call_id, duration_ms, at })]
      }
      default:
        return []
    }
  }

  function message(payload: JsonObject, said: Said, at: When): Step[] {
    const text = messageText(payload['content'])
    if (textAt(payload, 'role') === 'assistant') return said({ text })
    if (textAt(payload, 'role') !== 'user') return []
    const { said: words } = spokenIn(text)
    if (words !== '') told.message = words
    return person(text, told.event, at)
  }

  function person(text: string, other: string, at: When): Step[] {
    const { said: words } = spokenIn(text)
    if (words === '') return personSteps(text, at)
    if (words === other) {
      told.message = ''
      told.event = ''
      return []
    }
    answer++
    return personSteps(text, at)
  }
}
