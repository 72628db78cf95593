import type { Sealed } from '../core/event/line.ts'
import { follow } from '../core/store/chain.ts'
import type { Head, LogWriter, Store } from '../core/store/store.ts'

/** Of a longer recording the rest is written as it comes, so that memory does not grow with it. */
const HELD_CHARS_MAX = 16 * 1024 * 1024
const GROUP_CHARS = 1024 * 1024

/**
 * A store that holds back what is appended to it until `commit`: an import is there as a whole or not at all, whatever is
 * wrong with the recording or the disk; of a long one that fails late its beginning is there, without an end. Blobs are
 * stored at once; those of an import that failed belong to no event.
 */
export function heldBack(store: Store): { readonly store: Store; commit(): Promise<void> } {
  const commits: (() => Promise<void>)[] = []
  const open: Store['open'] = async (agentId) => {
    const held = holdBack(agentId, await store.open(agentId))
    commits.push(held.commit)
    return held.writer
  }
  return {
    // Not a copy: a store may be an instance of a class.
    store: new Proxy(store, {
      get(target, key) {
        if (key === 'open') return open
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
    async commit() {
      for (const commit of commits) await commit()
    },
  }
}

function holdBack(agentId: string, writer: LogWriter) {
  let events: Sealed[] = []
  let chars = 0
  let charsMax = HELD_CHARS_MAX
  let head: Head = writer.head
  const write = async () => {
    const group = events
    events = []
    chars = 0
    await writer.append(group, writer.head.seq)
  }
  return {
    writer: {
      get head() {
        return head
      },
      async append(more: readonly Sealed[], expectedSeq: number) {
        head = follow(agentId, head, more, expectedSeq)
        events.push(...more)
        for (const { line } of more) chars += line.length
        if (chars <= charsMax) return
        charsMax = GROUP_CHARS
        await write()
      },
      rewrite: (...steps) => writer.rewrite(...steps),
      close: () => writer.close(),
    } satisfies LogWriter,
    commit: write,
  }
}
