import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import type { Harness } from './harness.ts'
import { opencode } from './opencode.ts'

/** Every program whose sessions can be recorded as they go. */
export const harnesses: readonly Harness[] = [claudeCode, codex, opencode]

export const harnessNamed = (name: string): Harness | undefined =>
  harnesses.find((harness) => harness.name === name)
