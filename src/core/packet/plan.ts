import { cut } from '../../text/cut.ts'
import type { PlanChange } from '../event/delta.ts'
import { cap } from './caps.ts'
import type { At, PlanItem, State } from './state.ts'

/** Item by item: a known id changes in place, a new one is added; null begins anew. */
export function updatePlan(state: State, changes: readonly (PlanChange | null)[], at: At): State {
  if (changes.length === 0) return state
  const chars = cap(state.settings, 'plan_item_chars')
  let plan: readonly PlanItem[] = state.plan
  for (const change of changes) {
    if (change === null) {
      plan = []
      continue
    }
    const place = plan.findIndex(({ id }) => id === change.id)
    const before = plan[place]
    const text = cut(change.text ?? before?.text ?? '', chars)
    if (text === '') continue // a status of something that was never planned
    const item: PlanItem = {
      id: change.id,
      text,
      status: change.status ?? before?.status ?? 'open',
      ref: at.seq,
    }
    plan = before ? plan.with(place, item) : [...plan, item]
  }
  return { ...state, plan: plan.slice(-cap(state.settings, 'plan_items')) }
}
