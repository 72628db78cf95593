import { randomUUID } from 'node:crypto'
import { isObject, type Json, tryParse } from '../core/event/json.ts'
import type { Store } from '../core/store/store.ts'
import { messageOf } from '../errors.ts'
import type { Told } from '../hook/harness.ts'
import { harnessNamed } from '../hook/harnesses.ts'
import { readSpooled, removeSpooled, type Spooled, setAside, spooledIn } from '../hook/spool.ts'
import { foreignLog } from '../import/record.ts'
import { recordSteps, stepClock } from '../import/steps.ts'
import { Memory, type MemoryOptions } from '../memory.ts'

/** How long a reader waits for another process that folds the same session. */
const SPOOL_WAIT_MS = 10_000
/** Events of the spool that are recorded with one sync. */
const SPOOL_GROUP = 200

type Settings = Omit<MemoryOptions, 'goal' | 'store' | 'agentId'>

/** What a harness told, and the log that it belongs to. */
interface ToldOf extends Told {
  readonly spooled: Spooled
  readonly agentId: string
}

/** Events that one thing told becomes, at most: so far back a log is searched for what was recorded before. */
const EVENTS_EACH = 8

/**
 * Records what hooks spooled, each thing once: its name stands in the ids of its events, and what a log has already is only
 * taken away. Processes that come at the same time wait for each other. What can't be recorded now stays where it is, and
 * is told.
 */
export async function foldSpool(root: string, store: Store, settings: Settings): Promise<string[]> {
  const problems: string[] = []
  const waiting = Map.groupBy(
    spooledIn(root).flatMap((name) => {
      const told = toldIn(root, name)
      if (told?.steps.length === 0) removeSpooled(root, name)
      return told && told.steps.length > 0 ? [{ name, agentId: told.agentId }] : []
    }),
    ({ agentId }) => agentId,
  )
  for (const [agentId, entries] of waiting)
    try {
      await foldSession(
        root,
        store,
        settings,
        agentId,
        entries.map(({ name }) => name),
      )
    } catch (thrown) {
      problems.push(`What ${agentId} did last is not recorded yet: ${messageOf(thrown)}`)
    }
  return problems
}

function toldIn(root: string, name: string): ToldOf | undefined {
  const spooled = readSpooled(root, name)
  if (!spooled) return undefined
  const payload = tryParse(spooled.payload) as Json | undefined // what parses is JSON
  const told = isObject(payload) ? harnessNamed(spooled.harness)?.read(payload) : undefined
  if (!told) return setAside(root, name)
  return { ...told, spooled, agentId: agentIdOf(spooled.harness, told) }
}

const agentIdOf = (harness: string, { session, helper }: Told): string =>
  [harness, session, ...(helper === undefined ? [] : [helper])].join('-')

async function foldSession(
  root: string,
  store: Store,
  settings: Settings,
  agentId: string,
  names: readonly string[],
): Promise<void> {
  const first = names.map((name) => toldIn(root, name)).find((told) => told !== undefined)
  if (!first) return
  const { harness, at } = first.spooled
  const clock = stepClock()
  clock.at(at)
  let id = 0
  let name = ''
  const log = {
    goal: null,
    instructions: '',
    origin: { harness, session: first.session, recorded: 'as it went, by a hook' },
  }
  const memory = await Memory.open(
    foreignLog(log, {
      ...settings,
      store,
      agentId,
      runId: [harness, first.session].join('-'),
      operation: harness,
      waitMs: SPOOL_WAIT_MS,
      grouped: true,
      now: clock.now,
      newId: () => (name === '' ? randomUUID() : `${name}.${id++}`),
    }),
  )
  try {
    const known = await recordedIn(store, agentId, memory.head.seq - names.length * EVENTS_EACH)
    const recorder = recordSteps(memory, clock)
    const answers = answersByTime()
    let done: string[] = []
    const flush = async () => {
      await memory.flush()
      for (const one of done) removeSpooled(root, one)
      done = []
    }
    for (const one of names) {
      const told = toldIn(root, one)
      if (!told) continue
      name = one
      id = 0
      clock.at(told.spooled.at)
      const answer = answers.of(told)
      if (!known.has(one)) for (const step of told.steps) await recorder.record({ ...answer, ...step })
      done.push(one)
      if (done.length >= SPOOL_GROUP) await flush()
    }
    await flush()
  } finally {
    await memory.close()
  }
}

/** What of the spool the end of a log was made of. */
async function recordedIn(store: Store, agentId: string, from: number): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  if (!(await store.head(agentId))) return names
  for await (const { id } of store.read(agentId, { from: Math.max(1, from), raw: false }))
    names.add(id.replace(/\.\d+$/, ''))
  return names
}

/**
 * Which calls were made by one answer, where the harness does not say: one that began before the hook of the call before it
 * was told ran beside it.
 */
function answersByTime() {
  let before = Number.NEGATIVE_INFINITY
  let answer = ''
  return {
    of({ spooled, steps }: ToldOf): { answer: string } {
      const told = Date.parse(spooled.at)
      const [duration = 0] = steps.flatMap((step) => (step.kind === 'result' ? [step.duration_ms ?? 0] : []))
      if (told - duration >= before) answer = spooled.name
      before = told
      return { answer }
    },
  }
}
