import { isObject, type Json } from '../../event/json.ts'
import { shortLine } from '../../text/lines.ts'
import type { Observation, Summarizer } from '../summarizer.ts'
import { countOf } from './count.ts'

/**
 * A linter tool's structured result. Tools name their findings in different ways, so each known way is read:
 * a list or a count of `errors`, `issues`, `diagnostics`, `violations`; `total`; `fixed`; `fixable`.
 */
export const linter: Summarizer = {
  name: 'linter',
  summarize(seen: Observation) {
    const { output } = seen
    if (!isObject(output)) return undefined
    const found = findings(output)
    if (found === undefined) return undefined
    const fixed = countOf(output['fixed'] ?? output['fixes_applied'] ?? output['issues_fixed']) ?? 0
    const remaining = found.count
    const told = countOf(output['fixable'] ?? output['fixable_count'])
    const fixable = remaining === 0 && told !== undefined ? 0 : told
    return {
      summary: sentence(remaining, fixed, fixable),
      // The linter worked: issues found are a result, not a failure.
      outcome: seen.outcome === 'error' ? 'error' : remaining > 0 ? 'partial' : 'success',
      knowledge: {
        lint_errors_remaining: remaining,
        lint_errors_fixed: fixed,
        ...(fixable === undefined ? {} : { lint_errors_fixable: fixable }),
      },
      // What an earlier run said of it is no longer known.
      ...(fixable === undefined ? { supersedes: ['lint_errors_fixable'] } : {}),
      diagnostics: [null, ...found.items.slice(0, 20).map(describe)],
    }
  },
}

const LISTS = ['errors', 'issues', 'diagnostics', 'violations', 'messages', 'findings']
const COUNTS = [
  'total',
  'total_issues',
  'error_count',
  'issue_count',
  'issues_remaining',
  'remaining',
  'count',
]

function findings(output: Record<string, unknown>): { count: number; items: readonly unknown[] } | undefined {
  for (const name of LISTS) {
    const value = output[name]
    if (Array.isArray(value)) return { count: value.length, items: value }
    if (typeof value === 'number') return { count: value, items: [] }
  }
  for (const name of COUNTS) {
    const count = countOf(output[name])
    if (count !== undefined) return { count, items: [] }
  }
  return undefined
}

function sentence(remaining: number, fixed: number, fixable: number | undefined): string {
  const can = fixable ? `, ${fixable} fixable` : ''
  const noun = (count: number) => `${count} lint ${count === 1 ? 'error' : 'errors'}`
  if (fixed > 0)
    return remaining === 0 ? `Fixed all ${noun(fixed)}` : `Fixed ${noun(fixed)}, ${remaining} remaining${can}`
  return remaining === 0 ? 'No lint errors found' : `Found ${noun(remaining)}${can}`
}

function describe(item: unknown): string {
  if (!isObject(item)) return shortLine(String(item))
  const place = [
    item['path'] ?? item['file'] ?? item['filename'],
    item['line'] ?? item['line_number'] ?? item['row'],
  ]
  const where = place.filter((part) => typeof part === 'string' || typeof part === 'number').join(':')
  const code = item['code'] ?? item['rule'] ?? item['rule_id'] ?? item['ruleId']
  const words = [where, code, item['message'] ?? item['text']] as (Json | undefined)[]
  return shortLine(
    words
      .filter((part) => part !== undefined && part !== null && part !== '')
      .map(String)
      .join(' '),
  )
}
