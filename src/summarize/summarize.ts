import type { Lesson } from '../core/memory/learner.ts'
import { messageOf } from '../errors.ts'
import { genericSummarizer } from './generic.ts'
import type { Observation, Summarizer, Summary } from './summarizer.ts'
import { toDelta } from './summarizer.ts'

export type SummarizerMode = 'tool_specific' | 'generic' | 'tool_only'

export interface Registry {
  readonly mode: SummarizerMode
  /** Asked first, by the exact name of the tool. */
  readonly byTool: Readonly<Record<string, Summarizer>>
  /** Asked next, in order; the first that answers wins. */
  readonly general: readonly Summarizer[]
}

/**
 * Order of precedence, for each part of a summary separately: the tool's own, the summarizer
 * registered for the tool, the general ones in order, the generic one. One that throws is passed over and named.
 */
export function summarize(seen: Observation, registry: Registry): Lesson {
  const { own = {} } = seen
  const failures: string[] = []
  const answer = registry.mode === 'tool_only' ? undefined : askSummarizer(seen, registry, failures)
  const learned = answer && withChanges(seen, answer.summary)
  const summary: Summary = {
    ...(learned ?? {}),
    ...own,
    // They count lines of another text.
    ...(own.output === undefined ? {} : { highlights: [] }),
    summary:
      own.summary ??
      learned?.summary ??
      (seen.outcome === 'error' ? `${seen.tool} failed` : `Ran ${seen.tool}`),
  }
  const name = own.summary === undefined ? (answer?.name ?? 'none') : 'tool'
  const version = own.summary === undefined ? answer?.version : undefined
  return {
    delta: toDelta(seen, summary),
    summarizer: failures.length > 0 ? `${name} (${failures.join('; ')})` : name,
    ...(version === undefined ? {} : { version }),
    outcome: summary.outcome ?? seen.outcome,
  }
}

/** What a command did to files besides what it showed: a script written, then run. */
function withChanges(seen: Observation, summary: Summary): Summary {
  const { changes, programs } = seen.call
  const failed = (summary.outcome ?? seen.outcome) === 'error'
  // What stands before the last of several programs is done when that one fails.
  if (summary.files || changes.length === 0 || (failed && programs.length < 2)) return summary
  return { ...summary, files: changes }
}

function askSummarizer(
  seen: Observation,
  registry: Registry,
  failures: string[],
): { name: string; version: string | undefined; summary: Summary } | undefined {
  const named = Object.hasOwn(registry.byTool, seen.tool) ? registry.byTool[seen.tool] : undefined
  const specific = registry.mode === 'tool_specific' ? [...(named ? [named] : []), ...registry.general] : []
  for (const summarizer of [...specific, genericSummarizer]) {
    try {
      const summary = summarizer.summarize(seen)
      if (summary) return { name: summarizer.name, version: summarizer.version, summary }
    } catch (thrown) {
      failures.push(`${summarizer.name} failed: ${messageOf(thrown).slice(0, 200)}`)
    }
  }
  return undefined
}
