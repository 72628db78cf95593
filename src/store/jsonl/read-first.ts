import { join } from 'node:path'
import { messageOf } from '../../errors.ts'
import { type Opened, open } from '../../event/line.ts'
import { sha256 } from '../../sha256.ts'
import { type Layout, logName } from './layout.ts'
import { lines } from './lines.ts'
import { openLog } from './read-log.ts'

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
