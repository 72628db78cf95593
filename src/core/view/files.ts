import { valuesIn } from '../../text/values.ts'
import { runsOf } from '../packet/files.ts'
import type { Packet } from '../packet/packet.ts'
import type { FileText, Origin, Region } from '../packet/state.ts'
import { FILE, type Text } from './cut.ts'
import { bullet, FENCE, fenced } from './render.ts'
import type { Desk, Item } from './row.ts'

type File = Packet['files'][number]

/** What the newest step read or changed counts like its output would, */
const AT_HAND = 3300
/** other parts of the same file for less, what the steps before it did for less again. */
const AROUND = 2000
const RECENT = 300
const OTHER = 120
const RECENT_STEPS = 3
/** How much more a line counts that was just read or changed than those around it. */
const RAISED = 40
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
    const key = all.length - older
    const runs = runsOf(file.regions).filter((run) => !run.every(isTold))
    const base: File = { path, ref, stale, known: rangesOf(file), regions: [] }
    const originsOf = (at: readonly string[], entry: File) => originsIn(file, at, entry)
    const parts = runs
      .sort((a, b) => newestIn(b) - newestIn(a) || (b[0]?.from ?? 0) - (a[0]?.from ?? 0))
      .map((run, at): Item<File> => {
        const last = newestIn(run)
        const weight =
          last === newest?.ref ? AT_HAND : file.ref === newest?.ref ? AROUND : last > before ? RECENT : OTHER
        const first = run[0]?.from ?? 0
        return {
          ...{ key, originsOf, least: Math.min(TOKENS_MIN, limit >> 3) },
          weight: Math.ceil(weight / ((older + 1) * (at + 1))),
          text: {
            raised: raisedIn(run, last),
            ...(run.length === 1 && run[0]
              ? { lines: run[0].lines, part: run[0] }
              : { lines: run.flatMap(({ lines }) => lines) }),
            kind: FILE,
          },
          add: (entry = base, _, shown) => {
            const regions = shown.map(({ from, text }) => ({ from: first === 0 ? 0 : first + from, text }))
            return {
              ...entry,
              regions: [...entry.regions, ...regions].sort((a, b) => orderOf(a) - orderOf(b)),
            }
          },
        }
      })
    return [{ key, originsOf, add: (entry = base) => entry }, ...parts]
  })
}

/** Of lines that stand together those that were read or changed last. */
function raisedIn(run: readonly Region[], last: number): NonNullable<Text['raised']> {
  if (run.length === 1) return []
  const first = run[0]?.from ?? 0
  return run.flatMap(({ from, lines, ref }) =>
    ref === last ? [{ from: from - first, to: from - first + lines.length, by: RAISED }] : [],
  )
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
  const lines = shown.text.split('\n')
  const origins = new Map<Region, string[]>()
  for (const [index, line] of lines.entries()) {
    const region = regions.find(({ from, lines: own }) =>
      shown.from === 0
        ? from === 0 && own.includes(line)
        : from <= shown.from + index && shown.from + index < from + own.length,
    )
    if (region) origins.set(region, [...(origins.get(region) ?? []), line])
  }
  // Blank lines between others are nobody's.
  const telling = [...origins].filter(
    ([, own]) => origins.size === 1 || own.some((line) => line.trim() !== ''),
  )
  return telling.map(([region, own]) => ({
    ...{ seq: region.ref, field: '/delta/change_files' },
    ...(part === 'from' ? { counted: true } : { part: own.join('\n') }),
  }))
}

/** A file as text: the names of what is known of it, then what is shown. */
export function fileLines({ path, stale, known, regions }: File): readonly string[] {
  const aside = [known, stale === null ? '' : `before the change of #${stale}`]
  const told = aside.filter((text) => text !== '').join('; ')
  const head = bullet(told === '' ? path : `${path} (${told})`)
  let next = 0
  const lines = regions.flatMap(({ from, text }, at) => {
    const shown = fenced(text)
    const gap = at === 0 || (from > 0 && from === next) ? [] : ['⋮']
    next = from + shown.length
    return [...gap, ...shown.map((line, after) => numbered(from, after) + line)]
  })
  return lines.length === 0 ? [head] : [head, FENCE, ...lines, FENCE]
}

const NUMBERED_EVERY = 5

/** Some lines carry their number, as on a ruler: all of them would take a quarter of the space. */
const numbered = (from: number, after: number): string =>
  from > 0 && (after === 0 || (from + after) % NUMBERED_EVERY === 0) ? `${from + after}|` : ''
