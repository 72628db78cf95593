import type { Packet, Step } from '../../packet/packet.ts'
import type { Action, State } from '../../packet/state.ts'
import { cutMiddle } from '../../text/cut.ts'
import { onOneLine } from '../../text/lines.ts'
import { callText, resultOf } from './call.ts'
import { costOf, firstThatFit } from './fit.ts'
import type { Desk, Part } from './part.ts'
import { withoutFolders } from './short-paths.ts'

/** Of what is too long, its beginning says what was done, its end how that ended. */
const SHORT_CHARS = 90
/** A command may be run again. */
const COMMAND_CHARS = 160
const COMMANDS_FIRST = 5

/** A step, and what steps of its kind have in common. */
interface Line extends Step {
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
  const told = all.map((action) => once(action, lineOf))
  // No packet of this size shows more.
  const lines = firstThatFit(told, limit, cost)
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
      const earlier = fitting.sort((a, b) => a.ref - b.ref).map(({ kind, ...step }) => step)
      return { ...packet, earlier, omitted: omittedFrom(state, { ...packet, earlier }) }
    },
  }
}

/** The last of each kind of step, some commands first; then the steps before them; all in short. */
function inShort(lines: readonly Line[]): Line[] {
  const kinds = Map.groupBy(lines, ({ kind }) => kind)
  const last = [...kinds.values()].flatMap(([line]) => line ?? [])
  const commands = last.filter(({ call }) => call !== '').slice(0, COMMANDS_FIRST)
  return [...new Set([...commands, ...last, ...lines])].map((line, at) => {
    const times = at < last.length ? (kinds.get(line.kind)?.length ?? 1) : 1
    const ended = cutMiddle(withoutFolders(line.summary), SHORT_CHARS)
    return {
      ...line,
      call: cutMiddle(line.call, COMMAND_CHARS),
      summary: times > 1 ? `${ended} (${times} times)` : ended,
    }
  })
}

/** A command with how it ended; anything else as its sentence tells it. */
function lineOf(action: Action): Line {
  const { turn, tool, summary, outcome, ref } = action
  const isCommand = summary.startsWith('$ ')
  return {
    turn,
    tool,
    call: isCommand ? onOneLine(callText(action, undefined)) : '',
    summary: isCommand ? resultOf(action) : summary === '' ? tool : summary,
    outcome,
    output: '',
    ref,
    // What a sentence begins with says what was done to what: `Edited a.py`, `$ npm run test`.
    kind: summary.split(' ', isCommand ? 4 : 2).join(' '),
  }
}

/** Says what a packet does not show, and where to find it. */
function omittedFrom(state: State, shown: Packet): string[] {
  const omitted: string[] = []
  const visible = new Set([...shown.earlier, ...shown.recent_actions].map(({ ref }) => ref))
  const hidden = state.actions.filter(({ ref }) => !visible.has(ref))
  const steps = hidden.length + (state.forgotten?.count ?? 0)
  if (steps > 0) {
    const first = state.forgotten?.first ?? hidden[0]?.ref
    const last = hidden.at(-1)?.ref ?? state.forgotten?.last
    omitted.push(`${steps} earlier steps (#${first}-#${last})`)
  }
  const more = (what: string, all: number, some: number) => {
    if (all > some) omitted.push(`${all - some} ${what}`)
  }
  more(
    'known facts',
    Object.keys(state.knowledge).length + state.knowledge_forgotten,
    Object.keys(shown.knowledge).length,
  )
  more('open problems', state.diagnostics.length, shown.diagnostics.length)
  more('failed attempts', state.failed_attempts.length, shown.failed_attempts.length)
  more('items of the plan', state.plan.length, shown.plan.length)
  more('changed files', state.changed.length, shown.changed.length)
  // What the newest call wrote stands in it.
  const paths = new Set(shown.files.map(({ path }) => path))
  const newest = state.actions.at(-1)?.ref
  const files = Object.values(state.files).filter(({ path, ref }) => ref !== newest && !paths.has(path))
  more('files', files.length, 0)
  return omitted
}
