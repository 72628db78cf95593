import type { Packet } from '../../packet/packet.ts'
import type { State } from '../../packet/state.ts'
import { isDefinition } from '../../text/definitions.ts'
import { writtenNames } from '../../text/names.ts'
import { isPath, isSamePath } from '../../text/paths.ts'
import { valuesIn } from '../../text/values.ts'
import { costOf } from './fit.ts'
import type { Desk, Part } from './part.ts'

/** How many calls, and how much of each, are looked at for paths. */
const CALLS_MAX = 30
const CALL_CHARS_MAX = 400
/** How many files are looked at for what they define, and how much of each output for ids, and for how many of them. */
const FILES_MAX = 4
const OUTPUT_CHARS_MAX = 2_500
const IDS_MAX = 60

const PATH = /(?<![\w.~:/\\-])(?:[A-Za-z]:\\)?[\w.~/@][\w.~/\\@+-]*\.[A-Za-z]\w{0,5}\b(?![/:\\])/g
/** Nobody can guess a word of letters and digits, and a later call may need it. */
const WITH_DIGIT = /(?<!\w)[A-Za-z_]*\d\w*/g
const ID = /^(?=.*[A-Za-z])(?:[A-Za-z_]\w{5,39}|[A-Z\d]{6,20}|[a-f\d]{7,40})$/

/** Something to return to: a file, a name that is defined there, or, where no path is given, an id that an output named. */
interface Place {
  readonly path: string
  readonly name: string
  readonly ref: number
}

/**
 * An index of places to return to, as far as the packet does not show them already: files that calls named or that were
 * read, ids in outputs, and what is defined in the files read last.
 */
export function placesPart({ state, count, limit }: Desk, weight: number): Part {
  const places = [...filesIn(state), ...idsIn(state), ...definitionsIn(state)]
  const nameCost = ({ name }: Place): number => (name === '' ? 0 : count(name) + 2)
  const headCost = ({ path }: Place): number => costOf(path, count) + 4
  const heads = new Map(places.map((place) => [keyOf(place), headCost(place)]))
  return {
    weight,
    need: Math.min(
      limit,
      places.reduce(
        (sum, place) => sum + nameCost(place),
        [...heads.values()].reduce((sum, cost) => sum + cost, 0),
      ),
    ),
    show(tokens, packet) {
      const shown = textOf(packet)
      const index = new Map<string, Packet['index'][number]>()
      let left = tokens
      for (const place of places) {
        const { path, name, ref } = place
        if (shown.includes(name.slice(name.indexOf(' ') + 1) || path)) continue
        const key = keyOf(place)
        const held = index.get(key)
        left -= nameCost(place) + (held ? 0 : headCost(place))
        if (left < 0) break
        index.set(key, { path, ref, defined: held?.defined ? `${held.defined}, ${name}` : name })
      }
      return { ...packet, index: [...index.values()] }
    },
  }
}

/** What stands on one line of the index. */
const keyOf = ({ path, ref }: Place): string => path || `#${ref}`

/** Newest first, each once, by the path that its text is known under. */
function filesIn({ actions, files }: State): Place[] {
  const known = Object.values(files).reverse()
  const places: Place[] = []
  const add = (path: string, ref: number): void => {
    if (!places.some((place) => isSamePath(place.path, path))) places.push({ path, name: '', ref })
  }
  for (const { args, ref } of actions.slice(-CALLS_MAX).reverse())
    for (const [path] of valuesIn(args).slice(0, CALL_CHARS_MAX).matchAll(PATH))
      if (isPath(path)) add(known.find((file) => isSamePath(file.path, path))?.path ?? path, ref)
  for (const { path, ref } of known) add(path, ref)
  return places
}

/** Each with the step that named it last. */
function idsIn({ actions }: State): Place[] {
  const ids = new Map<string, number>()
  for (const { output, ref } of actions.toReversed()) {
    for (const [id] of output.slice(0, OUTPUT_CHARS_MAX).matchAll(WITH_DIGIT))
      if (!ids.has(id) && ID.test(id)) ids.set(id, ref)
    if (ids.size >= IDS_MAX) break
  }
  return [...ids].map(([name, ref]) => ({ path: '', name, ref }))
}

/** The first name of a line that defines something is what it defines. */
function definitionsIn({ files }: State): Place[] {
  const definitions: Place[] = []
  for (const { path, ref, regions } of Object.values(files).slice(-FILES_MAX).reverse())
    for (const { from, lines } of regions)
      for (const [at, line] of lines.entries()) {
        const [name] = from > 0 && isDefinition(line) ? writtenNames(line).values() : []
        if (name !== undefined) definitions.push({ path, name: `${from + at} ${name}`, ref })
      }
  return definitions
}

/** All that a packet says. */
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? `${value}\n`
    : typeof value === 'object' && value !== null
      ? Object.values(value).map(textOf).join('')
      : ''
