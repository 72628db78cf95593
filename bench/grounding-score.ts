import { fold } from '../src/core/packet/fold.ts'
import type { State } from '../src/core/packet/state.ts'
import { promptOf } from '../src/core/view/prompt.ts'
import { readerOf } from '../src/core/view/reader.ts'
import { BASELINES, type Baseline, historyOf } from './grounding-baselines.ts'
import { type Decision, decisionsOf, type Kind, kindOf, namesOf } from './grounding-needs.ts'
import type { Recording } from './grounding-recording.ts'

/** Sums over the decisions of one recording at one budget. */
export interface Score {
  readonly recall: Map<string, number>
  turns: number
  repeated: number
  repeatTurns: number
  bytes: number
  views: number
  readonly kinds: Map<Kind, { held: number; needed: number }>
  readonly tokens: { packet: number; history: number }[]
}

export function scoreOf(recording: Recording, budget: number): Score {
  const score: Score = {
    recall: new Map(),
    turns: 0,
    repeated: 0,
    repeatTurns: 0,
    bytes: 0,
    views: 0,
    kinds: new Map(),
    tokens: [],
  }
  const views = viewsOf(recording, budget)
  for (const decision of decisionsOf(recording.task, recording.actions)) {
    const view = views.get(decision.turn)
    if (view !== undefined) judge(score, recording, decision, view)
  }
  return score
}

/** The prompt's text after each turn, before the next. */
function viewsOf({ events, tokenizer }: Recording, budget: number): Map<number, string> {
  const reader = readerOf(tokenizer)
  const views = new Map<number, string>()
  let state: State | undefined
  for (const event of events) {
    const turnEnds = (event.type === 'turn_start' || event.type === 'run_end') && state && state.turn > 0
    if (turnEnds && state) views.set(state.turn, promptOf(state, reader).text)
    const next = fold(state, event)
    state =
      event.type === 'run_start'
        ? { ...next, settings: { ...next.settings, packet_size_limit: budget } }
        : next
  }
  return views
}

function judge(
  score: Score,
  { task, actions, tokenizer }: Recording,
  decision: Decision,
  view: string,
): void {
  const before = actions.slice(0, decision.actions)
  const size = Buffer.byteLength(view)
  const held = namesOf(view)
  score.bytes += size
  score.views++
  score.tokens.push({ packet: tokenizer.count(view), history: historyTokens(task, before) })
  if (decision.repeated.length > 0) {
    score.repeatTurns++
    score.repeated += share(decision.repeated, held)
  }
  if (decision.needed.length === 0) return
  score.turns++
  add(score.recall, 'packet', share(decision.needed, held))
  for (const [name, shown] of Object.entries(BASELINES) as [Baseline, (typeof BASELINES)[Baseline]][])
    add(score.recall, name, share(decision.needed, namesOf(shown(task, before, size))))
  for (const name of decision.needed) {
    const kind = score.kinds.get(kindOf(name)) ?? { held: 0, needed: 0 }
    kind.needed++
    if (held.has(name)) kind.held++
    score.kinds.set(kindOf(name), kind)
  }
}

const CHARS_PER_TOKEN = 3.4

/** By its length: counting every history exactly would take longer than all the rest. */
const historyTokens = (task: string, actions: Parameters<typeof historyOf>[1]): number =>
  Math.round(historyOf(task, actions).length / CHARS_PER_TOKEN)

const share = (names: readonly string[], held: ReadonlySet<string>): number =>
  names.filter((name) => held.has(name)).length / names.length

const add = (sums: Map<string, number>, name: string, value: number): void => {
  sums.set(name, (sums.get(name) ?? 0) + value)
}

/** Many scores together, as rows of a table. */
export class Tally {
  turns = 0
  readonly #scores: Score[] = []

  add(score: Score): void {
    this.#scores.push(score)
    this.turns += score.turns
  }

  recall(name: string): number {
    return this.#sum((score) => score.recall.get(name) ?? 0) / Math.max(1, this.turns)
  }

  static head(first: string): string {
    return `| ${first} | decisions | packet | tail | head and tail | masked | packet / tail | repeated | bytes |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|`
  }

  row(first: string): string {
    const repeats = this.#sum((score) => score.repeatTurns)
    const repeated = repeats === 0 ? '–' : (this.#sum((score) => score.repeated) / repeats).toFixed(3)
    const recalls = ['packet', 'tail', 'head and tail', 'masked'].map((name) => this.recall(name).toFixed(3))
    const times = (this.recall('packet') / this.recall('tail')).toFixed(2)
    const bytes = Math.round(this.#sum((score) => score.bytes) / this.#sum((score) => score.views))
    return `| ${[first, this.turns, ...recalls, times, repeated, bytes.toLocaleString('en-US')].join(' | ')} |`
  }

  kinds(): string {
    const rows = (['path', 'identifier', 'number'] as const).map((kind) => {
      const held = this.#sum((score) => score.kinds.get(kind)?.held ?? 0)
      const needed = this.#sum((score) => score.kinds.get(kind)?.needed ?? 0)
      return `| ${kind} | ${needed.toLocaleString('en-US')} | ${(held / Math.max(1, needed)).toFixed(3)} |`
    })
    return ['| kind | needed | held |', '|---|--:|--:|', ...rows].join('\n')
  }

  #sum(of: (score: Score) => number): number {
    return this.#scores.reduce((total, score) => total + of(score), 0)
  }
}
