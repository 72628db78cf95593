import { appendFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { tryParse } from '../../core/event/json.ts'
import type { LogPage, NewestPage, Page, StoredLog } from '../../core/store/engine.ts'
import { byCreation, entryIn, matches, parseEntry } from '../../core/store/log-entry.ts'
import type { LogEntry, LogFilter } from '../../core/store/store.ts'
import { codeOf } from '../../errors.ts'
import { diskError, namesIn, PRIVATE_FILE, replaceFile } from '../../files/disk.ts'
import { sha256 } from '../../sha256.ts'
import { firstLine } from './first-line.ts'
import { type Layout, logName, logNames } from './layout.ts'

export interface IndexState {
  /** By the file name of the log. */
  readonly entries: Map<string, LogEntry>
  /** Line numbers. */
  readonly damaged: readonly number[]
  readonly exists: boolean
}

/**
 * Reads every line of the index, one each log: `<sha256 of the JSON> <JSON>`. Whatever is missing or damaged in it is made again from the first
 * lines of the logs.
 */
export async function readIndex(layout: Layout): Promise<IndexState> {
  const entries = new Map<string, LogEntry>()
  const damaged: number[] = []
  const text = await readFile(layout.index, 'utf8').catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw diskError('read index', layout.index, cause)
  })
  for (const [i, line] of (text ?? '').split('\n').entries()) {
    if (i % LINES_AT_ONCE === 0) await setImmediate()
    const json = line.slice(DIGEST_CHARS + 1)
    const entry = line === sealed(json) ? parseEntry(tryParse(json)) : undefined
    if (entry) entries.set(logName(entry.agent_id), entry)
    else if (line !== '') damaged.push(i + 1)
  }
  return { entries, damaged, exists: text !== undefined }
}

const DIGEST_CHARS = 64
/** A list of a hundred thousand logs takes seconds: others get their turn between so many. */
const LOOKED_AT_ONCE = 32
const LINES_AT_ONCE = 64

/**
 * Text with its digest before it.
 * @internal
 */
export const sealed = (text: string): string => `${sha256(text)} ${text}`

const indexLine = (entry: LogEntry): string => `${sealed(JSON.stringify(entry))}\n`

/** Not synced, and a failure is no error: listing adds what is missing. */
export function addToIndex(layout: Layout, entries: readonly LogEntry[]): void {
  if (entries.length === 0) return
  try {
    appendFileSync(layout.index, entries.map(indexLine).join(''), { mode: PRIVATE_FILE })
  } catch {}
}

/** A listing that goes on: what it found when it began, and where the next page is. */
interface Listing {
  readonly of: string
  readonly index: IndexState
  readonly names: readonly string[]
  readonly next: string
}

/**
 * The logs with their own first lines, page by page; the index is read and the folder looked through for the first page. The
 * index is only told of those it lacks: it remembers which logs there were, so that `check` finds one that is gone.
 */
export function logLists(layout: Layout): (filter: LogFilter, page: Page) => Promise<LogPage> {
  let last: Listing | undefined
  return async (filter, { after = '', limit }) => {
    const of = JSON.stringify(filter)
    const begun = last && last.of === of && last.next === after ? last : undefined
    const index = begun?.index ?? (await readIndex(layout))
    const names = begun?.names ?? (await namesOf(layout, index, filter, after))
    const page = names.slice(0, limit)
    const logs = await look(layout, index, page)
    const next = names.length > limit ? page.at(-1) : undefined
    last =
      next === undefined
        ? undefined
        : { of, index: { ...index, damaged: [] }, names: names.slice(limit), next }
    return { logs, ...(next === undefined ? {} : { next }) }
  }
}

async function namesOf(
  layout: Layout,
  index: IndexState,
  filter: LogFilter,
  after: string,
): Promise<string[]> {
  const isMeant = (name: string) => {
    const known = index.entries.get(name)
    return name > after && (!known || matches(known, filter) || isAll(filter))
  }
  return logNames(await namesIn(layout.traces))
    .filter(isMeant)
    .sort()
}

const isAll = (filter: LogFilter): boolean => Object.keys(filter).length === 0

/** The same, newest first: in the order that the index knows, without a look at the others. */
export async function newestLogs(
  layout: Layout,
  filter: LogFilter,
  { before, limit }: NewestPage,
): Promise<StoredLog[]> {
  const index = await readIndex(layout)
  const names = logNames(await namesIn(layout.traces))
  const { entries } = index
  const unknown = names.filter((name) => !entries.has(name))
  if (unknown.length > 0) await look(layout, index, unknown)
  const found = names.flatMap((name) => {
    const entry = entries.get(name)
    return entry && matches(entry, filter) && (!before || byCreation(entry, before) < 0)
      ? { name, entry }
      : []
  })
  const page = found.sort((one, other) => byCreation(other.entry, one.entry)).slice(0, limit)
  return look(
    layout,
    index,
    page.map(({ name }) => name),
  )
}

/** The first lines of these logs; what the index lacks is added to it. */
async function look(layout: Layout, index: IndexState, page: readonly string[]): Promise<StoredLog[]> {
  const logs: StoredLog[] = []
  const added: LogEntry[] = []
  for (const [at, name] of page.entries()) {
    if (at % LOOKED_AT_ONCE === 0) await setImmediate()
    // What can't be read must not hide the others, nor itself where it is known.
    const first = await firstLine(join(layout.traces, name)).catch(() => new Uint8Array(0))
    if (!first) continue
    const known = index.entries.get(name)
    logs.push({ first, isOf: (agentId) => logName(agentId) === name, known })
    const entry = known ? undefined : entryIn(first)
    if (!entry || logName(entry.agent_id) !== name) continue
    added.push(entry)
    index.entries.set(name, entry)
  }
  if (index.damaged.length > 0) {
    const all = [...index.entries.values()].map(indexLine).join('')
    // A folder that can't be written is listed all the same; the next listing adds what was in damaged lines.
    await replaceFile(layout.index, Buffer.from(all)).catch(() => {})
  } else addToIndex(layout, added)
  return logs
}
