import type { Action, Region, Sourced } from '../../packet/state.ts'
import { isDefinition } from '../../text/definitions.ts'
import { isNumber, isSpecific, writtenNames } from '../../text/names.ts'
import { valuesIn } from '../../text/values.ts'
import type { Desk } from './part.ts'

/** Something that was named before and may be needed again. */
export interface Named {
  readonly key: string
  /** As it was written. */
  readonly name: string
  /** The step that named it last, how many steps ago that was, and the file that it stood in. */
  readonly ref: number
  readonly age: number
  readonly path: string
  /** How many calls gave it, and whether anything else held it too. */
  calls: number
  held: boolean
  /** How often the model spoke since it spoke of it; undefined where it never did. */
  said: number | undefined
}

/** The steps that are looked at, and how much of each. */
const STEPS_MAX = 80
const CALL_CHARS_MAX = 3_000
const OUTPUT_CHARS_MAX = 6_000
const NAME_CHARS_MAX = 100
/** What was seen a while ago and never spoken of scores less: hardly any of it is needed again. */
const SCORE_MIN = -18

/** What calls, outputs and files named, the likeliest to be needed again first. */
export function namedBefore({ state, once }: Desk): Named[] {
  const { actions, files, thoughts, goal } = state
  const named = new Map<string, Named>()
  const ages = new Map<number, number>()
  const see = (names: ReadonlyMap<string, string>, ref: number, path: string, calls: number): void => {
    const age = ages.get(ref) ?? actions.length
    for (const [key, name] of names) {
      const known = named.get(key)
      if (!known) named.set(key, { key, name, ref, age, path, calls, held: calls === 0, said: undefined })
      else {
        known.calls += calls
        known.held ||= calls === 0
      }
    }
  }
  for (const [at, { ref }] of actions.entries()) ages.set(ref, actions.length - 1 - at)
  const regions = Object.values(files).flatMap(({ path, regions }) =>
    regions.map((region) => ({ region, path })),
  )
  regions.sort((a, b) => b.region.ref - a.region.ref)
  for (const action of actions.slice(-STEPS_MAX).reverse()) {
    see(once(action, inCall), action.ref, '', 1)
    see(once(action, inOutput), action.ref, '', 0)
  }
  for (const { region, path } of regions) see(once(region, inRegion), region.ref, path, 0)
  for (const [ago, words] of thoughts.slice(-STEPS_MAX).reverse().entries())
    for (const key of once(words, inWords).keys()) {
      const known = named.get(key)
      if (known) known.said ??= ago
    }
  for (const key of once(goal, inWords).keys()) named.delete(key)
  const scores = new Map([...named.values()].map((one) => [one, scoreOf(one)]))
  return [...scores]
    .filter(([, score]) => score >= SCORE_MIN)
    .sort(([, a], [, b]) => b - a)
    .map(([one]) => one)
}

/** Nobody can guess an id: several digits, or capitals and digits. */
const ID = /\d{3}|^(?=.*\d)[A-Z\d]{5,20}$/

/** In thirds of a bit: integers, as all in a view. */
const log = (n: number): number => 31 - Math.clz32((n + 1) ** 3)

/** The names of the next call are first those that the model spoke of; then what calls gave often, and what was seen lately. */
function scoreOf({ name, age, calls, said }: Named): number {
  const spoken = said === undefined ? 0 : 48 - 2 * log(said)
  const used = calls > 0 ? 8 * log(calls) - log(age) : -((log(age) * log(age)) >> 3)
  return spoken + used + (ID.test(name) ? 16 : 0) - 3 * log(name.length >> 2)
}

const inCall = ({ args }: Action): ReadonlyMap<string, string> =>
  namesIn(valuesIn(args).slice(0, CALL_CHARS_MAX))
const inOutput = ({ output }: Action): ReadonlyMap<string, string> =>
  namesIn(output.slice(0, OUTPUT_CHARS_MAX))
const inRegion = ({ lines }: Region): ReadonlyMap<string, string> =>
  namesIn(lines.filter(isDefinition).join('\n'))
const inWords = ({ value }: Sourced<string>): ReadonlyMap<string, string> => namesIn(value)

function namesIn(text: string): ReadonlyMap<string, string> {
  const names = writtenNames(text)
  for (const [key, name] of names)
    if (isNumber(key) || name.length > NAME_CHARS_MAX || !isSpecific(name)) names.delete(key)
    else if (name.includes('/')) {
      names.delete(key.slice(key.lastIndexOf('/') + 1))
      // A path from the root was found without its slash.
      if (text.includes(`/${name}`)) names.set(key, `/${name}`)
    }
  return names
}
