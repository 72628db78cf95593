import { SANDBOX_PRESETS } from '../../limits.ts'

export type Preset = keyof typeof SANDBOX_PRESETS
export interface SandboxLimits {
  readonly memory_bytes: number
  /** From the script's first statement on, time spent in externals included. */
  readonly deadline_ms: number
}

export const limitsOf = (limits: Preset | SandboxLimits = 'default'): SandboxLimits =>
  typeof limits === 'string' ? SANDBOX_PRESETS[limits] : limits
