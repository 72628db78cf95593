import type { Learner } from './core/memory/learner.ts'
import { AgentMemory } from './core/memory/memory.ts'
import { openLog } from './core/memory/open.ts'
import type { LogOptions } from './core/memory/options.ts'
import { hideFor } from './secrets/hide.ts'
import { registryOf } from './summarize/built-in.ts'
import { hear, withNotes } from './summarize/notes.ts'
import { observe } from './summarize/observe.ts'
import { type Registry, summarize } from './summarize/summarize.ts'
import type { Summarizer } from './summarize/summarizer.ts'
import { wrapResult } from './tool/wrap.ts'

export interface MemoryOptions extends LogOptions {
  /** Asked before the built-in ones: a record is by tool name, a list is asked in order. */
  readonly summarizers?: Readonly<Record<string, Summarizer>> | readonly Summarizer[]
  readonly summarizerMode?: 'tool_specific' | 'generic' | 'tool_only'
  /**
   * Secrets in what is recorded are replaced by placeholders, unless this is off; an existing log stays as it began.
   * `known` are secret whatever they look like; placeholders that are made with the same `key` stay the same when a run is
   * resumed.
   */
  readonly secrets?: 'off' | { readonly known?: readonly string[]; readonly key?: Uint8Array }
}

/** The core's memory with the tools' results, the summarizers and the secrets of this package: the one place that wires them. */
export class Memory extends AgentMemory {
  /** Opens an agent's log, continuing it if it exists. Nothing is written if the run cannot begin. */
  static async open(options: MemoryOptions): Promise<Memory> {
    const opened = await openLog(options, (runId, begun) => {
      const { secrets } = options
      return hideFor(begun === 'off' ? 'off' : begun && secrets === 'off' ? {} : secrets, runId)
    })
    return new Memory(options, opened, learnerOf(registryOf(options.summarizers, options.summarizerMode)))
  }
}

/** Results read as this package's tools give them, and summarized by these summarizers. */
export const learnerOf = (registry: Registry): Learner => ({
  read: wrapResult,
  learn(call) {
    const seen = observe(call)
    return withNotes(seen, summarize(seen, registry))
  },
  hear,
})
