import { writtenNames } from '../../../text/names.ts'
import { valuesIn } from '../../../text/values.ts'
import type { Packet } from '../../packet/packet.ts'
import { type Named, namedBefore } from './named-before.ts'
import type { Desk, Part } from './part.ts'

type Entry = Packet['index'][number]

/** What names that calls gave may take of the index. */
const CALLS_PERCENT = 38
/** A file is named for so many of its names at the least. */
const NAMES_PER_FILE_MIN = 3
/** What the lines begin with. */
const HEADS_TOKENS = 18

/** An index of names that the packet shows nowhere else: what earlier calls gave, and what outputs and files held. */
export function seenBeforePart(desk: Desk, weight: number): Part {
  const named = namedBefore(desk)
  const given = named.filter(({ calls }) => calls > 0)
  const seen = named.filter(({ calls }) => calls === 0)
  const cost = ({ name }: Named): number => desk.count(name) + 1
  const need = named.reduce((sum, { name }) => sum + (name.length >> 1) + 2, HEADS_TOKENS)
  return {
    weight,
    need: Math.min(desk.limit, need),
    show(tokens, packet) {
      const shown = new Set(writtenNames(valuesIn(packet)).keys())
      let left = tokens - HEADS_TOKENS
      const pick = (names: readonly Named[], spare = 0): Named[] =>
        names.filter((one) => {
          const { key, name } = one
          if (left - spare < 2 || shown.has(key) || cost(one) > left - spare) return false
          left -= cost(one)
          // A path tells its last part too.
          for (const part of writtenNames(name).keys()) shown.add(part)
          return true
        })
      const first = pick(given, Math.floor((left * (100 - CALLS_PERCENT)) / 100))
      const groups = [...Map.groupBy(pick(seen), ({ path }) => path)]
      const calls = [...first, ...pick(given)]
      const isFile = ([path, names]: (typeof groups)[number]) =>
        path !== '' && names.length >= NAMES_PER_FILE_MIN
      const others = groups.filter((group) => !isFile(group)).flatMap(([, names]) => names)
      const index = [
        entryOf('call', '', calls),
        ...groups.filter(isFile).map(([path, names]) => entryOf('file', path, names)),
        entryOf('output', '', others),
      ]
      return { ...packet, index: index.filter(({ names }) => names !== '') }
    },
  }
}

const entryOf = (kind: Entry['kind'], path: string, names: readonly Named[]): Entry => ({
  kind,
  path,
  names: names.map(({ name }) => name).join(', '),
  ref: Math.max(1, ...names.map(({ ref }) => ref)),
})
