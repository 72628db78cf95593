import { appendFile, readdir, readFile, rename } from 'node:fs/promises'
import { isObject, tryParse } from '../../event/json.ts'
import { byCreation, entryOf, matches } from '../log-entry.ts'
import type { IndexName, LogEntry, LogFilter } from '../store.ts'
import { diskError, replaceFile, systemCode } from './disk.ts'
import { type Layout, LOG_ENDING, logName } from './layout.ts'
import { readFirst } from './read-first.ts'
import { openText, sealText } from './sealed-text.ts'

/** One line of the index: fields that are not indexed are left out and looked up in the log. */
type IndexEntry = Pick<LogEntry, 'agent_id' | 'created'> & Partial<LogEntry>

export interface IndexState {
  /** By the file name of the log. */
  readonly entries: ReadonlyMap<string, IndexEntry>
  readonly damaged: readonly { line: number; offset: number }[]
  readonly exists: boolean
}

/**
 * Reads every line of the index. One line each log: `<sha256 of the JSON> <JSON>`. The index is derived from the
 * logs; whatever is missing or damaged in it is made again from their first lines.
 */
export async function readIndex(layout: Layout): Promise<IndexState> {
  const entries = new Map<string, IndexEntry>()
  const damaged: { line: number; offset: number }[] = []
  const bytes = await readFile(layout.index).catch((cause: unknown) => {
    if (systemCode(cause) === 'ENOENT') return undefined
    throw diskError('read index', layout.index, cause)
  })
  if (!bytes) return { entries, damaged, exists: false }
  for (let offset = 0, line = 1; offset < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, offset)
    const entry = end === -1 ? undefined : parseEntry(bytes.subarray(offset, end))
    if (entry) entries.set(logName(entry.agent_id), entry)
    else damaged.push({ line, offset })
    offset = end === -1 ? bytes.length : end + 1
  }
  return { entries, damaged, exists: true }
}

function parseEntry(bytes: Uint8Array): IndexEntry | undefined {
  const text = openText(bytes)
  const value = text === undefined ? undefined : tryParse(text)
  if (!isObject(value) || typeof value['agent_id'] !== 'string' || typeof value['created'] !== 'string')
    return undefined
  const { agent_id, created, run_id, operation, node_id } = value
  return {
    agent_id,
    created,
    ...(typeof run_id === 'string' ? { run_id } : {}),
    ...(typeof operation === 'string' ? { operation } : {}),
    ...(typeof node_id === 'string' ? { node_id } : {}),
  }
}

function indexLine(entry: IndexEntry, indexing: readonly IndexName[]): string {
  const { agent_id, created, run_id, operation, node_id } = entry
  const fields = {
    agent_id,
    created,
    run_id: indexing.includes('run') ? run_id : undefined,
    operation: indexing.includes('operation') ? operation : undefined,
    node_id: indexing.includes('node') ? node_id : undefined,
  }
  return `${sealText(JSON.stringify(fields))}\n`
}

/** Not synced, and a failure is no error: `listLogs` adds what is missing. */
export async function addToIndex(
  layout: Layout,
  entry: LogEntry,
  indexing: readonly IndexName[],
): Promise<void> {
  await appendFile(layout.index, indexLine(entry, indexing)).catch(() => {})
}

/** Logs by the index. Only logs that it does not know, or not all of, are opened. */
export async function listLogs(
  layout: Layout,
  filter: LogFilter,
  indexing: readonly IndexName[],
): Promise<LogEntry[]> {
  const index = await readIndex(layout)
  const names = await logNames(layout)
  const entries = new Map<string, IndexEntry>()
  let unknown = ''
  for (const name of names) {
    const known = index.entries.get(name)
    const entry = known ?? (await entryOfLog(layout, name))
    if (!entry) continue
    entries.set(name, entry)
    if (!known) unknown += indexLine(entry, indexing)
  }
  if (index.damaged.length > 0) await rewriteIndex(layout, entries, indexing)
  else if (unknown !== '') await appendFile(layout.index, unknown).catch(() => {})
  const found: LogEntry[] = []
  for (const [name, entry] of entries) {
    if (!couldMatch(entry, filter)) continue
    const whole = isWhole(entry) ? entry : await entryOfLog(layout, name)
    if (whole && matches(whole, filter)) found.push(whole)
  }
  return found.sort(byCreation)
}

export async function logNames(layout: Layout): Promise<string[]> {
  try {
    return (await readdir(layout.traces)).filter((name) => name.endsWith(LOG_ENDING))
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return []
    throw diskError('list logs in', layout.traces, cause)
  }
}

async function entryOfLog(layout: Layout, name: string): Promise<LogEntry | undefined> {
  const first = await readFirst(layout, name)
  return typeof first === 'object' ? entryOf(first.header) : undefined
}

export const damagedIndexPath = (layout: Layout): string => `${layout.index}.damaged`

/** The damaged index is kept aside, for `check` to report. A folder that can't be written is listed all the same. */
async function rewriteIndex(
  layout: Layout,
  entries: ReadonlyMap<string, IndexEntry>,
  indexing: readonly IndexName[],
): Promise<void> {
  const text = [...entries.values()].map((entry) => indexLine(entry, indexing)).join('')
  try {
    await rename(layout.index, damagedIndexPath(layout))
    await replaceFile(layout.index, Buffer.from(text))
  } catch {}
}

const isWhole = (entry: IndexEntry): entry is LogEntry =>
  entry.run_id !== undefined && entry.operation !== undefined && entry.node_id !== undefined

function couldMatch(entry: IndexEntry, filter: LogFilter): boolean {
  const { run_id = filter.run_id, operation = filter.operation, node_id = filter.node_id } = entry
  return (
    (filter.run_id ?? run_id) === run_id &&
    (filter.operation ?? operation) === operation &&
    (filter.node_id ?? node_id) === node_id
  )
}
