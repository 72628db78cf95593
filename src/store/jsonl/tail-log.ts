import { watch } from 'node:fs'
import type { Opened } from '../../event/line.ts'
import { JSONL_TAIL_POLL_MS } from '../../limits.ts'
import { diskError } from './disk.ts'
import { missingLog, openLog, seek } from './read-log.ts'
import { cursorAtStart, scan } from './scan.ts'

/** The checked lines of a log from `from` on, then each new one as it becomes whole, until the signal. */
export async function* tailLog(
  agentId: string,
  path: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Opened> {
  const log = await openLog(agentId, path)
  if (!log) throw missingLog(agentId, path)
  const changes = watchChanges(path)
  try {
    const cursor = from > 1 ? await seek(log, from) : cursorAtStart()
    for (let first = true; ; first = false) {
      for await (const opened of scan(log, cursor)) {
        if (signal.aborted) return
        if (opened.header.seq >= from) yield opened
        if (signal.aborted) return
      }
      if (first && cursor.offset === 0) throw missingLog(agentId, path)
      if (signal.aborted) return
      await changes.next(signal)
    }
  } catch (cause) {
    throw diskError('tail log', path, cause)
  } finally {
    changes.stop()
    await log.file.close()
  }
}

interface Changes {
  /** Resolves after a change, after a while without one, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void>
  stop(): void
}

/** Some disks report no changes, and reports can be lost: so it wakes up by itself too. */
function watchChanges(path: string): Changes {
  let changed = false
  let wake = () => {}
  const report = () => {
    changed = true
    wake()
  }
  const watcher = startWatching(path, report)
  return {
    next: async (signal) => {
      if (!changed) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, JSONL_TAIL_POLL_MS)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', report, { once: true })
        })
        signal.removeEventListener('abort', report)
      }
      changed = false
    },
    stop: () => watcher?.close(),
  }
}

function startWatching(path: string, report: () => void): { close(): void } | undefined {
  try {
    return watch(path, { persistent: false }, report).on('error', () => {})
  } catch {
    return undefined
  }
}
