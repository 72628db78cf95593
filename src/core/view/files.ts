import { valuesIn } from '../../text/values.ts'
import { runsOf } from '../packet/files.ts'
import type { Packet } from '../packet/packet.ts'
import type { FileText, Origin, Region } from '../packet/state.ts'
import { FILE, type Text } from './cut.ts'
import { bullet, FENCE, fenced, type OutlineLine } from './render.ts'
import type { Desk, Item } from './row.ts'

type File = Packet['files'][number]

/** What the newest step read or changed counts like its output would, */
const AT_HAND = 5000
/** other parts of the same file for less, what the steps before it did for less again. */
const AROUND = 3400
const RECENT = 450
const OTHER = 120
const RECENT_STEPS = 3
/** How much more a line counts that was just read or changed than those around it. */
const RAISED = 90
/** With less, a part of a file that needs more is not worth showing. */
const TOKENS_MIN = 80

/** The files at work, the latest first: a line each, and by themselves the parts of them that are known. */
export function fileItems({ state: { actions, files }, limit }: Desk): Item<File>[] {
  const newest = actions.at(-1)
  const before = actions.at(-1 - RECENT_STEPS)?.ref ?? 0
  const told = newest ? `${valuesIn(newest.args)}\n${newest.output}` : ''
  // What the newest call wrote stands in it.
  const isTold = ({ ref, lines }: Region): boolean => ref === newest?.ref && told.includes(lines.join('\n'))
  const all = Object.values(files)
  return all.toReversed().flatMap((file, older) => {
    const { path, ref, stale = null } = file
    const base: File = { path, ref, stale, known: rangesOf(file), regions: [] }
    const whole: Item<File> = {
      key: all.length - older,
      add: (entry = base) => entry,
      originsOf: (at, entry) => originsIn(file, at, entry),
    }
    const runs = runsOf(file.regions)
      .filter((run) => !run.every(isTold))
      .sort((a, b) => newestIn(b) - newestIn(a) || (b[0]?.from ?? 0) - (a[0]?.from ?? 0))
    const parts = runs.map((run, at): Item<File> => {
      const last = newestIn(run)
      const weight =
        last === newest?.ref ? AT_HAND : file.ref === newest?.ref ? AROUND : last > before ? RECENT : OTHER
      return {
        ...whole,
        least: Math.min(TOKENS_MIN, limit >> 3),
        weight: Math.ceil(weight / ((older + 1) * (at + 1))),
        text: textOf(run, last),
        add: (entry = base, _, shown) => {
          const from = run[0]?.from ?? 0
          const regions = shown.map((part) => ({ from: from === 0 ? 0 : from + part.from, text: part.text }))
          const inOrder = [...entry.regions, ...regions].sort((a, b) => orderOf(a) - orderOf(b))
          return { ...entry, regions: inOrder }
        },
      }
    })
    return [whole, ...parts]
  })
}

/** Regions that stand together; of several those that were read or changed last count more. */
function textOf(run: readonly Region[], last: number): Text {
  const [one] = run
  if (one && run.length === 1) return { lines: one.lines, part: one, kind: FILE }
  const first = one?.from ?? 0
  const raised = run.flatMap(({ from, lines, ref }) =>
    ref === last ? [{ from: from - first, to: from - first + lines.length, by: RAISED }] : [],
  )
  return { lines: run.flatMap(({ lines }) => lines), raised, kind: FILE }
}

const newestIn = (run: readonly Region[]): number => Math.max(...run.map(({ ref }) => ref))
const orderOf = ({ from }: { readonly from: number }): number => from || Number.MAX_SAFE_INTEGER

/** `1-60, 100-129` */
const rangesOf = ({ regions }: FileText): string =>
  runsOf(regions)
    .flatMap((run) => {
      const [first, last] = [run[0]?.from ?? 0, run.at(-1)]
      return first === 0 || !last ? [] : [`${first}-${last.from + last.lines.length - 1}`]
    })
    .join(', ')

/** Each stretch of lines comes from the event that read or wrote it last. */
function originsIn({ ref, stale, regions }: FileText, path: readonly string[], entry: File): Origin[] {
  const [field, at = '', part] = path
  if (field === 'stale') return stale === undefined ? [] : [{ seq: stale, field: '/seq' }]
  if (field === 'ref') return [{ seq: ref, field: '/seq' }]
  const shown = entry.regions[Number(at)]
  if (field !== 'regions' || !shown)
    return [{ seq: ref, field: '/delta/change_files', counted: field === 'known' }]
  const origins = Map.groupBy(shown.text.split('\n').entries(), ([index, line]) =>
    regions.find(({ from, lines }) =>
      shown.from === 0
        ? from === 0 && lines.includes(line)
        : from <= shown.from + index && shown.from + index < from + lines.length,
    ),
  )
  return [...origins].flatMap(([region, own]) => {
    const lines = own.map(([, line]) => line)
    // Blank lines between others are nobody's.
    if (!region || (origins.size > 1 && lines.every((line) => line.trim() === ''))) return []
    const of = { seq: region.ref, field: '/delta/change_files' }
    return [part === 'from' ? { ...of, counted: true } : { ...of, part: lines.join('\n') }]
  })
}

/** A file as text: the names of what is known of it, then what is shown. */
export function fileLines({ path, stale, known, regions }: File): OutlineLine[] {
  const aside = [known, stale === null ? '' : `before the change of #${stale}`].filter((text) => text !== '')
  const head: OutlineLine = [bullet(aside.length === 0 ? path : `${path} (${aside.join('; ')})`), 'path']
  let next = 0
  const lines = regions.flatMap(({ from, text }, at): OutlineLine[] => {
    const shown = fenced(text)
    const gap: OutlineLine[] = at === 0 || (from > 0 && from === next) ? [] : [['⋮']]
    next = from + shown.length
    const where = `regions/${at}/text`
    return [...gap, ...shown.map((line, after): OutlineLine => [numbered(from, after) + line, where, line])]
  })
  return lines.length === 0 ? [head] : [head, [FENCE], ...lines, [FENCE]]
}

const NUMBERED_EVERY = 5

/** Some lines carry their number, as on a ruler: all of them would take a quarter of the space. */
const numbered = (from: number, after: number): string =>
  from > 0 && (after === 0 || (from + after) % NUMBERED_EVERY === 0) ? `${from + after}|` : ''
