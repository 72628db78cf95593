import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { PacketLine } from '../../app/inspected/packet.ts'
import type { InspectedTurn } from '../../app/inspected/turn.ts'
import { visible } from '../../audit/visible.ts'
import { agentPath, go, route } from './route.ts'
import { type Pointed, seeText } from './see.ts'

const HOW: Readonly<Record<string, string>> = {
  verbatim: 'stands there as it is',
  rewritten: 'says the same in other wrapping',
  composed: 'was made of this',
  stated: 'was said beside the output',
}
const BY: Readonly<Record<string, string>> = {
  person: 'a person',
  definition: 'the agent’s definition',
  model: 'the model',
  tool: 'a tool',
  hub: 'the hub',
}
/** What comes from an output is no heading, however it looks. */
const isTitle = ({ text, origin }: PacketLine): boolean =>
  /^(?:GOAL|TASK):/.test(text) || (!origin && /^[A-Z][A-Z ]{3,}(?:$|[,(:a-z])/.test(text))

/** The packet line by line. Pointing at a line lights up what it was made of; choosing it opens that. */
export function PacketLines({
  turn,
  pointed,
  chosen,
}: {
  readonly turn: InspectedTurn
  readonly pointed: Signal<Pointed | undefined>
  readonly chosen: Pointed | undefined
}) {
  const box = useRef<HTMLDivElement>(null)
  const wanted = route.value.query.get('line')
  const at = useSignal(wanted === null ? -1 : Number(wanted) - 1)
  const added = addedIn(turn)
  useEffect(() => {
    if (at.peek() >= 0) lineAt(box.current, at.peek())?.scrollIntoView({ block: 'center' })
  }, [turn])
  const point = (index: number) => {
    const origin = turn.lines[index]?.origin
    pointed.value = origin && { seq: origin.seq, part: origin.part, marks: origin.marks }
  }
  const choose = (index: number) => {
    at.value = index
    const origin = turn.lines[index]?.origin
    point(index)
    const see =
      origin && !origin.part.startsWith('/') ? seeText(origin.seq, origin.part, origin.marks[0]) : undefined
    go({ line: index + 1, ...(see === undefined ? {} : { see }) })
  }
  const move = (by: number) => {
    const next = Math.max(0, Math.min(turn.lines.length - 1, at.value + by))
    at.value = next
    point(next)
    lineAt(box.current, next)?.scrollIntoView({ block: 'nearest' })
  }
  const origin = turn.lines[at.value]?.origin
  const titles = turn.lines.flatMap((line, index) => (isTitle(line) ? [{ text: line.text, index }] : []))
  return (
    <>
      <div class="sections" role="group" aria-label="Sections of the packet">
        {titles.map(({ text, index }) => (
          <button key={index} type="button" onClick={() => lineAt(box.current, index)?.scrollIntoView()}>
            {/^[A-Z ]+/.exec(text)?.[0].trim()}
          </button>
        ))}
      </div>
      <div
        ref={box}
        class="lines"
        role="group"
        tabIndex={0}
        aria-label="The packet. Up and down move through its lines, Enter opens what a line was made of."
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') move(1)
          else if (event.key === 'ArrowUp') move(-1)
          else if (event.key === 'Enter' && at.value >= 0) choose(at.value)
          else return
          event.preventDefault()
        }}
        onPointerOver={(event) => {
          const index = indexOf(event.target)
          if (index !== undefined) point(index)
        }}
        onPointerLeave={() => point(at.value)}
        onClick={(event) => {
          const index = indexOf(event.target)
          if (index !== undefined && getSelection()?.isCollapsed !== false) choose(index)
        }}
      >
        {turn.lines.map((line, index) => (
          <div
            key={index}
            data-line={index}
            class={classOf(line, index === at.value, added.has(index), chosen)}
          >
            {isTitle(line) ? <Title text={visible(line.text)} /> : visible(line.text) || ' '}
          </div>
        ))}
      </div>
      <p class="source" role="status">
        {at.value < 0 ? (
          'Choose a line to see where it comes from.'
        ) : origin ? (
          <>
            <b>#{origin.seq}</b> of{' '}
            <a class="place" href={originPath(origin)} title="Open that turn">
              turn {origin.turn}
            </a>
            , {partName(origin.part)}: {HOW[origin.how]}. Said by {BY[origin.by] ?? origin.by}.
          </>
        ) : (
          'The view wrote this line itself: a heading, a mark or a count.'
        )}
      </p>
    </>
  )
}

/** The name of a section stands out, what is said beside it does not. */
function Title({ text }: { readonly text: string }) {
  const [name = ''] = /^[A-Z ]+:?/.exec(text) ?? []
  return (
    <>
      <b>{name}</b>
      {text.slice(name.length)}
    </>
  )
}

/** The turn of an event, with the bytes that a line was made of; a field of an event has none. */
function originPath({ seq, turn, part, marks }: NonNullable<PacketLine['origin']>): string {
  const path = agentPath(route.value.agent ?? '', turn)
  return part.startsWith('/') ? path : `${path}?see=${seeText(seq, part, marks[0])}`
}

const partName = (part: string): string =>
  part === 'raw_output'
    ? 'raw output'
    : part === 'args'
      ? 'arguments of the call'
      : `its field “${part.split('/').at(-1)}”`

const lineAt = (box: HTMLElement | null, index: number): Element | null | undefined =>
  box?.querySelector(`[data-line="${index}"]`)

function indexOf(target: EventTarget | null): number | undefined {
  const line = target instanceof Element ? target.closest('[data-line]') : null
  return line instanceof HTMLElement ? Number(line.dataset['line']) : undefined
}

/** Lines that the turn before did not have. */
function addedIn({ diff, turn }: InspectedTurn): ReadonlySet<number> {
  if (turn === 0) return new Set()
  const added = new Set<number>()
  let at = 0
  for (const { kind } of diff)
    if (kind !== 'removed') {
      if (kind === 'added') added.add(at)
      at++
    }
  return added
}

function classOf(line: PacketLine, isAt: boolean, isNew: boolean, chosen: Pointed | undefined): string {
  const { origin } = line
  const names = ['line']
  if (isTitle(line)) names.push('title')
  if (origin) names.push('sourced')
  if (isNew) names.push('new')
  if (isAt) names.push('at')
  if (origin && chosen && origin.seq === chosen.seq && origin.part === chosen.part) {
    names.push('here')
    const [mark] = chosen.marks
    if (mark && origin.marks.some(([from, to]) => from < mark[1] && to > mark[0])) names.push('lit')
  }
  return names.join(' ')
}
