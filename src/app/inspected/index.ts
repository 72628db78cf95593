import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { defined, tryParse } from '../../core/event/json.ts'
import { isRunLog } from '../../core/store/log-entry.ts'
import type { LogEntry, Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import type { Connection } from '../../files/sqlite.ts'
import { openIndex } from './index-file.ts'
import { headHash, type IndexedAgent, indexedRow } from './index-row.ts'

/** What of the list is wanted. */
export interface AgentQuery {
  readonly text?: string
  readonly operation?: string
  readonly standing?: string
  readonly run?: string
  /** That began at this time or later. */
  readonly since?: string
  readonly from?: number
  readonly most?: number
}

export interface AgentsPage {
  readonly total: number
  readonly agents: readonly IndexedAgent[]
  /** How many of each there are in all. */
  readonly operations: Readonly<Record<string, number>>
  readonly standings: Readonly<Record<string, number>>
  /** How many logs are still to be looked at; absent while they are listed. */
  readonly left?: number
}

const LOGS_AT_ONCE = 32
/** Of more logs than these the first page does not wait until they are listed. */
const MANY = 2_000
/** Who types or scrolls asks again before that. */
const QUIET_MS = 1_500
const LOGS_A_PAUSE = 1_000
const PAUSE_MS = 30

/**
 * A list of all agents, so that nobody has to read their logs to show them. It is a cache: each row knows the head of the
 * log that it was made of, and one whose log has another head now is made again before it is shown.
 */
export class AgentIndex {
  readonly #store: Store
  readonly #db: Connection
  /** Logs that are still to be looked at; undefined until they are listed. */
  left: number | undefined
  /** Requests that are being answered, and when the last was: the logs are looked at in the time between. */
  #asked = 0
  #answered = Number.POSITIVE_INFINITY
  #isMany = false
  #closed = false
  #counts: Pick<AgentsPage, 'operations' | 'standings'> | undefined

  constructor(store: Store, folder: string | undefined) {
    this.#store = store
    this.#db = openIndex(folder)
  }

  /** Looks at every log once; rows that are not of their log's head are made again. */
  async refresh(): Promise<void> {
    try {
      await this.#lookAtAll()
    } finally {
      this.left = 0
    }
  }

  async #lookAtAll(): Promise<void> {
    this.#isMany = Number(this.#db.get('SELECT count(*) AS n FROM agents')?.['n']) > MANY
    await this.#quiet()
    const entries: LogEntry[] = []
    for await (const entry of this.#store.each()) {
      if (!isRunLog(entry.agent_id)) entries.push(entry)
      if (entries.length % LOGS_A_PAUSE === 0) await this.#quiet()
    }
    // The newest first: these are what a person looks at.
    entries.sort((one, other) => (one.created < other.created ? 1 : -1))
    const known = new Map(
      this.#db.all('SELECT agent_id, head FROM agents').map((row) => [String(row['agent_id']), row['head']]),
    )
    const now = new Set(entries.map(({ agent_id }) => agent_id))
    for (const id of known.keys()) if (!now.has(id)) this.#forget(id)
    this.left = entries.length
    for (let at = 0; at < entries.length && !this.#closed; at += LOGS_AT_ONCE) {
      await this.#quiet()
      const some = entries.slice(at, at + LOGS_AT_ONCE)
      const heads = await Promise.all(some.map(({ agent_id }) => headHash(this.#store, agent_id)))
      const stale = some.filter(
        ({ agent_id }, i) => heads[i] !== undefined && heads[i] !== known.get(agent_id),
      )
      if (stale.length > 0) await this.#renew(stale)
      this.left = entries.length - at - some.length
      await setImmediate()
    }
  }

  /** Until nothing is asked for; of many logs, until what is known of them was shown, and nobody asks for more. */
  async #quiet(): Promise<void> {
    const isBusy = () => this.#asked > 0 || (this.#isMany && performance.now() - this.#answered < QUIET_MS)
    while (!this.#closed && isBusy()) await sleep(PAUSE_MS)
  }

  /** Until nothing is asked for, for work that can wait; throws when nobody waits for that any more. */
  async idle(signal: AbortSignal): Promise<void> {
    while (!this.#closed && this.#asked > 0) await sleep(PAUSE_MS, undefined, { signal })
    signal.throwIfAborted()
  }

  /** Called when somebody asks for something; what it returns is called when that is answered. */
  ask(): () => void {
    this.#asked++
    return () => {
      this.#asked--
      this.#answered = performance.now()
    }
  }

  /** One page of the list, the newest first; its rows are checked against their logs. */
  async page(query: AgentQuery): Promise<AgentsPage> {
    const { from = 0, most = 100 } = query
    const { where, values } = whereOf(query)
    const rows = () =>
      this.#db.all(
        `SELECT agent_id, head, row FROM agents ${where} ORDER BY created DESC, agent_id DESC LIMIT ? OFFSET ?`,
        ...values,
        most,
        from,
      )
    if (this.#closed) throw new TwotrackError('closed', 'The index was closed.')
    const stale: LogEntry[] = []
    const gone: string[] = []
    const found = rows()
    const heads = await Promise.all(found.map(({ agent_id }) => headHash(this.#store, String(agent_id))))
    for (const [at, { agent_id, head, row }] of found.entries())
      if (heads[at] === undefined) gone.push(String(agent_id))
      else if (heads[at] !== head) stale.push(rowOf(row))
    for (const id of gone) this.#forget(id)
    await this.#renew(stale)
    this.#counts ??= { operations: this.#counted('operation'), standings: this.#counted('standing') }
    return {
      total: Number(this.#db.get(`SELECT count(*) AS n FROM agents ${where}`, ...values)?.['n'] ?? 0),
      agents: (stale.length + gone.length > 0 ? rows() : found).map(({ row }) => rowOf(row)),
      ...this.#counts,
      ...defined({ left: this.left }),
    }
  }

  #counted(column: 'operation' | 'standing'): Record<string, number> {
    const rows = this.#db.all(
      `SELECT ${column} AS name, count(*) AS n FROM agents GROUP BY 1 ORDER BY 2 DESC`,
    )
    return Object.fromEntries(rows.map(({ name, n }) => [String(name), Number(n)]))
  }

  /** Agents whose raw text may hold these words: first those whose index has them, the newest first. The text itself decides. */
  candidates(text: string): string[] {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
    const order = 'ORDER BY whole DESC, created DESC'
    if (words.length === 0)
      return this.#db.all(`SELECT agent_id FROM agents ${order}`).map(({ agent_id }) => String(agent_id))
    const match = words
      .map((word, at) => (at === words.length - 1 ? `"${word}"*` : `"${word}"`))
      .join(' AND ')
    return this.#db
      .all(
        `SELECT agent_id FROM agents WHERE rowid IN (SELECT rowid FROM words WHERE words MATCH ?) OR whole = 0 ${order}`,
        match,
      )
      .map(({ agent_id }) => String(agent_id))
  }

  /** Whether it lists an agent, or will once it has looked at all logs. */
  knows(agentId: string): boolean {
    return this.left !== 0 || this.#db.get('SELECT 1 FROM agents WHERE agent_id = ?', agentId) !== undefined
  }

  /** Makes the rows of these logs again: they have changed. */
  async touched(entries: readonly LogEntry[]): Promise<void> {
    await this.#renew(entries)
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#db.close()
  }

  async #renew(entries: readonly LogEntry[]): Promise<void> {
    const made = await Promise.all(entries.map((entry) => indexedRow(this.#store, entry)))
    if (this.#closed || made.length === 0) return
    this.#db.transaction(() => {
      for (const { agent, head, text, whole } of made) {
        this.#forget(agent.agent_id)
        const { agent_id, run_id, operation, node_id, created, standing, goal, summary } = agent
        const about = [agent_id, run_id, node_id, goal, summary].join('\n').toLowerCase()
        const columns = [
          agent_id,
          run_id,
          operation,
          created,
          standing,
          head,
          about,
          whole ? 1 : 0,
          JSON.stringify(agent),
        ]
        this.#db.run(
          'INSERT INTO agents (agent_id, run_id, operation, created, standing, head, about, whole, row) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
          ...columns,
        )
        this.#db.run('INSERT INTO words (rowid, text) VALUES (last_insert_rowid(), ?)', text)
      }
    })
  }

  #forget(agentId: string): void {
    this.#counts = undefined
    this.#db.run('DELETE FROM words WHERE rowid IN (SELECT rowid FROM agents WHERE agent_id = ?)', agentId)
    this.#db.run('DELETE FROM agents WHERE agent_id = ?', agentId)
  }
}

const rowOf = (row: unknown): IndexedAgent => tryParse(String(row)) as IndexedAgent // written by `#renew`

function whereOf({ text, operation, standing, run, since }: AgentQuery) {
  const parts: [sql: string, value: string][] = []
  for (const word of (text ?? '').toLowerCase().split(/\s+/))
    if (word !== '') parts.push([`about LIKE ? ESCAPE '\\'`, `%${word.replace(/[\\%_]/g, '\\$&')}%`])
  if (operation !== undefined) parts.push(['operation = ?', operation])
  if (standing !== undefined) parts.push(['standing = ?', standing])
  if (run !== undefined) parts.push(['run_id = ?', run])
  if (since !== undefined) parts.push(['created >= ?', since])
  const where = parts.length === 0 ? '' : `WHERE ${parts.map(([sql]) => sql).join(' AND ')}`
  return { where, values: parts.map(([, value]) => value) }
}
