import type { State } from '../../packet/state.ts'
import { isNumber, writtenNames } from '../../text/names.ts'
import { valuesIn } from '../../text/values.ts'

/** The newest calls, and how far back what they name is looked for. */
const CALLS = 4
const STEPS_BACK = 30
const NAMES_PER_CALL_MAX = 40
/** What is looked at of a call: one that writes a file may be as long as the file. */
const CALL_CHARS_MAX = 400

/** An output that the newest calls took names from: how many of these calls, and the lines with the names. */
export interface InUse {
  readonly calls: number
  readonly lines: readonly number[]
}

/**
 * The outputs that the newest calls took their names from, by ref: a list that is gone through item by item stays at
 * hand, however long ago it was asked for. A name that an earlier call used too says nothing of where it came from.
 */
export function outputsInUse({ actions }: State): ReadonlyMap<number, InUse> {
  const found = new Map<number, { calls: number; lines: Set<number> }>()
  const steps = actions.slice(-CALLS - STEPS_BACK)
  const calls = steps.map(({ args }) => valuesIn(args).slice(0, CALL_CHARS_MAX))
  for (let at = Math.max(1, steps.length - CALLS); at < steps.length; at++) {
    const counted = new Set<number>()
    const names = [...writtenNames(calls[at] ?? '').values()].slice(0, NAMES_PER_CALL_MAX)
    for (const name of names) {
      if (isNumber(name) || calls.some((call, other) => other < at && call.includes(name))) continue
      const step = steps.findLast(({ output }, other) => other < at && output.includes(name))
      if (!step) continue
      const use = found.get(step.ref) ?? { calls: 0, lines: new Set() }
      found.set(step.ref, use)
      if (!counted.has(step.ref)) use.calls++
      counted.add(step.ref)
      for (const [line, text] of step.output.split('\n').entries())
        if (text.includes(name)) use.lines.add(line)
    }
  }
  return new Map([...found].map(([ref, { calls, lines }]) => [ref, { calls, lines: [...lines] }]))
}
