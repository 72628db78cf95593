import type { Packet } from '../../packet/packet.ts'
import type { FileText, Region } from '../../packet/state.ts'
import { allocate } from './allocate.ts'
import { costOf, costUpTo, FILE, fitLines, runText } from './fit.ts'
import type { Desk, Part } from './part.ts'

/** What the newest step read or changed counts like its output would; other files for less. */
const AT_HAND = 1400
const FILES = 120
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

/** The present text of the files at work, and an index of what is defined in those not shown whole. */
export function filesParts(desk: Desk): Part[] {
  const files = Object.values(desk.state.files).reverse().slice(0, FILES_MAX)
  const newest = desk.state.actions.at(-1)?.ref
  const atHand = files.filter(({ ref }) => ref === newest)
  const others = files.filter(({ ref }) => ref !== newest)
  return [filesPart(desk, atHand, AT_HAND), filesPart(desk, others, FILES)]
}

function filesPart(desk: Desk, files: readonly FileText[], weight: number): Part {
  const needs = files.map((file) => fileNeed(file, desk))
  return {
    weight,
    need: needs.reduce((sum, need) => sum + need, 0),
    least: FILE_TOKENS_MIN,
    show(tokens, packet) {
      const given = allocate(tokens, withFallingWeights(needs, OLDER_FILE_PERCENT))
      const shown = files.flatMap((file, at) => shownFile(file, given[at] ?? 0, desk))
      return { ...packet, files: [...shown.reverse(), ...packet.files] }
    },
  }
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

const fileNeed = (file: FileText, desk: Desk): number =>
  file.regions.reduce((sum, region) => sum + regionNeed(region, desk), costOf(file.path, desk.count) + 1)

function shownFile(file: FileText, tokens: number, desk: Desk): Packet['files'] {
  const left = tokens - costOf(file.path, desk.count) - 1
  const newestFirst = [...file.regions.keys()].sort(
    (a, b) => (file.regions[b]?.ref ?? 0) - (file.regions[a]?.ref ?? 0) || b - a,
  )
  const needs = newestFirst.map((at) => regionNeed(file.regions[at] ?? { from: 0, lines: [], ref: 0 }, desk))
  const given = allocate(left, withFallingWeights(needs, OLDER_REGION_PERCENT))
  const shown = newestFirst
    .flatMap((at, rank) => {
      const region = file.regions[at]
      return region ? shownRuns(region, given[rank] ?? 0, desk).map((run) => ({ at, run })) : []
    })
    .sort((a, b) => a.at - b.at || a.run.from - b.run.from)
    .map(({ run }) => run)
  if (shown.length === 0) return []
  return [{ path: file.path, ref: file.ref, stale: file.stale ?? null, regions: shown }]
}

function shownRuns(region: Region, tokens: number, desk: Desk): Packet['files'][number]['regions'] {
  if (tokens < Math.min(REGION_TOKENS_MIN, regionNeed(region, desk))) return []
  const marked = editedLines(region)
  const fitted = fitLines(region.lines, tokens - RUN_TOKENS, desk.count, marked, desk.interest, FILE)
  return fitted.runs.map((run) => ({
    from: region.from === 0 ? 0 : region.from + (fitted.lineOf[run.from] ?? 0),
    text: runText(fitted, run),
  }))
}

/** The lines just changed, and the one before them. */
function editedLines({ edited }: Region): number[] {
  if (!edited) return []
  const from = Math.max(0, edited.from - 1)
  return Array.from({ length: Math.min(edited.to - from, 40) }, (_, at) => from + at)
}
