import { tryParse } from '../core/event/json.ts'
import { TwotrackError } from '../errors.ts'
import { fromMessages } from './chat.ts'
import { fromActionLines, type Line } from './grounding.ts'
import type { Trajectory } from './trajectory.ts'

/** Recognises what kind of recording a text is; says what it looked for when it is none. */
export function readTrajectory(text: string, name: string): Trajectory {
  const trimmed = text.trim()
  if (trimmed === '') throw notOne(name, 'it is empty')
  const whole = tryParse(trimmed)
  const found =
    whole === undefined
      ? fromLines(text, name)
      : (fromMessages(whole, name) ?? fromActionLines([{ number: 1, content: text }], name))
  if (!found) throw notOne(name, `it begins ${JSON.stringify(trimmed.slice(0, 60))}`)
  return found
}

function fromLines(text: string, name: string): Trajectory | undefined {
  const lines = text.split('\n').map((content, at): Line => ({ number: at + 1, content }))
  const filled = lines.filter(({ content }) => content.trim() !== '')
  const actions = fromActionLines(filled, name)
  if (actions) return actions
  const values = filled.map(({ content }) => tryParse(content))
  return values.includes(undefined) ? undefined : fromMessages(values, name)
}

const notOne = (name: string, why: string) =>
  new TwotrackError(
    'bad_import',
    `${name} is not a recording that can be imported: ${why}. Expected JSON lines of actions (first line {"meta": …}), or a ` +
      'JSON array of chat messages (OpenAI chat, OpenAI Agents or AI SDK).',
  )
