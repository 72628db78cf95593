import { builtInSummarizers } from './built-in.ts'
import type { Registry, SummarizerMode } from './summarize.ts'
import type { Summarizer } from './summarizer.ts'

/** A run's own summarizers go before the built-in ones: a record is by tool name, a list is asked in order. */
export function registryOf(
  own: Readonly<Record<string, Summarizer>> | readonly Summarizer[] = {},
  mode: SummarizerMode = 'tool_specific',
): Registry {
  const { byTool, general } = builtInSummarizers
  if (Array.isArray(own)) return { mode, byTool, general: [...(own as readonly Summarizer[]), ...general] }
  return { mode, byTool: { ...byTool, ...(own as Record<string, Summarizer>) }, general }
}
