import type { Packet, Step } from '../../packet/packet.ts'
import type { State } from '../../packet/state.ts'
import { cut, cutMiddle } from '../../text/cut.ts'
import { costOf, firstThatFit } from './fit.ts'
import type { Desk, Part } from './part.ts'
import { withoutFolders } from './short-paths.ts'

const SAID_CHARS_MAX = 160
/** Of a sentence that is too long, its beginning says what was done, its end how that ended. */
const SHORT_CHARS = 90

/**
 * What was done before the last steps, a line each, the newest back while they fit; what was looked at and said where
 * there is room for more; then what is left out.
 */
export function earlierPart(desk: Desk, weight: number): Part {
  const { state, limit, count } = desk
  const cost = ({ summary }: Step) => costOf(summary, count) + 5
  // No packet of this size shows more.
  const lines = firstThatFit(earlierLines(state), limit, cost)
  return {
    weight,
    takesSpare: true,
    need: lines.reduce((sum, line) => sum + cost(line), 0),
    show(tokens, packet) {
      const shown = new Set([...packet.recent_actions, ...packet.thoughts].map(({ ref }) => ref))
      const others = lines.filter(({ ref }) => !shown.has(ref))
      const whole = firstThatFit(others, tokens, cost)
      // One line for each kind of step says more than few steps in full; then, where there is room, the others.
      const fitting = whole.length < others.length ? firstThatFit(inShort(others), tokens, cost) : whole
      const earlier = fitting.sort((a, b) => a.ref - b.ref)
      return { ...packet, earlier, omitted: omittedFrom(state, { ...packet, earlier }) }
    },
  }
}

/** Each kind of step by its last one, then the steps before it, all in short. */
function inShort(steps: readonly Step[]): Step[] {
  const kinds = Map.groupBy(steps, kindOf)
  const short = (step: Step, more = ''): Step => ({
    ...step,
    summary: `${cutMiddle(withoutFolders(step.summary), SHORT_CHARS)}${more}`,
  })
  const newest = [...kinds.values()].flatMap(([first]) => first ?? [])
  const shown = new Set(newest)
  return [
    ...newest.map((step) => {
      const times = kinds.get(kindOf(step))?.length ?? 1
      return short(step, times > 1 ? ` (${times} times)` : '')
    }),
    ...steps.filter((step) => !shown.has(step)).map((step) => short(step)),
  ]
}

/** What a sentence begins with says what was done to what: `Edited a.py`, `$ npm run test`. */
const kindOf = ({ ref, tool, summary }: Pick<Step, 'ref' | 'tool' | 'summary'>): string =>
  tool === '' ? `${ref}` : summary.split(' ', summary.startsWith('$ ') ? 4 : 2).join(' ')

/** What was done, from the newest back; then what was only looked at; then words. */
function* earlierLines({ actions, thoughts }: State): Iterable<Step> {
  for (const looks of [false, true])
    for (const { turn, tool, summary, outcome, ref, looked } of actions.toReversed())
      if (looked === looks)
        yield { turn, tool, call: '', summary: summary === '' ? tool : summary, outcome, output: '', ref }
  for (const { turn, value, ref } of thoughts.toReversed())
    yield { turn, tool: '', call: '', summary: lastSentence(value), outcome: 'success', output: '', ref }
}

/** What was said last; `Code:` or `Let's see:` only announces what follows. */
function lastSentence(text: string): string {
  const sentences = text.trim().split(/(?<=[.!?:])\s+|\n+/)
  const told = sentences.findLast((sentence) => !sentence.endsWith(':'))
  return cut(told ?? sentences.at(-1) ?? '', SAID_CHARS_MAX)
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
    const kinds = new Set(shown.earlier.map(kindOf))
    const isTold = state.forgotten === null && hidden.every((step) => step.looked || kinds.has(kindOf(step)))
    const told = isTold ? ', reads and searches or like those above' : ''
    omitted.push(`${steps} earlier steps (#${first}-#${last})${told}`)
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
