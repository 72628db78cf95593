import { messageOf } from '../errors.ts'
import { type Hub, type HubAnswer, latest } from './hub.ts'

/**
 * Several sources as one: the first that knows a node gives its state, facts of all stand side by side. One that throws
 * is left out of that answer, which says so.
 */
export const joinHubs = (...hubs: readonly Hub[]): Hub => ({
  ...graphOf(hubs),
  name: hubs.map((hub) => hub.name).join(' + '),
  async pull(nodes, _since, signal) {
    // Each is asked for all it knows: half an answer would hide what the others said before.
    const pulled = hubs.map(async (hub): Promise<HubAnswer> => {
      try {
        return await hub.pull(nodes, undefined, signal)
      } catch (thrown) {
        signal?.throwIfAborted()
        const note = `${hub.name} did not answer: ${messageOf(thrown)}`
        return { states: [], freshness: '', source: `${hub.name} failed`, note }
      }
    })
    const answers = await Promise.all(pulled)
    const known = new Map(
      answers.toReversed().flatMap(({ states }) => states.map((state) => [state.key, state])),
    )
    const states = nodes.flatMap((key) => known.get(key) ?? [])
    const missing = nodes.filter(
      (key) => !known.has(key) && answers.some((answer) => answer.missing?.includes(key)),
    )
    const notes = answers.flatMap(({ note }) => note ?? [])
    return {
      states,
      missing,
      facts: Object.assign({}, ...answers.toReversed().map(({ facts }) => facts)),
      freshness: latest(answers.map(({ freshness }) => freshness)),
      source: answers.map(({ source }) => source).join(' + '),
      ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    }
  },
  async close() {
    await Promise.all(hubs.map((hub) => hub.close()))
  },
})

/** All of the code, by the first that knows code. */
const graphOf = (hubs: readonly Hub[]): Pick<Hub, 'graph'> => {
  const ofCode = hubs.find(({ graph }) => graph !== undefined)
  return ofCode?.graph ? { graph: ofCode.graph } : {}
}
