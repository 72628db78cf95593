import type { Packet } from '../../core/packet/packet.ts'
import { summaryWords } from '../../run/agent-summary.ts'
import { type InspectedLog, onceOf } from './log.ts'
import { type Overview, overviewOf } from './overview.ts'

/** Something that a turn of an agent did or said. */
export interface AtTurn {
  readonly turn: number
  readonly text: string
}

/** What somebody who opens a run asks first: what was wanted, how it ended, what it changed, what went wrong. */
export interface InShort {
  readonly task: string
  /** What people said after it. */
  readonly person: readonly AtTurn[]
  readonly end: AtTurn
  /** Its last call, and what came of it. */
  readonly last?: AtTurn
  readonly changed: readonly (AtTurn & Pick<Packet['changed'][number], 'path' | 'said'>)[]
  readonly problems: readonly string[]
  /** Calls and faults; the same failure is one, with the turn in which it was last. */
  readonly failed: readonly (AtTurn & { readonly times: number })[]
  readonly concluded: readonly AtTurn[]
}

/** The packet at the end, with space for all that its state holds. */
const TOKENS = 32_000

export const inShort = (log: InspectedLog): Promise<InShort> =>
  onceOf(log, 'short', async () => {
    const { history } = log
    const { agent, goal, turns } = await overviewOf(log)
    const state = history.after(history.events.length)
    const settings = { ...state.settings, packet_size_limit: TOKENS }
    const packet = history.packetOf({ ...state, settings })
    const failed = new Map<string, InShort['failed'][number]>()
    const fail = (turn: number, text: string) => {
      const times = (failed.get(text)?.times ?? 0) + 1
      failed.delete(text)
      failed.set(text, { turn, text, times })
    }
    const faults = Map.groupBy(history.events, ({ turn, type }) => (type === 'agent_error' ? turn : -1))
    for (const { turn, calls } of turns) {
      for (const { tool, summary, outcome } of calls) if (outcome === 'error') fail(turn, summary || tool)
      for (const { type, data } of faults.get(turn) ?? [])
        if (type === 'agent_error') fail(turn, `Fault of the ${data.where}: ${data.message}`)
    }
    const last = turns.findLast(({ calls }) => calls.length > 0)
    const words = turns.findLast(({ text }) => text !== '')
    const isTold = agent.reason !== 'imported' && agent.summary !== ''
    return {
      task: goal,
      person: history.events.flatMap((event) =>
        event.type === 'person_message' && event.data.text !== goal
          ? [{ turn: event.turn, text: event.data.text }]
          : [],
      ),
      end: isTold
        ? { turn: agent.turns, text: summaryWords(agent) }
        : { turn: words?.turn ?? agent.turns, text: wholeWords(log, words?.turn) },
      ...(last ? { last: { turn: last.turn, text: lastCall(last.calls) } } : {}),
      changed: [...changedIn(log, packet).values()],
      problems: packet.diagnostics,
      failed: [...failed.values()].reverse(),
      concluded: packet.conclusions.map(({ text, ref }) => ({ text, turn: turnOf(log, ref) })),
    }
  })

const turnOf = ({ history }: InspectedLog, seq: number): number => history.event(seq)?.turn ?? 0

type Changed = InShort['changed'][number]

/** What its calls say that they changed, and what it proposed in the end: a program may have changed files unseen. */
function changedIn(log: InspectedLog, { changed }: Packet): Map<string, Changed> {
  const files = new Map<string, Changed>()
  for (const { path, what, said, ref } of changed)
    files.set(path, { path, said, text: what, turn: turnOf(log, ref) })
  const standings = new Map<string, AtTurn>()
  for (const { type, turn, data } of log.history.events) {
    if (type === 'proposal')
      for (const { path } of data.files) standings.set(path, { turn, text: 'proposed' })
    if (type === 'accepted')
      for (const { path } of data.files) standings.set(path, { turn, text: 'accepted' })
    if (type === 'rejected') for (const path of data.files) standings.set(path, { turn, text: 'rejected' })
  }
  for (const [path, { turn, text }] of standings) {
    const known = files.get(path)
    files.set(path, known ? { ...known, text: `${known.text}, ${text}` } : { path, said: [], text, turn })
  }
  return files
}

/** What came of it; its name where that is not known. */
const lastCall = (calls: Overview['turns'][number]['calls']): string => {
  const call = calls.at(-1)
  return call?.summary || call?.tool || ''
}

/** What the model said in a turn. */
const wholeWords = ({ history }: InspectedLog, turn: number | undefined): string =>
  history.events
    .flatMap((event) => (event.turn === turn && event.type === 'model_response' ? [event.data.text] : []))
    .join('\n')
    .trim()
