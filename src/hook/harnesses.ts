import type { Harness } from './harness.ts'
import { toldByPlugin } from './opencode.ts'
import { toldByEvent } from './told.ts'

/** Every program whose sessions can be recorded as they go. */
export const harnesses = [
  // It cuts what a hook says at 10,000 characters.
  { name: 'claude-code', takes: { tokens: 3_000, chars: 9_500 }, read: toldByEvent },
  // And this one at 2,500 tokens.
  { name: 'codex', takes: { tokens: 2_200, chars: 9_500 }, read: toldByEvent },
  { name: 'opencode', takes: { tokens: 3_000, chars: 20_000 }, read: toldByPlugin },
] as const satisfies readonly Harness[]

export type HarnessName = (typeof harnesses)[number]['name']

export const harnessNamed = (name: string): (Harness & { readonly name: HarnessName }) | undefined =>
  harnesses.find((harness) => harness.name === name)
