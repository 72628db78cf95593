import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, TwotrackError } from '../../errors.ts'
import { parseAddress } from './address.ts'
import { migrate } from './migrations.ts'
import {
  Broken,
  type DatabaseSession,
  failureOf,
  type OpenSession,
  openSession,
  type QueryRow,
} from './session.ts'

export interface PostgresConnections {
  /** `postgres://user:password@host:5432/database`; several hosts with commas between them: the one that takes writes is found. */
  readonly url: string
  /** The schema of this project's tables: `schemaOf`. */
  readonly schema: string
  /** How many may be open at once, besides the one that listens. */
  readonly connections?: number
  /** How long is tried again where the database is away, or another of its servers takes over. */
  readonly deadlineMs?: number
}

const CONNECTIONS = 12
const DEADLINE_MS = 60_000
/** The same before any server was ever reached: the address may be wrong. */
const FIRST_DEADLINE_MS = 10_000
const PAUSE_MS = 100
const PAUSE_MS_MAX = 1_000

/** Connections to the server of a database that takes writes, whichever of its hosts that is now. */
export interface Connections {
  /** The hosts and the database, without user and password. */
  readonly shown: string
  readonly schema: string
  /**
   * Does something that may be begun again: with `isAgain` set where an earlier attempt broke off and nobody knows what
   * became of it. Throws what the server refuses, and `io` when the time for it is over.
   */
  attempt<T>(work: (session: DatabaseSession, isAgain: boolean) => Promise<T>): Promise<T>
  /** One statement, which does no harm when it is done twice. */
  ask(text: string, values: readonly unknown[]): Promise<QueryRow[]>
  /** All of it or nothing. Not begun again where the commit may have been done. */
  transaction<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T>
  /** A connection to keep, for what `LISTEN` brings. */
  open(): Promise<OpenSession>
  close(): Promise<void>
}

export function connect(options: PostgresConnections): Connections {
  const { schema, connections: most = CONNECTIONS, deadlineMs = DEADLINE_MS } = options
  const { hosts, shown } = parseAddress(options.url)
  const closing = new AbortController()
  const idle: OpenSession[] = []
  const waiting: (() => void)[] = []
  let busy = 0
  /** The host that takes writes: found once for all who wait for it. */
  let leading: Promise<string> | undefined
  let hasConnected = false
  let migrated: Promise<void> | undefined

  const assertOpen = () => {
    if (closing.signal.aborted)
      throw new TwotrackError('closed', 'This postgres store is closed; open it again.')
  }

  /** All are asked at once: one that is gone takes its time to show it. */
  const find = async (): Promise<string> => {
    const [only = ''] = hosts
    if (hosts.length === 1) return only
    const asked = hosts.map(async (host) => {
      const session = await openSession(host, shown, schema)
      void session.end()
      return host
    })
    return Promise.any(asked).catch(({ errors }: AggregateError) => {
      const refused = errors.find((one) => !(one instanceof Broken))
      throw refused ?? new Broken(errors.map(messageOf).join(' '))
    })
  }
  const open = async (): Promise<OpenSession> => {
    leading ??= find()
    const own = leading
    try {
      const session = await openSession(await own, shown, schema)
      hasConnected = true
      migrated ??= migrate(session, schema, shown)
      await migrated.catch((thrown: unknown) => {
        migrated = undefined
        void session.end()
        throw thrown
      })
      return session
    } catch (thrown) {
      if (leading === own) leading = undefined
      throw thrown
    }
  }

  const acquire = async (): Promise<OpenSession> => {
    while (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    busy++
    try {
      for (let session = idle.pop(); session; session = idle.pop()) if (session.isUsable) return session
      return await open()
    } catch (thrown) {
      giveBack(undefined)
      throw thrown
    }
  }
  const giveBack = (session: OpenSession | undefined): void => {
    busy--
    if (session?.isUsable) {
      if (closing.signal.aborted) void session.end()
      else idle.push(session)
    }
    waiting.shift()?.()
  }

  const once = async <T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> => {
    const session = await acquire()
    try {
      return await work(session)
    } catch (thrown) {
      // The server may be one that another took over from.
      if (thrown instanceof Broken) {
        for (const other of idle.splice(0)) void other.end()
        leading = undefined
      }
      throw thrown
    } finally {
      giveBack(session)
    }
  }

  const attempt = async <T>(work: (session: DatabaseSession, isAgain: boolean) => Promise<T>): Promise<T> => {
    const begun = performance.now()
    let isAgain = false
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, PAUSE_MS_MAX)) {
      assertOpen()
      try {
        return await once((session) => {
          const result = work(session, isAgain)
          isAgain = true
          return result
        })
      } catch (thrown) {
        const failure = failureOf(thrown, shown)
        if (!(failure instanceof Broken)) throw failure
        const left = (hasConnected ? deadlineMs : FIRST_DEADLINE_MS) - (performance.now() - begun)
        if (left < pause) throw awayFor(shown, failure)
      }
      await sleep(pause, undefined, { signal: closing.signal }).catch(assertOpen)
    }
  }

  return {
    shown,
    schema,
    attempt,
    ask: (text, values) => attempt((session) => session.ask(text, values)),

    async transaction(work) {
      let isCommitting = false
      return attempt(async (session, isAgain) => {
        if (isAgain && isCommitting)
          throw new TwotrackError(
            'io',
            `The connection to ${shown} broke at the end of a change. Look whether it is done.`,
          )
        await session.ask('BEGIN')
        try {
          const result = await work(session)
          isCommitting = true
          await session.ask('COMMIT')
          return result
        } catch (thrown) {
          if (!(thrown instanceof Broken)) await session.ask('ROLLBACK').catch(() => {})
          throw thrown
        }
      })
    },

    async open() {
      assertOpen()
      return open()
    },

    async close() {
      closing.abort()
      await Promise.all(idle.splice(0).map((session) => session.end()))
    },
  }
}

const awayFor = (shown: string, { message }: Broken) =>
  new TwotrackError(
    'io',
    `The database ${shown} is away: ${message} What was under way may or may not be stored: read it before you go on.`,
  )
