import type { Engine, LogPage, NewestPage, Page, StoredLog } from './engine.ts'
import { byCreation, entryIn, matches } from './log-entry.ts'
import type { LogEntry, LogFilter } from './store.ts'

/** Logs that are asked of an engine at once. */
const LIST_PAGE_LOGS = 10_000

/** Asked before each page: throws once the store is closed. */
type Opened = () => Engine

/** All that an engine lists, page by page; undefined for a log of which nothing can be said. */
export async function* listedLogs(opened: Opened, filter: LogFilter): AsyncGenerator<LogEntry | undefined> {
  let page: Page | undefined = { limit: LIST_PAGE_LOGS }
  while (page) {
    const { logs, next }: LogPage = await opened().list(filter, page)
    yield* logs.map(entryOfLog)
    page = next === undefined ? undefined : { limit: LIST_PAGE_LOGS, after: next }
  }
}

export async function* matching(opened: Opened, filter: LogFilter): AsyncGenerator<LogEntry> {
  for await (const entry of listedLogs(opened, filter)) if (entry && matches(entry, filter)) yield entry
}

/** The newest logs: as the engine finds them, or by a look at all of which only so many are kept. */
export async function newest(opened: Opened, filter: LogFilter, page: NewestPage): Promise<LogEntry[]> {
  if (!opened().newest) return newestOfAll(opened, filter, page)
  const found: LogEntry[] = []
  let { before } = page
  for (;;) {
    const limit = page.limit - found.length
    const logs = (await opened().newest?.(filter, { limit, ...(before ? { before } : {}) })) ?? []
    const entries = logs.map(entryOfLog)
    for (const entry of entries) if (entry && matches(entry, filter)) found.push(entry)
    before = entries.findLast((entry) => entry !== undefined)
    if (logs.length < limit || !before || found.length >= page.limit) return found
  }
}

async function newestOfAll(
  opened: Opened,
  filter: LogFilter,
  { limit, before }: NewestPage,
): Promise<LogEntry[]> {
  const newestFirst = (one: LogEntry, other: LogEntry) => byCreation(other, one)
  let best: LogEntry[] = []
  for await (const entry of matching(opened, filter)) {
    if (before && byCreation(entry, before) >= 0) continue
    best.push(entry)
    if (best.length > limit + LIST_PAGE_LOGS) best = best.sort(newestFirst).slice(0, limit)
  }
  return best.sort(newestFirst).slice(0, limit)
}

/** What a log's first event says; where that is damaged, what is remembered of it. */
function entryOfLog({ first, isOf, known }: StoredLog): LogEntry | undefined {
  const entry = entryIn(first)
  return entry && isOf(entry.agent_id) ? entry : entry ? undefined : known
}
