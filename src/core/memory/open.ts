import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type ErrorCode, TwotrackError } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'
import type { Delta } from '../event/delta.ts'
import { type DataOf, type Event, GENESIS, type Settings } from '../event/event.ts'
import { type Sealed, seal } from '../event/line.ts'
import { fold } from '../packet/fold.ts'
import type { State } from '../packet/state.ts'
import { assertStore } from '../store/given.ts'
import type { Head, LogWriter } from '../store/store.ts'
import { assertFits } from '../view/prompt.ts'
import type { Reader } from '../view/reader.ts'
import { stateAt } from './at.ts'
import { assertNoSecret, type Hide } from './hide.ts'
import { newNonces } from './nonces.ts'
import { type LogOptions, runStartOf } from './options.ts'
import { sharedReader } from './tokenizer.ts'

/** How often a log that is in use is tried again. */
const LOOK_AGAIN_MS = 20

/** Makes the border of a run. An existing log says whether its secrets were `replaced`, and stays so. */
export type HideFor = (runId: string, begun: DataOf<'run_start'>['secrets']) => Promise<Hide>

/** A log open for writing, and the state that it folds to. */
export interface OpenedLog {
  readonly writer: LogWriter
  readonly identity: Pick<Event, 'run_id' | 'agent_id' | 'operation' | 'node_id'>
  readonly state: State
  readonly head: Head
  readonly reader: Reader
  readonly hide: Hide
  /** Its first event, where it was begun now; not yet written where events are grouped. */
  readonly began?: Sealed
}

/** Opens an agent's log, continuing it if it exists. Nothing is written if the run cannot begin. */
export async function openLog(options: LogOptions, hideFor: HideFor): Promise<OpenedLog> {
  assertStore(options?.store, options?.agentId)
  const existing = await options.store.head(options.agentId)
  return existing && existing.seq > 0 ? resume(options, hideFor) : begin(options, hideFor)
}

async function begin(options: LogOptions, hideFor: HideFor): Promise<OpenedLog> {
  const hide = await hideFor(options.runId ?? options.agentId, undefined)
  const data = runStartOf(options, hide)
  const identity = {
    run_id: options.runId ?? options.agentId,
    agent_id: options.agentId,
    operation: options.operation ?? 'task',
    node_id: data.node.id,
  }
  assertNoSecret(hide, identity)
  const first = seal(
    { type: 'run_start', data },
    {
      ...identity,
      id: (options.newId ?? randomUUID)(),
      seq: 1,
      turn: 0,
      timestamp: (options.now ?? (() => new Date()))().toISOString(),
      prev: GENESIS,
      nonces: (options.newNonces ?? newNonces)(),
    },
    sha256,
  )
  const state = fold(undefined, first.event)
  const reader = await sharedReader(state.settings.tokenizer)
  assertFits(state, reader)
  // A schema that cannot be used is refused before anything is written.
  extensionChecks(state.settings)
  const writer = await openWriter(options)
  if (writer.head.seq > 0 && options.waitMs !== undefined) {
    // While this one waited, another began the log.
    await writer.close()
    return resume(options, hideFor)
  }
  try {
    if (!options.grouped) await writer.append([first], 0)
  } catch (thrown) {
    await writer.close().catch(() => {})
    throw thrown
  }
  const head = { seq: 1, hash: first.event.hash }
  return { writer, identity, state, head, reader, hide, began: first }
}

async function resume(options: LogOptions, hideFor: HideFor): Promise<OpenedLog> {
  const writer = await openWriter(options)
  try {
    const { state, first, last } = await stateAt(options.store, options.agentId, { seq: writer.head.seq })
    const reader = await sharedReader(state.settings.tokenizer)
    const identity = {
      run_id: options.runId ?? last.run_id,
      agent_id: last.agent_id,
      operation: last.operation,
      node_id: last.node_id,
    }
    extensionChecks(state.settings)
    const begun = first.type === 'run_start' ? first.data.secrets : undefined
    const hide = await hideFor(identity.run_id, begun)
    return { writer, identity, state, head: writer.head, reader, hide }
  } catch (thrown) {
    await writer.close().catch(() => {})
    throw thrown
  }
}

/** The log for writing; one that is in use is waited for as long as `waitMs` says. */
const openWriter = ({ store, agentId, waitMs = 0 }: LogOptions): Promise<LogWriter> =>
  untilFree(waitMs, () => store.open(agentId))

/** Tries again while somebody else has the log, as long as that may take. */
export async function untilFree<T>(
  waitMs: number,
  attempt: () => Promise<T>,
  taken: readonly ErrorCode[] = ['locked'],
): Promise<T> {
  const end = performance.now() + waitMs
  for (;;) {
    try {
      return await attempt()
    } catch (thrown) {
      const isTaken = thrown instanceof TwotrackError && taken.includes(thrown.code)
      if (!isTaken || performance.now() >= end) throw thrown
      await sleep(LOOK_AGAIN_MS)
    }
  }
}

/** Checks a delta's extensions against the schemas that the run registered; refuses before anything is written. */
export function extensionChecks(settings: Settings): (delta: Delta) => void {
  const schemas = new Map(
    Object.entries(settings.extensions).map(([name, { schema }]) => [name, z.fromJSONSchema(schema)]),
  )
  return (delta) => {
    for (const [name, value] of Object.entries(delta.set_extension ?? {})) {
      const checked = schemas.get(name)?.safeParse(value)
      if (!checked || checked.success) continue // an unregistered name is refused by the fold
      const issue = checked.error.issues[0]
      throw new TwotrackError(
        'bad_packet',
        `Extension "${name}" does not fit its schema: at ${issue?.path.join('.') || 'the top'}: ${issue?.message}.`,
      )
    }
  }
}
