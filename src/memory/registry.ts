import { builtInSummarizers } from '../summarize/built-in.ts'
import type { Registry, SummarizerMode } from '../summarize/summarize.ts'
import type { Summarizer } from '../summarize/summarizer.ts'

/** A run's own summarizers go before the built-in ones: a record is by tool name, a list is asked in order. */
export function registryOf(
  own: Readonly<Record<string, Summarizer>> | readonly Summarizer[] = {},
  mode: SummarizerMode = 'tool_specific',
): Registry {
  const listed = Array.isArray(own)
  const list: readonly Summarizer[] = listed ? own : []
  return {
    mode,
    byTool: listed
      ? builtInSummarizers.byTool
      : { ...builtInSummarizers.byTool, ...(own as Record<string, Summarizer>) },
    general: [...list, ...builtInSummarizers.general],
  }
}
