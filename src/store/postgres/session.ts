import { Socket } from 'node:net'
import type { Client } from 'pg'
import { messageOf, missingPackage, TwotrackError } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'

/** A row by its columns; `int8` is a number, `bytea` a Buffer. */
export type QueryRow = Readonly<Record<string, unknown>>

/** One connection to the server that takes writes. */
export interface DatabaseSession {
  /**
   * Asks one statement, prepared once a connection. Without values it may be several statements. Throws `Broken` when it is
   * not known what became of it.
   */
  ask(text: string, values?: readonly unknown[], deadlineMs?: number): Promise<QueryRow[]>
}

export interface OpenSession extends DatabaseSession {
  /** Calls for what `LISTEN` brings, and when the connection is gone. */
  listen(told: (payload: string) => void, gone: () => void): void
  readonly isUsable: boolean
  end(): Promise<void>
}

/** The connection is gone, or the server says that it can't do this now: another one may. */
export class Broken extends Error {}

const CONNECT_MS = 3_000
const STATEMENT_MS = 10_000
const VERSION_MIN = 150_000

/**
 * Asked of each new connection: whether it is to be written to, and whether it keeps what it acknowledges. What it is told:
 * no statement is cut off by the server, since a commit that is cut off while it waits for a standby counts as done there;
 * and who is gone, or out of reach, holds no lock.
 */
const GREETING = `
  SELECT pg_is_in_recovery() AS is_standby, current_setting('default_transaction_read_only') AS read_only,
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
    current_setting('server_version_num')::int AS version, current_setting('server_version') AS shown,
    set_config('search_path', $1, false), set_config('statement_timeout', '0', false),
    set_config('client_connection_check_interval', '5s', false), set_config('tcp_user_timeout', '20s', false),
    set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
    set_config('idle_in_transaction_session_timeout', '60s', false), set_config('bytea_output', 'hex', false)`

/** Connects to one host. Throws `Broken` where that is no server to write to, at least not now. */
export async function openSession(url: string, shown: string, schema: string): Promise<OpenSession> {
  const { default: pg } = await import('pg').catch((thrown: unknown) => {
    throw missingPackage(thrown, 'A store in PostgreSQL', ['pg'])
  })
  const socket = new Socket()
  const config = {
    connectionString: url,
    stream: () => socket,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'twotrack',
    types: { getTypeParser: (type: number) => parserOf(pg.types, type) },
  }
  const client = new pg.Client(config)
  const session = sessionOver(client, () => socket.destroy())
  try {
    await client.connect()
    await checkServer(session, shown, schema)
    return session
  } catch (thrown) {
    await session.end()
    throw thrown instanceof TwotrackError || thrown instanceof Broken ? thrown : failureOf(thrown, shown)
  }
}

function sessionOver(client: Client, cut: () => void): OpenSession {
  let isUsable = true
  let isDoubtful = false
  let gone = () => {}
  const drop = () => {
    if (!isUsable) return
    isUsable = false
    // Not `end`: what is under way would be waited for.
    cut()
    gone()
  }
  client.on('error', drop)
  client.on('end', drop)
  // A commit whose wait for a standby was cut off is acknowledged all the same, with a warning.
  client.on('notice', ({ code }) => {
    if (code === '01000') isDoubtful = true
  })
  return {
    async ask(text, values, deadlineMs = STATEMENT_MS) {
      if (!isUsable) throw new Broken('The connection was lost.')
      isDoubtful = false
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          drop()
          reject(new Broken(`There was no answer within ${deadlineMs / 1000} s.`))
        }, deadlineMs)
      })
      try {
        const asked = values
          ? client.query({ name: sha256(text).slice(0, 24), text, values: [...values] })
          : client.query(text)
        const { rows } = await Promise.race([asked, late])
        if (!isDoubtful) return rows ?? []
        drop()
        throw new Broken('A wait for a standby was cut off.')
      } catch (thrown) {
        if (thrown instanceof Broken || !isPassing(thrown)) throw thrown
        drop()
        throw new Broken(messageOf(thrown))
      } finally {
        clearTimeout(timer)
      }
    },
    listen(told, onGone) {
      gone = onGone
      client.on('notification', ({ payload = '' }) => told(payload))
    },
    get isUsable() {
      return isUsable
    },
    async end() {
      if (!isUsable) return
      isUsable = false
      await client.end().catch(() => {})
    },
  }
}

async function checkServer(session: DatabaseSession, shown: string, schema: string): Promise<void> {
  const [server = {}] = await session.ask(GREETING, [`"${schema}"`])
  const refused = (what: string) =>
    new TwotrackError('bad_argument', `The database ${shown} is not used: ${what}`)
  if (Number(server['version']) < VERSION_MIN)
    throw refused(`its server is PostgreSQL ${server['shown']}, and 15 or later is needed.`)
  for (const name of ['fsync', 'synchronous_commit'])
    if (server[name] === 'off')
      throw refused(`its server has "${name}" off and may lose what it acknowledged. Set it to "on".`)
  if (server['is_standby'] === true || server['read_only'] === 'on') throw new Broken('It is a standby.')
}

/** Whether another connection, or the same later, may do what this one could not. */
function isPassing(thrown: unknown): boolean {
  const state = stateOf(thrown)
  if (state === undefined) return true
  return /^(08|53|57P0|25006|40001|40P01)/.test(state)
}

/** PostgreSQL's five characters for what went wrong; undefined for what is no answer of a server. */
export const stateOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error &&
  'code' in thrown &&
  /^[0-9A-Z]{5}$/.test(String(thrown.code)) &&
  'severity' in thrown
    ? String(thrown.code)
    : undefined

/** What a server refused, for people. */
export function failureOf(thrown: unknown, shown: string): unknown {
  if (thrown instanceof TwotrackError) return thrown
  if (isPassing(thrown)) return new Broken(messageOf(thrown))
  return new TwotrackError('io', `The database ${shown} refused: ${messageOf(thrown)}${hintOf(thrown)}.`, {
    details: { state: stateOf(thrown) },
  })
}

const HINTS: Readonly<Record<string, string>> = {
  '28P01': ' (look at the user and the password in the URL)',
  '28000': ' (look at the user in the URL, and at pg_hba.conf of the server)',
  '42501':
    ' (the role needs rights on the schema of the project; its owner makes that with what postgresMigrations(project) gives)',
  '3D000': ' (make it with createdb)',
}
const hintOf = (thrown: unknown): string => HINTS[stateOf(thrown) ?? ''] ?? ''

type Types = typeof import('pg').types

/** Values come as text: pg 8.23 reads binary ones as if they were text, and damages them. */
function parserOf(types: Types, type: number): (value: string) => unknown {
  if (type === types.builtins.BYTEA) return (value) => Buffer.from(value.slice(2), 'hex')
  if (type === types.builtins.INT8) return Number
  return types.getTypeParser(type, 'text')
}
