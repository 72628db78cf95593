import type { FileChange } from '../../event/delta.ts'
import type { Event, StopReason } from '../../event/event.ts'
import type { LogEntry } from '../../store/store.ts'
import { cut } from '../../text/cut.ts'
import { type Prices, priced, Usage } from './cost.ts'
import type { AgentPart, At, ReportChange, ReportFailure, ReportStep } from './report.ts'

const STEPS_MAX = 500
const FAILURES_MAX = 20
const CHANGES_MAX = 200
const WORDS_MAX = 20
const WORDS_CHARS_MAX = 2_000
const MESSAGE_CHARS_MAX = 400

/** An agent that ended like this did what it was asked for. */
const DONE = new Set<StopReason>(['submitted', 'imported'])

const kinds = {
  edit: 'edited',
  write: 'written',
  remove: 'removed',
  touch: 'touched',
} as const satisfies Partial<Record<FileChange['kind'], ReportChange['kind']>>

/** Reads the events of one agent, one after the other, and tells what they come to. */
export class AgentReader {
  readonly #entry: LogEntry
  readonly #withSteps: boolean
  readonly #usage = new Usage()
  readonly #tools = new Map<string, { tool: string; calls: number; failed: number }>()
  readonly #changes = new Map<string, ReportChange>()
  readonly #steps: ReportStep[] = []
  readonly #failures: ReportFailure[] = []
  readonly #words: (At & { text: string })[] = []
  #goal = ''
  #summary = ''
  #state = 'open'
  #failed = false
  #end: At | undefined
  #events = 0
  #turns = 0
  #rawBytes = 0
  #toolMs = 0
  #last: string

  constructor(entry: LogEntry, withSteps: boolean) {
    this.#entry = entry
    this.#withSteps = withSteps
    this.#last = entry.created
  }

  event(event: Event): void {
    const at = { seq: event.seq, turn: event.turn }
    this.#events = event.seq
    this.#turns = event.turn
    this.#last = event.timestamp
    switch (event.type) {
      case 'run_start':
        this.#goal = cut(event.data.goal, WORDS_CHARS_MAX)
        break
      case 'person_message':
        this.#heard(event.data.text, at)
        break
      case 'correction':
        this.#heard(event.data.note, at)
        break
      case 'model_request':
        this.#goesOn()
        this.#usage.request(event.data)
        break
      case 'model_response':
        this.#goesOn()
        this.#usage.response(event.data)
        break
      case 'tool_result':
        this.#goesOn()
        this.#result(event, at)
        break
      case 'agent_error':
        this.#fail(event.data.where, event.data.message, at)
        break
      case 'submit_result':
        this.#summary = event.data.summary
        break
      case 'workspace_accepted':
      case 'workspace_rejected': {
        const kind = event.type === 'workspace_accepted' ? 'accepted' : 'rejected'
        for (const path of event.data.files) this.#change(path, kind, at)
        break
      }
      case 'run_end':
        this.#state = event.data.reason
        this.#failed = !DONE.has(event.data.reason)
        this.#summary = event.data.summary
        this.#end = at
        if (this.#failed) this.#fail('run', `${event.data.reason}: ${event.data.summary}`, at)
        break
      default:
        break
    }
  }

  /** What is known when the log can't be read further. */
  damaged(message: string): AgentPart {
    this.#state = 'damaged'
    this.#failed = true
    this.#fail('log', message, { seq: this.#events, turn: this.#turns })
    return this.part({ currency: '', models: {} })
  }

  part(prices: Prices): AgentPart {
    const tools = [...this.#tools.values()].sort((a, b) => b.calls - a.calls)
    return {
      ...this.#entry,
      state: this.#state,
      failed: this.#failed,
      summary: this.#summary,
      ...(this.#end ? { end: this.#end } : {}),
      last: this.#last,
      wall_ms: Math.max(0, Date.parse(this.#last) - Date.parse(this.#entry.created)),
      tool_ms: this.#toolMs,
      events: this.#events,
      turns: this.#turns,
      calls: tools.reduce((sum, { calls }) => sum + calls, 0),
      failed_calls: tools.reduce((sum, { failed }) => sum + failed, 0),
      raw_bytes: this.#rawBytes,
      asked: { goal: this.#goal, words: this.#words },
      tools,
      steps: this.#steps,
      changes: [...this.#changes.values()],
      failures: this.#failures,
      models: this.#usage.uses().map((use) => priced(use, prices)),
    }
  }

  /** After an end that was not the last word: the agent was resumed. */
  #goesOn(): void {
    this.#state = 'open'
    this.#failed = false
    this.#end = undefined
  }

  #heard(text: string, at: At): void {
    if (text !== '' && this.#words.length < WORDS_MAX)
      this.#words.push({ ...at, text: cut(text, WORDS_CHARS_MAX) })
  }

  #fail(where: string, message: string, at: At): void {
    if (this.#failures.length < FAILURES_MAX)
      this.#failures.push({ ...at, where, message: cut(message, MESSAGE_CHARS_MAX) })
  }

  #result(event: Extract<Event, { type: 'tool_result' }>, at: At): void {
    const { tool, outcome, error, duration_ms, output_bytes } = event.data
    const known = this.#tools.get(tool) ?? { tool, calls: 0, failed: 0 }
    this.#tools.set(tool, known)
    known.calls++
    this.#rawBytes += output_bytes
    this.#toolMs += duration_ms ?? 0
    const summary = event.delta?.add_action?.[0]?.summary ?? outcome
    if (outcome === 'error') {
      known.failed++
      this.#fail(tool, error ?? summary, at)
    }
    for (const { kind, path } of event.delta?.change_files ?? [])
      if (kind !== 'read') this.#change(path, kinds[kind], at)
    if (this.#withSteps && this.#steps.length < STEPS_MAX)
      this.#steps.push({
        ...at,
        tool,
        summary: cut(summary, MESSAGE_CHARS_MAX),
        outcome,
        ...(duration_ms === undefined ? {} : { duration_ms }),
      })
  }

  /** The newest thing that was done to a file; a person's decision is the last word. */
  #change(path: string, kind: ReportChange['kind'], at: At): void {
    const known = this.#changes.get(path)
    if (!known && this.#changes.size >= CHANGES_MAX) return
    this.#changes.set(path, { ...at, path, kind, times: (known?.times ?? 0) + 1 })
  }
}
