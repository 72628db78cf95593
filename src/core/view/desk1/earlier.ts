import { cutMiddle } from '../../../text/cut.ts'
import { onOneLine } from '../../../text/lines.ts'
import type { Step } from '../../packet/packet.ts'
import type { Action } from '../../packet/state.ts'
import { callText, resultOf } from './call.ts'
import { costOf, firstThatFit } from './fit.ts'
import { leftOut } from './left-out.ts'
import type { Desk, Part } from './part.ts'
import { withoutFolders } from './short-paths.ts'

/** Of what is too long, its beginning says what was done, its end how that ended. */
const SHORT_CHARS = 90
/** A command may be run again. */
const COMMAND_CHARS = 160
const COMMANDS_FIRST = 5
/** What the agent is in the middle of is seen from its last steps. */
const NEWEST_FIRST = 2

/** A step, the same in short, and what steps of its kind have in common. */
interface Line extends Step {
  readonly short: Pick<Step, 'call' | 'summary'>
  readonly kind: string
}

/**
 * What was done before the last steps, a line each, the newest back while they fit; what was looked at where there is
 * room for more; then what is left out.
 */
export function earlierPart(desk: Desk, weight: number): Part {
  const { state, limit, count, once } = desk
  const cost = ({ call, summary }: Step) => costOf(call, count) + costOf(summary, count) + 5
  const newest = state.actions.toReversed()
  const all = [...newest.filter(({ looked }) => !looked), ...newest.filter(({ looked }) => looked)]
  // No packet of this size shows more.
  const lines = all.slice(0, limit >> 3).map((action) => once(action, lineOf))
  return {
    weight,
    takesSpare: true,
    need: lines.reduce((sum, line) => sum + cost(line), 0),
    show(tokens, packet) {
      const shown = new Set(packet.recent_actions.map(({ ref }) => ref))
      const others = lines.filter(({ ref }) => !shown.has(ref))
      const whole = firstThatFit(others, tokens, cost)
      // One line for each kind of step says more than few steps in full; then, where there is room, the others.
      const fitting = whole.length < others.length ? firstThatFit(inShort(others), tokens, cost) : whole
      const earlier = fitting.sort((a, b) => a.ref - b.ref).map(({ kind, short, ...step }) => step)
      return { ...packet, earlier, omitted: leftOut(desk, { ...packet, earlier }) }
    },
  }
}

/** Those just before the steps that are shown, some commands, the last of each kind, then the others; all in short. */
function* inShort(lines: readonly Line[]): Iterable<Line> {
  const kinds = Map.groupBy(lines, ({ kind }) => kind)
  const last = [...kinds.values()].flatMap(([line]) => line ?? [])
  const commands = last.filter(({ call }) => call !== '').slice(0, COMMANDS_FIRST)
  const newest = lines.toSorted((a, b) => b.ref - a.ref).slice(0, NEWEST_FIRST)
  for (const line of new Set([...newest, ...commands, ...last, ...lines])) {
    const ofKind = kinds.get(line.kind) ?? []
    const times = ofKind[0] === line && ofKind.length > 1 ? ` (${ofKind.length} times)` : ''
    yield { ...line, call: line.short.call, summary: line.short.summary + times }
  }
}

/** A command with how it ended; anything else as its sentence tells it. */
function lineOf(action: Action): Line {
  const { turn, tool, outcome, ref } = action
  const isCommand = action.summary.startsWith('$ ')
  const call = isCommand ? onOneLine(callText(action, undefined)) : ''
  const summary = isCommand ? resultOf(action) : action.summary || tool
  const short = {
    call: cutMiddle(call, COMMAND_CHARS),
    summary: cutMiddle(withoutFolders(summary), SHORT_CHARS),
  }
  // What a sentence begins with says what was done to what: `Edited a.py`, `$ npm run test`.
  const kind = action.summary.split(' ', isCommand ? 4 : 2).join(' ')
  return { turn, tool, call, summary, outcome, output: '', ref, short, kind }
}
