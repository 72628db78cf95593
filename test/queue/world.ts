import { isOver, JOB_ATTEMPTS_MAX } from '../../src/queue/job.ts'
import { Database, type Entry, LEASE_MS, type Mutation } from './database.ts'

const RENEW_MS = 300
const POLL_MS = 100
const REPLY_MS = 400
const STEPS = 3
const HEAL_AT_MS = 20_000
const END_AT_MS = 60_000

/** The same numbers for the same seed, on every machine. */
function randomFrom(seed: number): () => number {
  let at = seed >>> 0
  return () => {
    at = (at + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A step of a process: it waits by its own clock, or asks the database; undefined is no answer in time. */
type Step = { readonly wait: number } | { readonly ask: (database: Database) => unknown }
type Process = Generator<Step, void, unknown>

interface Machine {
  readonly name: string
  /** How fast its clock goes. */
  readonly rate: number
  /** Counts restarts: what was before is dead. */
  life: number
  pausedUntil: number
  cutOffUntil: number
}

interface Told {
  readonly broken: readonly string[]
  readonly effects: number
  readonly done: number
  readonly taken_over: number
}

/** One schedule: workers do jobs while machines pause, die and are cut off, and clocks go wrong; then all is well again. */
export function simulate(seed: number, without?: Mutation): Told {
  const random = randomFrom(seed)
  const between = (low: number, high: number) => low + random() * (high - low)
  const database = new Database(without)
  const due: { at: number; order: number; run: () => void }[] = []
  let order = 0
  let entries = 0
  const isHealed = () => database.now >= HEAL_AT_MS
  const at = (time: number, run: () => void) => {
    const one = { at: time, order: order++, run }
    const place = due.findLastIndex((other) => other.at <= time)
    due.splice(place + 1, 0, one)
  }
  /** How often each effect was really done. */
  const effects = new Map<string, number>()

  const jobs = 3 + Math.floor(random() * 10)
  for (let n = 0; n < jobs; n++)
    database.jobs.set(`job-${n}`, { state: { is: 'waiting', failed: 0 }, poison: random() < 0.08 })
  const machines: Machine[] = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, n) => ({
    name: `worker-${n}`,
    rate: between(0.4, 2.5),
    life: 0,
    pausedUntil: 0,
    cutOffUntil: 0,
  }))

  /** Runs a process until it waits; a machine that is paused goes on when it wakes, one that died does not. */
  const go = (machine: Machine, process: Process, life: number, answer?: unknown): void => {
    if (machine.life !== life) return
    if (machine.pausedUntil > database.now) {
      at(machine.pausedUntil, () => go(machine, process, life, answer))
      return
    }
    const { done, value } = process.next(answer)
    if (done) return
    if ('wait' in value) {
      at(database.now + value.wait * machine.rate, () => go(machine, process, life))
      return
    }
    let isAnswered = false
    const answered = (given: unknown) => {
      if (isAnswered) return
      isAnswered = true
      go(machine, process, life, given)
    }
    const isLost = () => !isHealed() && (machine.cutOffUntil > database.now || random() < 0.03)
    at(database.now + REPLY_MS * machine.rate, () => answered(undefined))
    if (isLost()) return
    // Now and then a request comes long after nobody waits for its answer any more.
    at(database.now + (random() < 0.02 ? between(400, 5_000) : between(1, 60)), () => {
      const given = { answer: value.ask(database) }
      if (!isLost()) at(database.now + between(1, 60), () => answered(given))
    })
  }

  /** Asks until there is an answer: what it asks may be asked again. */
  function* ask<T>(what: (database: Database) => T): Generator<Step, T, unknown> {
    for (;;) {
      const given = (yield { ask: what }) as { answer: T } | undefined
      if (given) return given.answer
      yield { wait: POLL_MS }
    }
  }

  function* renewing(id: string, generation: number, hasEnded: () => boolean): Process {
    while (!hasEnded()) {
      yield { wait: RENEW_MS }
      if (!hasEnded() && !(yield* ask((db) => db.renew(id, generation)))) return
    }
  }

  function* working(machine: Machine): Process {
    for (;;) {
      // A take whose answer is lost is a job that lapses.
      const given = (yield { ask: (db) => db.take(machine.name) }) as
        | { answer?: { id: string; generation: number } }
        | undefined
      const taken = given?.answer
      if (!taken) {
        yield { wait: POLL_MS * between(1, 3) }
        continue
      }
      let hasEnded = false
      go(
        machine,
        renewing(taken.id, taken.generation, () => hasEnded),
        machine.life,
      )
      yield* doing(machine, taken)
      hasEnded = true
    }
  }

  function* doing(machine: Machine, { id, generation }: { id: string; generation: number }): Process {
    const log = [...(yield* ask((db) => db.log(id)))]
    function* append(what: Entry['what'], step: number): Generator<Step, boolean, unknown> {
      const expected = log.length
      const entry = { what, step, generation, id: `e${entries++}` }
      log.push(entry)
      return yield* ask((db) => db.append(id, expected, entry))
    }
    const last = log.at(-1)
    let step = last?.what === 'result' ? last.step + 1 : (last?.step ?? 0)
    if (last?.what === 'call' && without !== 'effects_once') {
      // It may have happened: it is not done again.
      if (!(yield* append('result', step++))) return
    }
    for (; step < STEPS && last?.what !== 'end'; step++) {
      const isBegun = last?.what === 'call' && last.step === step
      if (!isBegun && !(yield* append('call', step))) return
      yield { wait: between(5, 400) }
      if (database.jobs.get(id)?.poison) {
        if (random() < 0.5) {
          machine.life++
          at(database.now + between(50, 500), () => start(machine))
        } else yield* ask((db) => db.finish(id, { do: 'fail', generation, error: 'poison' }))
        return
      }
      const key = `${id}/${step}`
      effects.set(key, (effects.get(key) ?? 0) + 1)
      if (!(yield* append('result', step))) return
      if (random() < 0.06) {
        const isFailure = random() < 0.2
        const move = isFailure ? ({ do: 'fail', error: 'no disk' } as const) : ({ do: 'give_back' } as const)
        yield* ask((db) => db.finish(id, { ...move, generation }))
        return
      }
    }
    if (last?.what !== 'end' && !(yield* append('end', STEPS))) return
    yield* ask((db) => db.finish(id, { do: 'end', generation }))
  }

  const start = (machine: Machine) => go(machine, working(machine), machine.life)

  /** What goes wrong, until all is well. */
  const harm = () => {
    if (isHealed()) {
      database.isPaused = false
      return
    }
    const machine = machines[Math.floor(random() * machines.length)]
    const until = Math.min(HEAL_AT_MS, database.now + between(100, 4 * LEASE_MS))
    const kind = random()
    if (!machine || kind < 0.1) database.isPaused = !database.isPaused
    else if (kind < 0.4) machine.pausedUntil = until
    else if (kind < 0.7) machine.cutOffUntil = until
    else if (kind < 0.95) {
      machine.life++
      at(until, () => start(machine))
    } else {
      const id = `job-${Math.floor(random() * jobs)}`
      database.move(id, random() < 0.5 ? { do: 'cancel' } : { do: 'retry' })
    }
    at(database.now + between(50, 1_500), harm)
  }

  for (const machine of machines) start(machine)
  at(between(10, 500), harm)
  at(HEAL_AT_MS, harm)
  for (;;) {
    const next = due.shift()
    if (!next || next.at > END_AT_MS) break
    database.now = next.at
    next.run()
    if (isHealed() && [...database.jobs.values()].every(({ state }) => isOver(state))) break
  }

  const broken = [...new Set(database.broken)]
  let taken_over = 0
  for (const [id, { state, poison }] of database.jobs) {
    const log = database.log(id)
    if (!isOver(state)) broken.push(`${id} is lost: ${JSON.stringify(state)}`)
    if (state.is === 'set_aside' && !poison && state.failed < JOB_ATTEMPTS_MAX)
      broken.push(`${id} was set aside after ${state.failed} failures`)
    const ends = log.filter(({ what }) => what === 'end').length
    if (state.is === 'done' && ends !== 1) broken.push(`${id} is done and has ${ends} ends`)
    if (ends > 1) broken.push(`${id} ended ${ends} times`)
    if (new Set(log.map(({ generation }) => generation)).size > 1) taken_over++
    if (log.some((entry, n) => n > 0 && entry.generation < (log[n - 1]?.generation ?? 0)))
      broken.push(`${id}: an old writer wrote after a new one`)
  }
  for (const [key, times] of effects) if (times > 1) broken.push(`${key} happened ${times} times`)
  const done = [...database.jobs.values()].filter(({ state }) => state.is === 'done').length
  return { broken, effects: effects.size, done, taken_over }
}
