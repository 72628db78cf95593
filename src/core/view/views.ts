import { TwotrackError } from '../../errors.ts'
import type { Settings } from '../event/event.ts'
import { desk1 } from './desk1/desk1.ts'
import type { View } from './view.ts'

/** What new runs use. */
export const CURRENT_VIEW = 'desk-1'

const views: Readonly<Record<string, Readonly<Record<Settings['rendering'], View>>>> = { 'desk-1': desk1 }

/** The view that a run's first event names. */
export function viewOf({ view, rendering }: Pick<Settings, 'view' | 'rendering'>): View {
  const known = Object.hasOwn(views, view) ? views[view]?.[rendering] : undefined
  if (known) return known
  throw new TwotrackError(
    'unknown_view',
    `This log shows its packets in the view ${JSON.stringify(view)} (${rendering}), which is not known here ` +
      `(known: ${Object.keys(views).join(', ')}). Read it with the version that wrote it.`,
    { details: { view } },
  )
}
