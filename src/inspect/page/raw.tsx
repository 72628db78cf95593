import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { OutputRow } from '../../app/inspected/output-rows.ts'
import type { InspectedTurn } from '../../app/inspected/turn.ts'
import type { Spot } from '../../audit/blindspots/spot.ts'
import { isExported } from './api.ts'
import { Failure } from './frame.tsx'
import { Picture, SaveLink } from './picture.tsx'
import { go } from './route.ts'
import { RowText } from './row-text.tsx'
import { BLOCK, useRows } from './rows.ts'
import { type Pointed, seeText } from './see.ts'
import { SeenWhen } from './seen-when.tsx'
import { useSize } from './size.ts'
import { counted, size } from './words.ts'

const ROW_PX = 19
/** No element gets higher: browsers end at about three times that. Of more rows each pixel is several. */
const HEIGHT_MAX = 10_000_000
const MARGIN_ROWS = 12

type Marks = Pointed['marks']
const NO_MARKS: Marks = []

/** A raw field, byte for byte: what the packet showed of it is marked, and each row tells which packets showed it. */
export function RawView({
  base,
  chosen: { seq, part, marks },
  turn,
  pointed,
  spots,
  seen,
}: {
  readonly base: string
  readonly chosen: Pointed
  readonly turn: InspectedTurn
  readonly pointed?: Pointed | undefined
  readonly spots: readonly Spot[]
  readonly seen?: Signal<readonly number[]>
}) {
  const box = useRef<HTMLDivElement>(null)
  const rows = useRows(base, seq, part)
  const top = useSignal(0)
  const { height: view } = useSize(box, { width: 600, height: 400 }, rows.media).value
  const at = useSignal(-1)
  // What came whole is drawn whole, so that long lines can be as high as they are.
  const isWrapped = rows.total <= BLOCK
  const isJson = isWrapped && /^(?:\{"|\[[{"])/.test(rows.row(0)?.text ?? '')
  const height = Math.min(rows.total * ROW_PX, HEIGHT_MAX)
  const scale = height > view ? Math.max(0, rows.total * ROW_PX - view) / (height - view) : 1
  const first = Math.max(0, Math.floor((top.value * scale) / ROW_PX))
  const from = isWrapped ? 0 : Math.max(0, first - MARGIN_ROWS)
  const to = isWrapped ? rows.total : Math.min(rows.total, first + Math.ceil(view / ROW_PX) + MARGIN_ROWS)
  const others = turn.steps.find((step) => step.seq === seq)?.parts ?? []
  const output = part === 'raw_output' ? turn.shown.find((one) => one.seq === seq) : undefined
  const shown = output?.marks ?? NO_MARKS
  const here = pointed?.seq === seq && pointed.part === part ? pointed.marks : []
  const reveal = (row: number, block: 'center' | 'nearest') => {
    const inSight = Math.floor(view / ROW_PX) - 1
    if (isWrapped) box.current?.querySelector(`[data-row="${row}"]`)?.scrollIntoView({ block })
    else if (block === 'center' || row < first || row >= first + inSight)
      box.current?.scrollTo({ top: Math.max(0, row * ROW_PX - view / 2) / scale })
  }
  useEffect(() => rows.want(from, to), [from, to, rows.total > 0])
  const [mark] = marks
  useEffect(() => {
    if (mark && rows.total > 0)
      rows.rowOf(mark[0]).then((row) => {
        at.value = row
        reveal(row, 'center')
      })
  }, [mark?.[0], rows.total > 0])
  const [near] = here
  useEffect(() => {
    if (!near || rows.total === 0) return
    const later = setTimeout(() => {
      rows.rowOf(near[0]).then((row) => reveal(row, 'nearest'))
    }, 80)
    return () => clearTimeout(later)
  }, [near?.[0]])
  const choose = (index: number) => {
    const row = rows.row(index)
    if (!row || !seen) return
    at.value = index
    go({ see: seeText(seq, part, [row.at, row.at + Math.max(1, byteLength(row.text))]) })
  }
  const move = (by: number) => {
    at.value = Math.max(0, Math.min(rows.total - 1, at.value + by))
    reveal(at.value, 'nearest')
  }
  if (rows.error !== undefined) return <Failure text={rows.error} />
  const page = Math.max(1, Math.floor(view / ROW_PX) - 2)
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    PageDown: () => move(page),
    PageUp: () => move(-page),
    Enter: () => choose(at.value),
  }
  return (
    <>
      <p class="bar small">
        <b>#{seq}</b>{' '}
        {seen && others.length > 1
          ? others.map((name) => (
              <button
                key={name}
                type="button"
                class="quiet"
                aria-pressed={name === part}
                onClick={() => go({ see: seeText(seq, name) })}
              >
                {name.replace('_', ' ')}
              </button>
            ))
          : part.replace('_', ' ')}
        <small>
          {size(rows.bytes)} · {counted(rows.total, 'row')}
          {shown.length > 0 && ` · the packet shows ${percentOf(shown, rows.bytes)} of it`}
        </small>
        {!isExported.value && (
          <SaveLink path={`${base}/bytes/${seq}?part=${part}`} name={`${seq}-${part}.txt`} />
        )}
      </p>
      {rows.media === 'image' ? (
        <Picture path={`${base}/bytes/${seq}?part=${part}`} />
      ) : rows.total === 0 && rows.media ? (
        <p class="empty small">Nothing came back: 0 bytes.</p>
      ) : (
        <div
          ref={box}
          class={isWrapped ? 'raw wrapped' : 'raw'}
          role="group"
          tabIndex={0}
          aria-label={`Raw bytes of event ${seq}. Up and down move through rows, Enter tells which packets showed a row.`}
          onScroll={(event) => {
            top.value = event.currentTarget.scrollTop
          }}
          onKeyDown={(event) => {
            const key = keys[event.key]
            if (!key) return
            event.preventDefault()
            key()
          }}
          onClick={(event) => {
            const row = event.target instanceof Element ? event.target.closest('[data-row]') : null
            if (row instanceof HTMLElement && getSelection()?.isCollapsed !== false)
              choose(Number(row.dataset['row']))
          }}
        >
          <div class="rowspace" style={isWrapped ? {} : { height: `${height}px` }}>
            {Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index).map((index) => (
              <RawRow
                key={index}
                index={index}
                row={rows.row(index)}
                y={isWrapped ? undefined : top.value - top.value * scale + index * ROW_PX}
                isAt={index === at.value}
                {...{ shown, here, spots, lit: marks, isJson }}
              />
            ))}
          </div>
        </div>
      )}
      {seen && mark && part === 'raw_output' && (
        <SeenWhen path={`${base}/seen/${seq}?from=${mark[0]}&to=${mark[1]}`} seen={seen} spots={spots} />
      )}
    </>
  )
}

