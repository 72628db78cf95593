import type { Event, EventFor } from '../../core/event/event.ts'
import { canonical, isObject, tryParse } from '../../core/event/json.ts'
import { fold } from '../../core/packet/fold.ts'
import type { State } from '../../core/packet/state.ts'
import type { Prompt } from '../../core/view/prompt.ts'
import { specificNames } from '../../text/names.ts'
import { isDecision, type LogSource } from '../history.ts'
import { blameFor } from './blame.ts'
import {
  addSeen,
  detached,
  kindOfName,
  linesWith,
  namesInCall,
  type SeenNames,
  type ShownText,
  shownIn,
  type TellingLine,
  tellingLines,
} from './needs.ts'
import { type BlindDecision, byScore, type Harm, type Spot, scoreOf } from './spot.ts'

/** Decisions after a line that was not shown in which a failing call counts against it. */
const DECISIONS_AFTER = 3
/** What is read of one output. */
const OUTPUT_CHARS_MAX = 4 * 1024 * 1024
const TEXT_CHARS_MAX = 300
const ASKED_LINES_MAX = 3

/** A call of the turn at hand, and what came of it. */
interface Made {
  readonly call: EventFor<'tool_call'>
  readonly names: readonly string[]
  readonly key: string
  result?: EventFor<'tool_result'>
}

type Draft = Omit<Spot, 'score'> & { readonly isNew: boolean; readonly harm: Harm[] }

/** The prompt that the calls of a turn were chosen with, of the state before them. Called once a turn. */
export type PromptAt = (turn: number, state: State) => Prompt | Promise<Prompt>

/** Walks through a log, turn by turn, and notes what each decision was made without. */
export class Walk {
  readonly #source: LogSource
  readonly #prompt: PromptAt
  readonly #only: number | undefined
  readonly #seen: SeenNames = new Map()
  readonly #given = new Set<string>()
  readonly #said = new Set<string>()
  /** The last result of each call, by its tool and arguments. */
  readonly #answers = new Map<string, { readonly seq: number; readonly sha256: string }>()
  readonly #decisions = new Map<number, Draft[]>()
  readonly #calls = new Map<string, Made>()
  #state: State | undefined
  #before: State | undefined
  #lines: { readonly event: EventFor<'tool_result'>; readonly lines: TellingLine[] }[] = []
  #waiting: { readonly draft: Draft; left: number }[] = []
  decisions = 0
  /** The turn of the last event. */
  turn = -1
  /** Names that calls used and that raw output had shown; and those of them that the packet did not show. */
  needed = 0
  missed = 0
  pruned = 0

  /** With `only`, one turn's decision alone is looked at. */
  constructor(source: LogSource, prompt: PromptAt, only?: number) {
    this.#source = source
    this.#prompt = prompt
    this.#only = only
  }

  async event(event: Event): Promise<void> {
    if (event.turn !== this.turn) {
      await this.#endTurn()
      this.turn = event.turn
    }
    if (event.type === 'run_start')
      for (const name of specificNames(`${event.data.goal}\n${event.data.instructions}`))
        this.#given.add(name)
    if (isDecision(event)) this.#before ??= this.#state
    if (event.type === 'tool_call') await this.#call(event)
    if (event.type === 'tool_result') {
      const made = this.#calls.get(event.data.call_id)
      if (made) made.result = event
    }
    this.#state = fold(this.#state, event)
  }

