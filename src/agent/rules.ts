import type { Candidate, Delta } from '../core/event/delta.ts'
import { canonical, type Json } from '../core/event/json.ts'
import { countNamed } from '../text/lines.ts'
import type { Check, Condition, ReasonRule, Rule, StatusRule } from './agent.ts'
import type { RuleView } from './rule-view.ts'
import { fillJson, fillObject, type Lookup, lookupIn } from './template.ts'

/**
 * The actions that an agent's rules propose, in the order of the rules, each once. A rule whose templates name
 * something that is not known proposes nothing.
 */
export function candidatesOf(rules: readonly Rule[], view: RuleView): Candidate[] {
  const lookup = lookupIn(view)
  const seen = new Set<string>()
  return rules.flatMap((rule) => {
    if (rule.when && !conditionHolds(rule.when, view, lookup)) return []
    const args = fillObject(rule.args, lookup)
    const reason = fillJson(rule.reason, lookup)
    if (args === undefined || typeof reason !== 'string') return []
    const call = canonical([rule.tool, args])
    if (seen.has(call)) return []
    seen.add(call)
    return [{ tool: rule.tool, args, reason }]
  })
}

/** Where the work stands: the first rule that holds and whose templates are all known. */
export function statusOf(
  rules: readonly StatusRule[],
  view: RuleView,
): Pick<Delta, 'set_state_summary' | 'set_extension'> {
  const lookup = lookupIn(view)
  for (const { when, text, set = {} } of rules) {
    if (when && !conditionHolds(when, view, lookup)) continue
    const words = fillJson(text, lookup)
    const values = fillObject(set, lookup)
    if (typeof words !== 'string' || values === undefined) continue
    return { set_state_summary: words, ...(Object.keys(values).length > 0 ? { set_extension: values } : {}) }
  }
  return {}
}

/** Why, as the first rule says that holds and whose templates are all known; undefined where none holds. */
export function reasonOf(rules: readonly ReasonRule[], view: RuleView): string | undefined {
  const lookup = lookupIn(view)
  const held = rules.filter(({ when }) => conditionHolds(when, view, lookup))
  const words = held.map(({ text }) => fillJson(text, lookup)).find((filled) => filled !== undefined)
  return words === undefined ? held[0]?.text : String(words)
}

/** How many problems are left, as the agent's check counts them. */
export function problemsOf(check: Check | undefined, view: RuleView): number {
  const counted = check?.problems === undefined ? undefined : fillJson(check.problems, lookupIn(view))
  return typeof counted === 'number' ? counted : countNamed(view.diagnostics)
}

/** Whether every part of a condition holds. */
export function conditionHolds(when: Condition, view: RuleView, lookup: Lookup): boolean {
  const { known = [], unknown = [], equals = {}, above = {}, called_below = {} } = when
  return (
    known.every((name) => lookup(name) !== undefined) &&
    unknown.every((name) => lookup(name) === undefined) &&
    Object.entries(equals).every(([name, wanted]) => isSame(lookup(name), wanted)) &&
    Object.entries(above).every(([name, least]) => isAbove(lookup(name), least)) &&
    Object.entries(called_below).every(([tool, most]) => (view.calls[tool] ?? 0) < most) &&
    (when.last === undefined || isLast(when.last, view))
  )
}

const isSame = (value: Json | undefined, wanted: Json): boolean =>
  value !== undefined && canonical(value) === canonical(wanted)

const isAbove = (value: Json | undefined, least: number): boolean =>
  typeof value === 'number' && value > least

function isLast({ tool, outcome }: NonNullable<Condition['last']>, { actions }: RuleView): boolean {
  const last = actions.at(-1)
  return last?.tool === tool && (outcome === undefined || last.outcome === outcome)
}
