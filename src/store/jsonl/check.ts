import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { open } from '../../core/event/line.ts'
import { checkedBlob } from '../../core/store/blob.ts'
import { openLine } from '../../core/store/chain.ts'
import { entryOf } from '../../core/store/log-entry.ts'
import type { Finding } from '../../core/store/store.ts'
import { messageOf } from '../../errors.ts'
import { filesBelow, namesIn, TEMPORARY_ENDING } from '../../files/disk.ts'
import { isLeased, isLeaseFile, noteAt } from '../../files/lease.ts'
import { sha256 } from '../../sha256.ts'
import { readBlobFile } from './blobs.ts'
import { firstLine } from './first-line.ts'
import {
  ARCHIVE_ENDING,
  BLOB_ENDING,
  type Layout,
  LOCK_ENDING,
  LOG_ENDING,
  logName,
  logNames,
  REMOVING_ENDING,
  REWRITING_ENDING,
  TORN_MARK,
} from './layout.ts'
import type { LogBytes } from './lines.ts'
import { logEnd } from './log-end.ts'
import { reading } from './log-file.ts'
import { type IndexState, readIndex } from './log-index.ts'

const error = (where: string, what: string): Finding => ({ level: 'error', what, where })
const warning = (where: string, what: string): Finding => ({ level: 'warning', what, where })

/** What is wrong with the folder beyond what reading the logs would find. Changes nothing. */
export async function checkFolder(layout: Layout): Promise<Finding[]> {
  const index = await readIndex(layout)
  const names = await namesIn(layout.traces)
  const findings = checkIndex(layout, index, names)
  for (const name of logNames(names)) findings.push(...(await checkLog(layout, index, name)))
  const present = new Set(names)
  for (const name of names) {
    const what = strayIn(layout, present, name)
    if (what) findings.push(warning(join(layout.traces, name), what))
  }
  for (const path of await filesBelow(layout.blobs)) findings.push(...(await checkBlob(layout, path)))
  return findings
}

function checkIndex(layout: Layout, index: IndexState, names: readonly string[]): Finding[] {
  const present = new Set(logNames(names))
  const gone = [...index.entries.keys()].filter((name) => !present.has(name))
  return [
    ...index.damaged.map((line) =>
      error(layout.index, `the index is damaged at line ${line}; listing makes it again`),
    ),
    ...gone.map((name) =>
      error(
        join(layout.traces, name),
        `this log is gone. Restore it from a copy; if you removed it yourself, delete ${layout.index}`,
      ),
    ),
  ]
}

/** What a file beside the logs is, if it should not be there. */
function strayIn(layout: Layout, names: ReadonlySet<string>, name: string): string | undefined {
  if (name.endsWith(LOG_ENDING)) return undefined
  if (name.endsWith(LOG_ENDING + ARCHIVE_ENDING))
    return names.has(name.slice(0, -ARCHIVE_ENDING.length))
      ? 'a compressed copy of the log beside it; opening the log for writing removes it'
      : undefined
  if (name.endsWith(REWRITING_ENDING))
    return 'left behind while a log was written anew; opening the log for writing removes it'
  if (name.includes(TORN_MARK)) return 'the torn end of a log, kept aside by recovery'
  if (!isLeaseFile(name)) return 'not a file of this store'
  if (name.endsWith(TEMPORARY_ENDING)) return 'left behind while taking a lock; it can be deleted'
  const path = join(layout.traces, name)
  if (!name.endsWith(LOCK_ENDING) || isLeased(path)) return undefined
  return `the lock of process ${noteAt(path)?.pid ?? 'unknown'}, which is gone; opening the log takes it over`
}

async function checkLog(layout: Layout, index: IndexState, name: string): Promise<Finding[]> {
  const path = join(layout.traces, name)
  try {
    const line = await firstLine(path)
    const first = line && entryOf(open(line, sha256).header)
    if (first && logName(first.agent_id) !== name)
      return [error(path, `it holds the log of ${first.agent_id}, which has another file name`)]
    const findings = (await reading(path, (file) => checkEnd(path, file, first?.agent_id))) ?? []
    const known = index.entries.get(name)
    if (first && !known) {
      const missing = index.exists ? '' : ', which is missing'
      findings.unshift(warning(path, `the log is not in the index${missing}; listing adds it`))
    } else if (first && !isDeepStrictEqual(known, first))
      findings.unshift(
        error(
          layout.index,
          `the index says something else of ${name} than its first event; delete the index`,
        ),
      )
    return findings
  } catch (thrown) {
    return [error(path, messageOf(thrown))]
  }
}

/** While a writer is alive, an unfinished end is a write in progress. */
async function checkEnd(path: string, file: LogBytes, agentId = ''): Promise<Finding[]> {
  if (isLeased(path + LOCK_ENDING)) return []
  const { last, size, fileSize } = await logEnd(path, file)
  const problem = last && openLine(agentId, last.bytes, {}, false)
  if (typeof problem === 'string') return [error(path, `its end is damaged: ${problem}`)]
  if (size === fileSize) return []
  const what = `${fileSize - size} bytes from byte ${size} on are a torn event; opening the log for writing cuts them`
  return [warning(path, what)]
}

async function checkBlob(layout: Layout, path: string): Promise<Finding[]> {
  const digest = basename(path, BLOB_ENDING)
  if (path.endsWith(TEMPORARY_ENDING)) return [warning(path, 'an unfinished blob; it can be deleted')]
  if (path.endsWith(REMOVING_ENDING))
    return [warning(path, 'a blob that was being removed; the next "twotrack compact" sees to it')]
  if (layout.blob(digest) !== path) return [warning(path, 'not a file of this store')]
  try {
    for await (const _ of checkedBlob(digest, readBlobFile(layout, digest)));
    return []
  } catch (thrown) {
    return [error(path, messageOf(thrown))]
  }
}
