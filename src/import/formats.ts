import type { Json, JsonObject } from '../core/event/json.ts'
import { atif } from './atif.ts'
import { fromMessages } from './chat.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import type { Format, LineFormat, Session, SessionLine } from './format.ts'
import { gemini } from './gemini.ts'
import { fromActionLines } from './grounding.ts'
import { miniSweAgent } from './mini-swe-agent.ts'
import { opencode } from './opencode.ts'
import { openHands } from './openhands.ts'
import { sweAgent } from './swe-agent.ts'
import type { Trajectory } from './trajectory.ts'

/** Every form that is told by its own marks; messages and actions of any harness are asked last. */
const formats: readonly Format[] = [
  claudeCode,
  codex,
  gemini,
  opencode,
  sweAgent,
  openHands,
  miniSweAgent,
  atif,
]

/** What is looked for, in words for a person. */
export const FORMATS_IN_WORDS =
  'sessions of Claude Code, Codex, Gemini CLI and OpenCode, trajectories of SWE-agent, mini-swe-agent, OpenHands and ATIF, ' +
  'JSON lines of actions (first line {"meta": …}), or a JSON array of chat messages (OpenAI chat, OpenAI Agents or AI SDK)'

export function lineFormatOf(first: readonly JsonObject[], file: string): LineFormat | undefined {
  for (const format of formats) {
    const found = format.lines?.(first, file)
    if (found) return found
  }
  return undefined
}

/** The sessions in one JSON value. */
export function sessionsIn(value: unknown, file: string): readonly Session[] | undefined {
  for (const format of formats) {
    const found = format.value?.(value, file)
    if (found) return found
  }
  return asSession(fromMessages(value, file))
}

/** The session in lines of actions, or of messages. */
export function sessionOfLines(
  lines: readonly SessionLine[],
  parse: (text: string) => Json | undefined,
  file: string,
): readonly Session[] | undefined {
  const actions = asSession(fromActionLines(lines, file))
  if (actions) return actions
  const values = lines.map(({ content }) => parse(content))
  return values.includes(undefined) ? undefined : asSession(fromMessages(values, file))
}

const asSession = (trajectory: Trajectory | undefined): readonly Session[] | undefined =>
  trajectory && [{ ...trajectory, harness: 'import' }]
