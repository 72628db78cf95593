import { appendFile, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, messageOf } from '../../errors.ts'
import { tryParse } from '../../event/json.ts'
import { type Opened, open } from '../../event/line.ts'
import { diskError, namesIn, replaceFile } from '../../files/disk.ts'
import { sha256 } from '../../sha256.ts'
import { byCreation, entryOf, matches, parseEntry } from '../log-entry.ts'
import { openText, sealText } from '../sealed-text.ts'
import type { LogEntry, LogFilter } from '../store.ts'
import { type Layout, logName, logNames } from './layout.ts'
import { lines } from './lines.ts'
import { openLog } from './read-log.ts'

export interface IndexState {
  /** By the file name of the log. */
  readonly entries: ReadonlyMap<string, LogEntry>
  readonly damaged: readonly { line: number; offset: number }[]
  readonly exists: boolean
}

/**
 * Reads every line of the index. One line each log: `<sha256 of the JSON> <JSON>`. The index is derived from the
 * logs; whatever is missing or damaged in it is made again from their first lines.
 */
export async function readIndex(layout: Layout): Promise<IndexState> {
  const entries = new Map<string, LogEntry>()
  const damaged: { line: number; offset: number }[] = []
  const bytes = await readFile(layout.index).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw diskError('read index', layout.index, cause)
  })
  if (!bytes) return { entries, damaged, exists: false }
  for (let offset = 0, line = 1; offset < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, offset)
    const text = end === -1 ? undefined : openText(bytes.subarray(offset, end))
    const entry = text === undefined ? undefined : parseEntry(tryParse(text))
    if (entry) entries.set(logName(entry.agent_id), entry)
    else damaged.push({ line, offset })
    offset = end === -1 ? bytes.length : end + 1
  }
  return { entries, damaged, exists: true }
}

const indexLine = (entry: LogEntry): string => `${sealText(JSON.stringify(entry))}\n`

/** Not synced, and a failure is no error: `listLogs` adds what is missing. */
export async function addToIndex(layout: Layout, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length > 0) await appendFile(layout.index, entries.map(indexLine).join('')).catch(() => {})
}

/** Logs by the index. Only logs that it does not know are opened. */
export async function listLogs(layout: Layout, filter: LogFilter): Promise<LogEntry[]> {
  const index = await readIndex(layout)
  const entries: LogEntry[] = []
  const added: LogEntry[] = []
  for (const name of logNames(await namesIn(layout.traces))) {
    const known = index.entries.get(name)
    const first = known ? undefined : await readFirst(layout, name)
    if (typeof first === 'object') added.push(entryOf(first.header))
    else if (known) entries.push(known)
  }
  entries.push(...added)
  if (index.damaged.length > 0) await rewriteIndex(layout, entries)
  else await addToIndex(layout, added)
  return entries.filter((entry) => matches(entry, filter)).sort(byCreation)
}

/** The damaged index is kept aside, for `check` to report. A folder that can't be written is listed all the same. */
async function rewriteIndex(layout: Layout, entries: readonly LogEntry[]): Promise<void> {
  try {
    await rename(layout.index, layout.damagedIndex)
    await replaceFile(layout.index, Buffer.from(entries.map(indexLine).join('')))
  } catch {}
}

/** The first event of a log file; undefined if it has none yet, or a text saying why it is no log. */
export async function readFirst(layout: Layout, name: string): Promise<Opened | string | undefined> {
  try {
    const log = await openLog(name, join(layout.traces, name))
    if (!log) return undefined
    try {
      for await (const line of lines(log.file)) {
        if (!line.ended) return undefined
        const opened = open(line.bytes, sha256)
        const { agent_id } = opened.header
        return logName(agent_id) === name
          ? opened
          : `it holds the log of ${agent_id}, which has another file name`
      }
      return undefined
    } finally {
      await log.file.close()
    }
  } catch (thrown) {
    return messageOf(thrown)
  }
}
