import type { LineChanges } from '../../app/inspected/line-changes.ts'
import type { RecordedTurn } from '../../app/inspected/recorded.ts'
import type { DiffLine, InspectedTurn } from '../../app/inspected/turn.ts'
import { useRecorded } from './api.ts'
import { bytesIn, gunzippedText } from './unpack.ts'

/** An exported file brings its answers in itself, `packed`; a page that is served has none. */
export async function readExported(): Promise<void> {
  const text = document.getElementById('run')?.textContent
  if (text === undefined || text === null) return
  const [id, answers] = JSON.parse(await gunzippedText(bytesIn(text))) as [string, Record<string, unknown>]
  const base = `agent/${encodeURIComponent(id)}`
  const turns = turnsIn(answers, base)
  useRecorded((path) => {
    const [, turn] = /\/turn\/(\d+)$/.exec(path) ?? []
    if (turn !== undefined) return turns[Number(turn)]
    const [, seq, from, to] = /\/seen\/(\d+)\?from=(\d+)&to=(\d+)$/.exec(path) ?? []
    if (seq !== undefined) return turnsThatSaw(turns, Number(seq), Number(from), Number(to))
    return Object.hasOwn(answers, path) ? answers[path] : undefined
  })
  if (!location.hash.startsWith('#/agent/')) location.hash = `#/agent/${encodeURIComponent(id)}`
}

/** Every turn with its lines, each made of those before. */
function turnsIn(answers: Record<string, unknown>, base: string): InspectedTurn[] {
  const turns: InspectedTurn[] = []
  for (let before: InspectedTurn['lines'] = []; ; before = turns.at(-1)?.lines ?? []) {
    const recorded = answers[`${base}/turn/${turns.length}`] as RecordedTurn | undefined
    if (!recorded) return turns
    const { changes, ...turn } = recorded
    turns.push({ ...turn, ...applied(before, changes) })
  }
}

function applied(
  before: InspectedTurn['lines'],
  changes: LineChanges,
): Pick<InspectedTurn, 'lines' | 'diff'> {
  const lines: InspectedTurn['lines'][number][] = []
  const diff: DiffLine[] = []
  let at = 0
  let gone: string[] = []
  for (const change of changes) {
    if (typeof change === 'number') {
      const some = before.slice(at, at + Math.abs(change))
      at += some.length
      if (change < 0) gone.push(...some.map(({ text }) => text))
      if (change < 0) continue
      diff.push(...gone.splice(0).map((text): DiffLine => ({ kind: 'removed', text })))
      diff.push(...some.map(({ text }): DiffLine => ({ kind: 'same', text })))
      lines.push(...some)
      continue
    }
    // A line that only comes from elsewhere now is the same to a reader.
    const come = change.map(({ text }) => text)
    const isSame = gone.length === come.length && gone.every((text, index) => text === come[index])
    if (!isSame) diff.push(...gone.map((text): DiffLine => ({ kind: 'removed', text })))
    diff.push(...come.map((text): DiffLine => ({ kind: isSame ? 'same' : 'added', text })))
    gone = []
    lines.push(...change)
  }
  diff.push(...gone.map((text): DiffLine => ({ kind: 'removed', text })))
  return { lines, diff }
}

/** The same as a server tells it, from the turns that are here. */
const turnsThatSaw = (turns: readonly InspectedTurn[], seq: number, from: number, to: number): number[] =>
  turns.flatMap(({ turn, shown }) => {
    const output = shown.find((one) => one.seq === seq)
    return output?.marks.some(([start, end]) => start < to && end > from) ? [turn] : []
  })
