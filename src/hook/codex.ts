import type { Harness } from './harness.ts'
import { toldByEvent } from './told.ts'

/** What a hook says is cut at 2,500 tokens. */
export const codexHook: Harness = {
  name: 'codex',
  takes: { tokens: 2_200, chars: 9_500 },
  read: toldByEvent,
}
