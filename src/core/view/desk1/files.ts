import { valuesIn } from '../../../text/values.ts'
import type { Packet } from '../../packet/packet.ts'
import type { FileText, Region } from '../../packet/state.ts'
import { costOf, costUpTo, FILE, fitter, runText } from './fit.ts'
import type { Desk, Part } from './part.ts'

/** What the newest step read or changed counts like its output would, */
const AT_HAND = 3300
/** other parts of the same file for less, */
const AROUND = 2000
/** what the steps before it did for less again. */
const RECENT = 300
const OTHER = 120
const RECENT_STEPS = 3
/** With less, a region that needs more is not worth showing. */
const REGION_TOKENS_MIN = 80
/** The mark and the number of lines that stand together. */
const RUN_TOKENS = 6

/** The present text of the files at work, region by region, the newest first. Older files count less, and so do older regions. */
export function filesParts(desk: Desk): Part[] {
  const { actions, files } = desk.state
  const newest = actions.at(-1)
  const before = actions.at(-1 - RECENT_STEPS)?.ref ?? 0
  const told = newest ? `${valuesIn(newest.args)}\n${newest.output}` : ''
  // What the newest call wrote stands in it.
  const isTold = ({ ref, lines }: Region): boolean => ref === newest?.ref && told.includes(lines.join('\n'))
  const weightOf = (file: FileText, { ref }: Region): number => {
    if (file.ref === newest?.ref) return ref === newest.ref ? AT_HAND : AROUND
    return ref > before ? RECENT : OTHER
  }
  const latest = Object.values(files).reverse()
  return latest.flatMap((file, older) =>
    file.regions
      .filter((region) => !isTold(region))
      .sort((a, b) => b.ref - a.ref || b.from - a.from)
      .map((region, at) => {
        const weight = Math.ceil(weightOf(file, region) / ((older + 1) * (at + 1)))
        return regionPart(desk, file, region, weight)
      }),
  )
}

function regionPart(desk: Desk, file: FileText, region: Region, weight: number): Part {
  const { path, ref, stale = null } = file
  const head = costOf(path, desk.count) + RUN_TOKENS
  const need = costUpTo(region.lines, desk.limit, desk.count) + head
  const fit = fitter(region.lines, desk.count, [], desk.interest, FILE)
  return {
    weight,
    need,
    least: Math.min(need, REGION_TOKENS_MIN, desk.limit >> 3),
    show(tokens, packet) {
      if (tokens === 0) return packet
      const fitted = fit(tokens - head)
      const runs = fitted.runs.map((run) => ({
        from: region.from === 0 ? 0 : region.from + (fitted.lineOf[run.from] ?? 0),
        text: runText(fitted, run),
      }))
      return runs.length === 0
        ? packet
        : { ...packet, files: withFile(packet.files, { path, ref, stale, regions: runs }) }
    },
  }
}

/** Regions of a file that is there already are put among its others; another file stands before them all. */
function withFile(files: Packet['files'], file: Packet['files'][number]): Packet['files'] {
  const at = files.findIndex(({ path }) => path === file.path)
  const known = files[at]
  if (!known) return [file, ...files]
  const regions = [...known.regions, ...file.regions].sort((a, b) => orderOf(a) - orderOf(b))
  return files.with(at, { ...known, regions })
}

const orderOf = ({ from }: { readonly from: number }): number => from || Number.MAX_SAFE_INTEGER