const encoder = new TextEncoder()
const byteLength = (text: string): number => encoder.encode(text).length

const percentOf = (marks: Marks, bytes: number): string => {
  const percent = (100 * marks.reduce((sum, [from, to]) => sum + to - from, 0)) / Math.max(1, bytes)
  return percent < 1 ? 'less than 1 %' : `${Math.floor(percent)} %`
}

const overlaps = (marks: Marks, from: number, to: number): boolean =>
  marks.some(([start, end]) => start < to && end > from)

function RawRow({
  index,
  row,
  y,
  isAt,
  shown,
  here,
  lit,
  spots,
  isJson,
}: {
  readonly index: number
  readonly row: OutputRow | undefined
  /** Where it stands; undefined where rows stand below each other by themselves. */
  readonly y: number | undefined
  readonly isAt: boolean
  readonly shown: Marks
  readonly here: Marks
  readonly lit: Marks
  readonly spots: readonly Spot[]
  readonly isJson: boolean
}) {
  const style = y === undefined ? {} : { transform: `translateY(${y}px)` }
  if (!row) return <div class="rawrow waiting" style={style} />
  const end = row.at + byteLength(row.text)
  const spot = spots.find(({ line, to_line }) => line <= row.line && row.line <= to_line)
  const names = [
    'rawrow',
    overlaps(shown, row.at, end) ? 'shown' : '',
    overlaps(here, row.at, end) ? 'pointed' : '',
    overlaps(lit, row.at, end) ? 'lit' : '',
    spot ? 'blind' : '',
    isAt ? 'at' : '',
  ]
  const isFirst = spot !== undefined && (spot.line === row.line || index === 0) && !row.continues
  return (
    <div class={names.filter((name) => name !== '').join(' ')} style={style} data-row={index}>
      <span class="number">{row.continues ? '' : row.line}</span>
      <span class="text">
        <RowText text={row.text} at={row.at} marks={here.length > 0 ? here : lit} isJson={isJson} />
      </span>
      {isFirst && <span class="why">{whyBlind(spot)}</span>}
    </div>
  )
}

function whyBlind({ turn, harm, kind }: Spot): string {
  const [first] = harm
  const then = first ? `, and #${first.seq} needed it` : ''
  return `${kind.replace('_', ' ')}: not in the packet of turn ${turn}${then}`
}
