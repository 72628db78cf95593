import { FOLD_CAPS } from '../limits.ts'
import { notes } from '../packet/notes.ts'
import type { Tokenizer } from '../prompt/tokens/tokenizer.ts'

/** The part of the packet that an imported task may take: a live run would be refused, an import is not. */
const GOAL_SHARE = 0.12
/** The fold cuts a goal there; `\n…` is added to what is kept. */
const CHARS_MAX = FOLD_CAPS.goal_chars - 2
const KEY = 'rest of the task'

/**
 * A recorded task may be longer than a packet. What fits stays the goal; the rest becomes knowledge, whose lines
 * are shown as far as there is room.
 */
export function splitTask(
  task: string,
  packetTokens: number,
  tokenizer: Tokenizer,
): { goal: string; rest: Record<string, ReturnType<typeof notes>> } {
  const limit = Math.floor(packetTokens * GOAL_SHARE)
  const fits = (text: string) => text.length <= CHARS_MAX && tokenizer.count(text) <= limit
  if (fits(task)) return { goal: task, rest: {} }
  const lines = task.split('\n')
  const kept: string[] = []
  let left = limit
  let chars = CHARS_MAX
  for (const line of lines) {
    left -= tokenizer.count(line) + 1
    chars -= line.length + 1
    if (left < 0 || chars < 0) break
    kept.push(line)
  }
  const first = kept.length > 0 ? kept.join('\n') : cutToTokens(lines[0] ?? '', limit, tokenizer)
  const rest =
    kept.length > 0 ? lines.slice(kept.length) : [(lines[0] ?? '').slice(first.length), ...lines.slice(1)]
  const shown = rest.filter((line) => line.trim() !== '').map((line): [number, string] => [0, line.trim()])
  return { goal: `${first}\n…`, rest: { [KEY]: notes(`${shown.length} more lines`, shown) } }
}

function cutToTokens(text: string, limit: number, tokenizer: Tokenizer): string {
  let end = Math.min(text.length, limit * 4, CHARS_MAX)
  while (end > 0 && tokenizer.count(text.slice(0, end)) > limit) end = Math.floor(end * 0.8)
  return text.slice(0, end).toWellFormed()
}
