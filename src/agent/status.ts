import type { Delta } from '../event/delta.ts'
import type { StatusRule } from './agent.ts'
import type { RuleView } from './rule-view.ts'
import { holds } from './rules.ts'
import { fillJson, fillObject, lookupIn } from './template.ts'

/** Where the work stands: the first rule that holds and whose templates are all known. */
export function statusOf(
  rules: readonly StatusRule[],
  view: RuleView,
): Pick<Delta, 'set_state_summary' | 'set_extension'> {
  const lookup = lookupIn(view)
  for (const { when, text, set = {} } of rules) {
    if (when && !holds(when, view, lookup)) continue
    const words = fillJson(text, lookup)
    const values = fillObject(set, lookup)
    if (typeof words !== 'string' || values === undefined) continue
    return { set_state_summary: words, ...(Object.keys(values).length > 0 ? { set_extension: values } : {}) }
  }
  return {}
}
