import type { Harness } from './harness.ts'
import { toldByEvent } from './told.ts'

/** What a hook says is cut at 10,000 characters. */
export const claudeCodeHook: Harness = {
  name: 'claude-code',
  takes: { tokens: 3_000, chars: 9_500 },
  read: toldByEvent,
}
