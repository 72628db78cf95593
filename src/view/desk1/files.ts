import type { Packet } from '../../packet/packet.ts'
import type { FileText, Region } from '../../packet/state.ts'
import { valuesIn } from '../../text/values.ts'
import { allocate } from './allocate.ts'
import { costOf, costUpTo, FILE, type Fitted, fitter, runText } from './fit.ts'
import type { Desk, Part } from './part.ts'

/** What the newest step read or changed counts like its output would, */
const AT_HAND = 2200
/** other parts of the same file for less, */
const AROUND = 1000
/** what the steps before it did or it speaks of for less again. */
const RECENT = 300
const OTHER = 160
const RECENT_STEPS = 3
const FILES_MAX = 24
/** Each file before the newest, and each region of a file, counts for this much of the one after it, in percent. */
const OLDER_FILE_PERCENT = 50
const OLDER_REGION_PERCENT = 30
/** With less a file is not worth showing. */
const FILE_TOKENS_MIN = 80
/** With less, a region that needs more is not. */
const REGION_TOKENS_MIN = 24
/** The mark and the number of lines that stand together. */
const RUN_TOKENS = 6

/** The present text of the files at work: what the newest step touched, what it and the last steps are about, the rest. */
export function filesParts(desk: Desk): Part[] {
  const { actions, files } = desk.state
  const newest = actions.at(-1)
  const before = actions.at(-1 - RECENT_STEPS)?.ref ?? 0
  const told = newest ? `${valuesIn(newest.args)}\n${newest.output}` : ''
  const weightOf = (file: FileText, { ref, lines }: Region): number => {
    // What the newest call wrote stands in it.
    if (ref === newest?.ref) return told.includes(lines.join('\n')) ? 0 : AT_HAND
    if (file.ref === newest?.ref) return AROUND
    return ref > before || told.includes(lastPart(file.path)) ? RECENT : OTHER
  }
  const latest = Object.values(files)
    .reverse()
    .slice(0, FILES_MAX)
    .map((file) => ({ file, byWeight: Map.groupBy(file.regions, (region) => weightOf(file, region)) }))
  const withWeight = (weight: number): FileText[] =>
    latest.flatMap(({ file, byWeight }) => {
      const regions = byWeight.get(weight)
      return regions ? [{ ...file, regions }] : []
    })
  return [AT_HAND, AROUND, RECENT, OTHER].map((weight) => filesPart(desk, withWeight(weight), weight))
}

const lastPart = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

function filesPart(desk: Desk, files: readonly FileText[], weight: number): Part {
  const claims = files.map((file) => claimOf(file, desk))
  const needs = claims.map(({ need }) => need)
  return {
    weight,
    need: needs.reduce((sum, need) => sum + need, 0),
    least: FILE_TOKENS_MIN,
    show(tokens, packet) {
      const given = allocate(tokens, withFallingWeights(needs, OLDER_FILE_PERCENT))
      const shown = claims.flatMap((claim, at) => shownFile(claim, given[at] ?? 0))
      return { ...packet, files: shown.reduceRight(withFile, packet.files) }
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

/** A file with what it needs, and its regions with what they need, the newest first. */
interface FileClaim {
  readonly file: FileText
  readonly head: number
  readonly need: number
  readonly regions: readonly {
    readonly region: Region
    readonly need: number
    readonly at: number
    readonly fit: (tokens: number) => Fitted
  }[]
}

function claimOf(file: FileText, desk: Desk): FileClaim {
  const head = costOf(file.path, desk.count) + 1
  const regions = file.regions
    .map((region, at) => ({
      region,
      at,
      need: regionNeed(region, desk),
      fit: fitter(region.lines, desk.count, editedLines(region), desk.interest, FILE),
    }))
    .sort((a, b) => b.region.ref - a.region.ref || b.at - a.at)
  return { file, head, need: regions.reduce((sum, { need }) => sum + need, head), regions }
}

const withFallingWeights = (needs: readonly number[], percent: number) => {
  let weight = 1000
  return needs.map((need) => {
    const claim = { need, weight: Math.max(1, weight), least: FILE_TOKENS_MIN }
    weight = Math.floor((weight * percent) / 100)
    return claim
  })
}

const regionNeed = (region: Region, { count, limit }: Desk): number =>
  Math.min(limit, costUpTo(region.lines, limit, count) + RUN_TOKENS)

function shownFile({ file, head, regions }: FileClaim, tokens: number): Packet['files'] {
  const claims = withFallingWeights(
    regions.map(({ need }) => need),
    OLDER_REGION_PERCENT,
  )
  const given = allocate(tokens - head, claims)
  const shown = regions
    .flatMap(({ region, need, at, fit }, rank) => {
      const left = given[rank] ?? 0
      if (left < Math.min(REGION_TOKENS_MIN, need)) return []
      return shownRuns(region, fit(left - RUN_TOKENS)).map((run) => ({ at, run }))
    })
    .sort((a, b) => a.at - b.at || a.run.from - b.run.from)
    .map(({ run }) => run)
  if (shown.length === 0) return []
  return [{ path: file.path, ref: file.ref, stale: file.stale ?? null, regions: shown }]
}

const shownRuns = ({ from }: Region, fitted: Fitted): Packet['files'][number]['regions'] =>
  fitted.runs.map((run) => ({
    from: from === 0 ? 0 : from + (fitted.lineOf[run.from] ?? 0),
    text: runText(fitted, run),
  }))

/** The lines just changed, and the one before them. */
function editedLines({ edited }: Region): number[] {
  if (!edited) return []
  const from = Math.max(0, edited.from - 1)
  return Array.from({ length: Math.min(edited.to - from, 40) }, (_, at) => from + at)
}
