import { readFileSync } from 'node:fs'
import type { Event, Settings } from '../src/core/event/event.ts'
import { open, toEvent } from '../src/core/event/line.ts'
import { loadTokenizer } from '../src/core/memory/tokenizer.ts'
import { fold } from '../src/core/packet/fold.ts'
import type { State } from '../src/core/packet/state.ts'
import { type Prompt, promptOf } from '../src/core/view/prompt.ts'
import { readerOf } from '../src/core/view/reader.ts'
import { sha256 } from '../src/sha256.ts'

/** The events of a log file, every line checked. */
export const readLog = (path: string): Event[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => toEvent(open(Buffer.from(line), sha256)))

/** The prompt at the end of every turn. */
export async function foldTurns(
  events: readonly Event[],
): Promise<{ readonly settings: Settings; readonly prompt: Prompt }[]> {
  const turns: { settings: Settings; prompt: Prompt }[] = []
  let state: State | undefined
  for (const [at, event] of events.entries()) {
    state = fold(state, event)
    if (events[at + 1]?.turn === event.turn) continue
    const { settings } = state
    turns.push({ settings, prompt: promptOf(state, readerOf(await loadTokenizer(settings.tokenizer))) })
  }
  return turns
}
