import type { Action } from './grounding-needs.ts'

/** What other ways of shortening a history would show at the same size in bytes. */
export const BASELINES = {
  /** The end of the whole history. */
  tail: (task: string, actions: readonly Action[], size: number) => ending(historyOf(task, actions), size),
  /** Beginning and end of the newest output. */
  'head and tail': (_task: string, actions: readonly Action[], size: number) => {
    const output = Buffer.from(actions.at(-1)?.output ?? '')
    if (output.length <= size) return output.toString()
    const half = size >> 1
    return `${output.subarray(0, half).toString()}\n${output.subarray(-half).toString()}`
  },
  /** All calls, and the newest outputs while they fit: older ones are masked. */
  masked: (task: string, actions: readonly Action[], size: number) => {
    const calls = actions.map(({ call, args }) => `${call} ${args}\n[output left out]`)
    let left = size - bytes(task) - calls.reduce((sum, call) => sum + bytes(call) + 1, 0)
    for (let at = actions.length - 1; at >= 0; at--) {
      const action = actions[at]
      if (!action) break
      left -= bytes(action.output)
      if (left < 0 && at < actions.length - 1) break
      calls[at] = `${action.call} ${action.args}\n${action.output}`
    }
    return ending([task, ...calls].join('\n'), size)
  },
} as const

export type Baseline = keyof typeof BASELINES

export const historyOf = (task: string, actions: readonly Action[]): string =>
  [task, ...actions.map(({ call, args, output }) => `${call} ${args}\n${output}`)].join('\n')

const bytes = (text: string): number => Buffer.byteLength(text)

const ending = (text: string, size: number): string => {
  const whole = Buffer.from(text)
  return whole.subarray(Math.max(0, whole.length - size)).toString()
}
