import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { open } from '../../core/event/line.ts'
import { checkedBlob } from '../../core/store/blob.ts'
import { openLine } from '../../core/store/chain.ts'
import { errorAt, type Finding, warningAt } from '../../core/store/finding.ts'
import { entryOf } from '../../core/store/log-entry.ts'
import { messageOf } from '../../errors.ts'
import { filesBelow, namesIn } from '../../files/disk.ts'
import { isLeased } from '../../files/lease.ts'
import { sha256 } from '../../sha256.ts'
import { readBlobFile } from './blobs.ts'
import { firstLine } from './first-line.ts'
import { BLOB_ENDING, type Layout, LOCK_ENDING, logName, logNames, TORN_MARK } from './layout.ts'
import type { LogBytes } from './lines.ts'
import { logEnd } from './log-end.ts'
import { reading } from './log-file.ts'
import { type IndexState, readIndex } from './log-index.ts'

/** What is wrong with the folder beyond what reading the logs would find. Changes nothing. */
export async function checkFolder(layout: Layout): Promise<Finding[]> {
  const index = await readIndex(layout)
  const names = await namesIn(layout.traces)
  const findings = checkIndex(layout, index, names)
  for (const name of logNames(names)) findings.push(...(await checkLog(layout, index, name)))
  // What work that broke off left goes by itself; only this may hold what nobody has elsewhere.
  for (const name of names.filter((one) => one.includes(TORN_MARK)))
    findings.push(warningAt(join(layout.traces, name), 'the torn end of a log, kept aside by recovery'))
  for (const path of await filesBelow(layout.blobs)) findings.push(...(await checkBlob(layout, path)))
  return findings
}

function checkIndex(layout: Layout, index: IndexState, names: readonly string[]): Finding[] {
  const present = new Set(logNames(names))
  const gone = [...index.entries.keys()].filter((name) => !present.has(name))
  return [
    ...index.damaged.map((line) =>
      errorAt(layout.index, `the index is damaged at line ${line}; listing makes it again`),
    ),
    ...gone.map((name) =>
      errorAt(
        join(layout.traces, name),
        `this log is gone. Restore it from a copy; if you removed it yourself, delete ${layout.index}`,
      ),
    ),
  ]
}

async function checkLog(layout: Layout, index: IndexState, name: string): Promise<Finding[]> {
  const path = join(layout.traces, name)
  try {
    const line = await firstLine(path)
    const first = line && entryOf(open(line, sha256).header)
    if (first && logName(first.agent_id) !== name)
      return [errorAt(path, `it holds the log of ${first.agent_id}, which has another file name`)]
    const findings = (await reading(path, (file) => checkEnd(path, file, first?.agent_id))) ?? []
    const known = index.entries.get(name)
    if (first && !known) {
      const missing = index.exists ? '' : ', which is missing'
      findings.unshift(warningAt(path, `the log is not in the index${missing}; listing adds it`))
    } else if (first && !isDeepStrictEqual(known, first))
      findings.unshift(
        errorAt(
          layout.index,
          `the index says something else of ${name} than its first event; delete the index`,
        ),
      )
    return findings
  } catch (thrown) {
    return [errorAt(path, messageOf(thrown))]
  }
}

/** While a writer is alive, an unfinished end is a write in progress. */
async function checkEnd(path: string, file: LogBytes, agentId = ''): Promise<Finding[]> {
  if (isLeased(path + LOCK_ENDING)) return []
  const { last, size, fileSize } = await logEnd(path, file)
  const problem = last && openLine(agentId, last.bytes, {}, false)
  if (typeof problem === 'string') return [errorAt(path, `its end is damaged: ${problem}`)]
  if (size === fileSize) return []
  const what = `${fileSize - size} bytes from byte ${size} on are a torn event; opening the log for writing cuts them`
  return [warningAt(path, what)]
}

async function checkBlob(layout: Layout, path: string): Promise<Finding[]> {
  const digest = basename(path, BLOB_ENDING)
  if (layout.blob(digest) !== path) return []
  try {
    for await (const _ of checkedBlob(digest, readBlobFile(layout, digest)));
    return []
  } catch (thrown) {
    return [errorAt(path, messageOf(thrown))]
  }
}
