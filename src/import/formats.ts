import type { JsonObject } from '../core/event/json.ts'
import { actionLines } from './actions.ts'
import { atif } from './atif.ts'
import { messages } from './chat.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import type { Format, LineFormat, Session } from './format.ts'
import { gemini } from './gemini.ts'
import { miniSweAgent } from './mini-swe-agent.ts'
import { opencode } from './opencode.ts'
import { openHands } from './openhands.ts'
import { sweAgent } from './swe-agent.ts'

/** Every form that is told by its own marks; actions and messages of any harness are asked last. */
const formats: readonly Format[] = [
  ...[claudeCode, codex, gemini, opencode, sweAgent, openHands, miniSweAgent, atif],
  ...[actionLines, messages],
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
export function sessionsInValue(value: unknown, file: string): readonly Session[] | undefined {
  for (const format of formats) {
    const found = format.value?.(value, file)
    if (found) return found
  }
  return undefined
}
