import { builtInSummarizers } from './built-in.ts'
import type { Registry, SummarizerMode } from './summarize.ts'
import type { Summarizer } from './summarizer.ts'

/** A run's own summarizers go before the built-in ones: a record is by tool name, a list is asked in order. */
export function registryOf(
  own: Readonly<Record<string, Summarizer>> | readonly Summarizer[] = {},
  mode: SummarizerMode = 'tool_specific',
): Registry {
  const list = Array.isArray(own) ? (own as readonly Summarizer[]) : []
  const byTool = Array.isArray(own) ? {} : (own as Record<string, Summarizer>)
  return { mode, byTool, general: [...list, ...builtInSummarizers] }
}
