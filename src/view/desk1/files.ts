import type { Packet } from '../../packet/packet.ts'
import type { FileText, Region } from '../../packet/state.ts'
import { cut } from '../../text/cut.ts'
import { isDefinition } from '../../text/definitions.ts'
import { allocate } from './allocate.ts'
import type { Desk, Part } from './fill.ts'
import { costOf, costUpTo, fitLines } from './fit.ts'

const FILES = 220
const INDEX = 60
/** What the newest step read is what its output would be. */
const JUST_READ = 240
const FILES_MAX = 24
/** Each file before the newest counts for this much of the one after it, in percent; regions of a file likewise. */
const OLDER_PERCENT = 62
const PLACE_CHARS_MAX = 90
const REGION_TOKENS_MIN = 24
/** The place and the fences of lines that stand together. */
const RUN_TOKENS = 12

/** The present text of the files at work, and an index of what is defined in those not shown whole. */
export function filesParts(desk: Desk): Part[] {
  const files = Object.values(desk.state.files).reverse().slice(0, FILES_MAX)
  const newest = desk.state.actions.at(-1)
  const justRead = newest !== undefined && newest.output === '' && files.some(({ ref }) => ref === newest.ref)
  const needs = files.map((file) => fileNeed(file, desk))
  return [
    {
      weight: FILES + (justRead ? JUST_READ : 0),
      need: needs.reduce((sum, need) => sum + need, 0),
      show(tokens, packet) {
        const given = allocate(tokens, withFallingWeights(needs))
        const shown = files.flatMap((file, at) => shownFile(file, given[at] ?? 0, desk))
        return { ...packet, files: shown.reverse() }
      },
    },
    indexPart(desk, files),
  ]
}

const withFallingWeights = (needs: readonly number[]) => {
  let weight = 1000
  return needs.map((need) => {
    const claim = { need, weight: Math.max(1, weight) }
    weight = Math.floor((weight * OLDER_PERCENT) / 100)
    return claim
  })
}

const regionNeed = (region: Region, { count, budget }: Desk): number =>
  Math.min(budget, costUpTo(region.lines, budget, count) + RUN_TOKENS)

const fileNeed = (file: FileText, desk: Desk): number =>
  file.regions.reduce((sum, region) => sum + regionNeed(region, desk), costOf(file.path, desk.count) + 1)

function shownFile(file: FileText, tokens: number, desk: Desk): Packet['files'] {
  const left = tokens - costOf(file.path, desk.count) - 1
  if (left < REGION_TOKENS_MIN) return []
  const newestFirst = [...file.regions.keys()].sort(
    (a, b) => (file.regions[b]?.ref ?? 0) - (file.regions[a]?.ref ?? 0) || b - a,
  )
  const needs = newestFirst.map((at) => regionNeed(file.regions[at] ?? { from: 0, lines: [], ref: 0 }, desk))
  const given = allocate(left, withFallingWeights(needs))
  const shown = newestFirst
    .flatMap((at, rank) => {
      const region = file.regions[at]
      return region ? shownRuns(region, given[rank] ?? 0, desk).map((run) => ({ at, run })) : []
    })
    .sort((a, b) => a.at - b.at || a.run.from - b.run.from)
    .map(({ run }) => run)
  return shown.length === 0 ? [] : [{ path: file.path, ref: file.ref, regions: shown }]
}

function shownRuns(region: Region, tokens: number, desk: Desk): Packet['files'][number]['regions'] {
  if (tokens < REGION_TOKENS_MIN) return []
  const { lines, runs } = fitLines(region.lines, tokens - RUN_TOKENS, desk.count, [], desk.interest)
  return runs.map(({ from, to }) => ({
    from: region.from === 0 ? 0 : region.from + from,
    text: lines.slice(from, to).join('\n'),
  }))
}

/** Where things are defined that the packet does not show: places to return to. */
function indexPart({ count, budget }: Desk, files: readonly FileText[]): Part {
  const entries = files
    .map((file) => ({ file, places: definitionsIn(file) }))
    .filter(({ places }) => places.length > 0)
  const cost = (path: string, places: readonly Place[]) =>
    costOf(path, count) + places.reduce((sum, { text }) => sum + costOf(text, count) + 3, 2)
  return {
    weight: INDEX,
    need: Math.min(
      budget,
      entries.reduce((sum, { file, places }) => sum + cost(file.path, places), 0),
    ),
    show(tokens, packet) {
      let left = tokens
      const index: Packet['index'] = []
      for (const { file, places } of entries) {
        const hidden = places.filter(({ line }) => !isShown(packet, file.path, line))
        const kept: Place[] = []
        let spent = costOf(file.path, count) + 2
        for (const place of hidden) {
          const next = costOf(place.text, count) + 3
          if (spent + next > left) break
          spent += next
          kept.push(place)
        }
        if (kept.length === 0) continue
        left -= spent
        index.push({
          path: file.path,
          places: kept.map(({ line, text }) => `${line} ${text}`).join(' · '),
          ref: file.ref,
        })
      }
      return { ...packet, index: index.reverse() }
    },
  }
}

interface Place {
  readonly line: number
  readonly text: string
}

const definitionsIn = ({ regions }: FileText): Place[] =>
  regions.flatMap(({ from, lines }) =>
    from === 0
      ? []
      : lines.flatMap((text, at) =>
          isDefinition(text) ? [{ line: from + at, text: cut(text.trim(), PLACE_CHARS_MAX) }] : [],
        ),
  )

const isShown = ({ files }: Packet, path: string, line: number): boolean =>
  files.some(
    (file) =>
      file.path === path &&
      file.regions.some(
        ({ from, text }) => from > 0 && line >= from && line < from + text.split('\n').length,
      ),
  )