  /** What each decision was made without, the worst first. */
  async end(): Promise<BlindDecision[]> {
    await this.#endTurn()
    return [...this.#decisions].map(([turn, drafts]) => ({
      turn,
      spots: drafts
        .map(({ isNew, ...spot }): Spot => ({ ...spot, score: scoreOf(spot, isNew) }))
        .sort(byScore),
    }))
  }

  async #call(call: EventFor<'tool_call'>): Promise<void> {
    // Long arguments are whole in the raw part.
    const whole = call.data.args_sha256 === undefined ? undefined : await this.#source.raw(call, 'args')
    const args = whole === undefined ? call.data.args : (tryParse(whole) ?? whole)
    const key = `${call.data.tool} ${call.data.args_sha256 ?? canonical(call.data.args)}`
    this.#calls.set(call.data.call_id, { call, names: namesInCall(args), key })
  }

  async #endTurn(): Promise<void> {
    const made = [...this.#calls.values()]
    const state = this.#before
    if (made.length > 0 && state) {
      this.decisions++
      if (this.#only === undefined || this.#only === this.turn) await this.#decision(made, state)
      this.#hold(made)
    }
    await this.#learn(made)
    this.#calls.clear()
    this.#before = undefined
  }

  /** What the packet of this turn's calls did not show. Making that packet is most of the work. */
  async #decision(made: readonly Made[], state: State): Promise<void> {
    const shown = shownIn((await this.#prompt(this.turn, state)).text)
    await this.#missing(made, state, shown)
    await this.#askedAgain(made, state, shown)
    for (const { event, lines } of this.#lines)
      for (const line of lines)
        if (!shown.hasLine(line.text))
          this.#waiting.push({ draft: this.#addLine(event, state, line, []), left: DECISIONS_AFTER })
  }

  #add(draft: Draft): void {
    this.#decisions.set(draft.turn, [...(this.#decisions.get(draft.turn) ?? []), draft])
  }

  #addLine(
    event: EventFor<'tool_result'>,
    state: State,
    { line, text, kind }: TellingLine,
    harm: Harm[],
  ): Draft {
    const blame = blameFor(event, state, { names: [], text })
    const place = { turn: this.turn, seq: event.seq, line, to_line: line }
    const draft: Draft = { ...place, text: short(text), kind, names: [], harm, blame, isNew: false }
    this.#add(draft)
    return draft
  }

  /** Names that calls of this turn used, that raw output had shown and the packet did not. */
  async #missing(made: readonly Made[], state: State, shown: ShownText): Promise<void> {
    const missing = new Map<number, Map<string, Made>>()
    for (const one of made)
      for (const name of one.names) {
        const seq = this.#seen.get(name)
        if (seq === undefined || this.#given.has(name)) continue
        this.needed++
        if (shown.hasName(name)) continue
        this.missed++
        const names = missing.get(seq) ?? new Map<string, Made>()
        // A call that failed says more than one that did not.
        if (!names.has(name) || hasFailed(one)) names.set(name, one)
        missing.set(seq, names)
      }
    for (const [seq, names] of missing) {
      const event = await this.#source.event(seq)
      const output = event && (await this.#source.raw(event, 'raw_output'))
      if (event?.type !== 'tool_result' || output === undefined) continue
      const wanted = [...names.keys()]
      for (const { text, names: held, ...place } of linesWith(output.slice(0, OUTPUT_CHARS_MAX), wanted)) {
        const lower = held.map((name) => name.toLowerCase())
        const calls = [...new Set(lower.flatMap((name) => names.get(name) ?? []))]
        const { turn } = this
        this.#add({
          ...{ turn, seq, ...place, text: short(text, held), names: held },
          kind: held.map(kindOfName).sort((a, b) => RANK.indexOf(a) - RANK.indexOf(b))[0] ?? 'name',
          harm: calls.map((one) => ({
            kind: hasFailed(one) ? 'call_failed' : 'named',
            turn,
            seq: one.call.seq,
          })),
          blame: blameFor(event, state, { names: lower, text }),
          isNew: lower.some((name) => !this.#said.has(name)),
        })
      }
    }
  }

  /** The same call gave the same answer before, and the packet did not show all of that; or `recall` fetched it. */
  async #askedAgain(made: readonly Made[], state: State, shown: ShownText): Promise<void> {
    for (const one of made) {
      const before = this.#answers.get(one.key)
      const isSame = before !== undefined && before.sha256 === one.result?.data.output_sha256
      const seq = isSame ? before.seq : recalled(one.call)
      const event = seq === undefined ? undefined : await this.#source.event(seq)
      if (event?.type !== 'tool_result') continue
      const output = (await this.#source.raw(event, 'raw_output'))?.slice(0, OUTPUT_CHARS_MAX) ?? ''
      const unseen = output
        .split('\n')
        .flatMap((text, at) =>
          text.trim() === '' || shown.hasLine(text) ? [] : [{ line: at + 1, text: text.trim() }],
        )
      for (const { line, text } of unseen.slice(0, ASKED_LINES_MAX))
        this.#addLine(event, state, { line, text, kind: 'name' }, [
          { kind: 'asked_again', turn: this.turn, seq: one.call.seq },
        ])
    }
  }

  /** A call that fails counts against the telling lines (errors, failing tests, places) that it was chosen without. */
  #hold(made: readonly Made[]): void {
    const failed = made.find(hasFailed)
    for (const waiting of this.#waiting) {
      waiting.left--
      if (failed) waiting.draft.harm.push({ kind: 'failed_after', turn: this.turn, seq: failed.call.seq })
    }
    this.#waiting = this.#waiting.filter(({ left }) => left > 0)
  }

  /** What this turn's calls said and their outputs showed is known to the decisions after it. */
  async #learn(made: readonly Made[]): Promise<void> {
    if (made.length > 0) this.#lines = []
    for (const { names, result, key } of made) {
      for (const name of names) this.#said.add(name)
      if (!result) continue
      const raw = await this.#source.raw(result, 'raw_output')
      if (raw === undefined) this.pruned++
      const output = (raw ?? '').slice(0, OUTPUT_CHARS_MAX)
      addSeen(this.#seen, result.seq, output)
      this.#answers.set(key, { seq: result.seq, sha256: result.data.output_sha256 })
      // Without its raw part: what it said stays in the store.
      const { raw: _raw, ...event } = result
      this.#lines.push({ event, lines: tellingLines(output, result) })
    }
  }
}

const RANK = ['path', 'name', 'number']

const hasFailed = ({ result }: Made): boolean => result?.data.outcome === 'error'

/** The event whose output the tool `recall` was asked for. */
function recalled({ data }: EventFor<'tool_call'>): number | undefined {
  const ref = data.tool === 'recall' && isObject(data.args) ? data.args['ref'] : undefined
  return typeof ref === 'number' ? ref : undefined
}

/** Of a long line what stands around the names. */
function short(text: string, [name = '']: readonly string[] = []): string {
  const line = text.trim()
  const at = line.indexOf(name)
  const from = line.length <= TEXT_CHARS_MAX ? 0 : Math.max(0, at - (TEXT_CHARS_MAX >> 1))
  const part = line.slice(from, from + TEXT_CHARS_MAX)
  return detached(`${from > 0 ? '…' : ''}${part}${from + part.length < line.length ? '…' : ''}`)
}
