import { messageOf } from '../../errors.ts'
import type { JsonObject } from '../../event/json.ts'
import { Unreadable, ValueReader } from './parse-value.ts'
import { CALL, END_CALL, END_TURN, RESPONSE } from './tokens.ts'

export interface ParsedAnswer {
  /** What is not part of a call. */
  readonly text: string
  /** The calls that were read with certainty, in order. */
  readonly calls: readonly { readonly tool: string; readonly args: JsonObject }[]
  /** Calls that were begun and cannot be read: what was written, and what is wrong with it. */
  readonly problems: readonly Problem[]
  /** The server left the control tokens out: a call with a string in it cannot be read with certainty. */
  readonly hidden: boolean
}

interface Problem {
  readonly tool: string
  readonly raw: string
  readonly what: string
  /** The answer ended before the call did. */
  readonly cut: boolean
}

/** Reads an answer in FunctionGemma's format. Never throws; a call is given whole or as a problem. */
export function parseAnswer(answer: string): ParsedAnswer {
  const [before = '', ...parts] = withoutInvention(answer).split(CALL)
  const hidden = parts.length === 0 && before.trimStart().startsWith('call:')
  const text = hidden ? [] : [before]
  const calls: { tool: string; args: JsonObject }[] = []
  const problems: Problem[] = []
  const quote = quotation(before)
  for (const [index, part] of (hidden ? [before.trimStart()] : parts).entries()) {
    if (!hidden && quote.isOpen()) {
      text.push(CALL, part)
      quote.read(part)
      continue
    }
    const end = part.indexOf(END_CALL)
    // The beginning of the next call ends this one too, whatever is missing.
    const ended = end >= 0 || index < parts.length - 1
    const call = parseCall(end < 0 ? part : part.slice(0, end), ended, hidden)
    if ('what' in call) problems.push(call)
    else calls.push({ tool: call.tool, args: call.args })
    const rest = end < 0 ? ('rest' in call ? call.rest : '') : part.slice(end + END_CALL.length)
    text.push(rest)
    quote.read(rest)
  }
  return { text: text.join('').trim(), calls, problems, hidden }
}

/** Whether what follows the text read so far stands in a fence or right behind a quotation mark: it is shown, not called. */
function quotation(before: string) {
  let fenced = false
  let end = ''
  const read = (text: string) => {
    if (text.split('```').length % 2 === 0) fenced = !fenced
    if (text !== '') end = text.slice(-3)
  }
  read(before)
  return { read, isOpen: () => fenced || /[`"'“”‘’«»]$|(?:^|\n)> ?$/.test(end) }
}

/** What follows the end of the turn, or begins a tool's answer, was never the model's to write. */
function withoutInvention(answer: string): string {
  const ends = [END_TURN, RESPONSE].map((token) => answer.indexOf(token)).filter((at) => at >= 0)
  return ends.length > 0 ? answer.slice(0, Math.min(...ends)) : answer
}

function parseCall(
  raw: string,
  ended: boolean,
  hidden: boolean,
): { tool: string; args: JsonObject; rest: string } | Problem {
  const open = raw.indexOf('{')
  const head = (open < 0 ? raw : raw.slice(0, open)).trim()
  const tool = head.startsWith('call:') ? head.slice('call:'.length).trim() : ''
  if (tool === '' || open < 0) {
    const what = tool === '' ? 'no "call:" with a name' : 'no arguments in braces'
    return { tool, raw, what, cut: !ended }
  }
  try {
    const reader = new ValueReader(raw, open)
    const args = reader.object()
    const rest = reader.rest.trim()
    if (hidden && reader.words > 0) return { tool, raw, what: 'strings that lost their bounds', cut: false }
    if ((ended || hidden) && rest !== '')
      return { tool, raw, what: 'text between the arguments and their end', cut: false }
    return { tool, args, rest }
  } catch (thrown) {
    return { tool, raw, what: messageOf(thrown), cut: !ended && thrown instanceof Unreadable && thrown.cut }
  }
}
