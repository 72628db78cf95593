import { valuesIn } from '../../text/values.ts'
import { runsOf } from '../packet/files.ts'
import type { Packet } from '../packet/packet.ts'
import type { FileText, Origin, Region } from '../packet/state.ts'
import { FILE, type Run } from './cut.ts'
import { bullet, FENCE, fenced, type OutlineLine } from './render.ts'
import type { Desk, Item } from './section.ts'

type File = Packet['files'][number]

/** What the newest step read or changed counts like its output would, all else less. */
const AT_HAND = 5000
const OTHER = 350
/** With less, a part of a file that needs more is not worth showing. */
const TOKENS_MIN = 80

/** The files at work, the latest first: the numbers of the lines that are known, and those lines. */
export function fileItems({ state: { actions, files }, reader, limit }: Desk): Item<File>[] {
  const newest = actions.at(-1)
  const told = newest ? `${valuesIn(newest.args)}\n${newest.output}` : ''
  // What the newest call wrote stands in it.
  const isTold = ({ ref, lines }: Stretch): boolean => ref === newest?.ref && told.includes(lines.join('\n'))
  const all = Object.values(files).reverse()
  return all.map((file, older) => {
    const { path, ref, stale = null } = file
    const stretches = reader.once(file, stretchesOf).filter((one) => !isTold(one))
    return {
      key: all.length - older,
      value: { path, ref, stale, known: rangesOf(file), regions: [] },
      texts: stretches.map((one, at) => ({
        text: { lines: one.lines, highlights: one.highlights, kind: FILE },
        weight: Math.ceil((one.ref === newest?.ref ? AT_HAND : OTHER) / (older + at + 1)),
        least: Math.min(TOKENS_MIN, limit >> 3),
        put: (entry, _, runs) => withRuns(entry, one, runs),
      })),
      originsOf: (at, entry) => originsIn(file, at, entry),
    }
  })
}

function withRuns(entry: File, { from }: Stretch, runs: readonly Run[]): File {
  const regions = runs.map((run) => ({ from: from === 0 ? 0 : from + run.from, text: run.text }))
  return { ...entry, regions: [...entry.regions, ...regions].sort((a, b) => orderOf(a) - orderOf(b)) }
}

/** Lines that stand together, whichever events read or changed them; the last of these, and what it did. */
interface Stretch extends Region {
  readonly highlights: readonly number[]
}

/** Those that were read or changed last come first. */
const stretchesOf = ({ regions }: FileText): readonly Stretch[] =>
  runsOf(regions)
    .map((run) => {
      const lines = run.flatMap((region) => region.lines)
      const last = Math.max(...run.map((region) => region.ref))
      const refs = run.flatMap((region) => region.lines.map(() => region.ref))
      const highlights = run.length === 1 ? [] : refs.flatMap((ref, at) => (ref === last ? [at] : []))
      return { from: run[0]?.from ?? 0, lines, ref: last, highlights }
    })
    .sort((a, b) => b.ref - a.ref || b.from - a.from)

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
