import { claudeCodeHook } from './claude-code.ts'
import { codexHook } from './codex.ts'
import type { Harness } from './harness.ts'
import { opencodeHook } from './opencode.ts'

/** Every program whose sessions can be recorded as they go. */
export const harnesses: readonly Harness[] = [claudeCodeHook, codexHook, opencodeHook]

export const harnessNamed = (name: string): Harness | undefined =>
  harnesses.find((harness) => harness.name === name)
