import type { Sealed } from '../core/event/line.ts'
import { follow } from '../core/store/chain.ts'
import type { Head, LogWriter, Store } from '../core/store/store.ts'

/**
 * A store that holds back what is appended to it until `commit`: an import is there as a whole or not at all, whatever is
 * wrong with the recording or the disk. Blobs are stored at once; those of an import that failed belong to no event.
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
  const events: Sealed[] = []
  let head: Head = writer.head
  return {
    writer: {
      get head() {
        return head
      },
      async append(more: readonly Sealed[], expectedSeq: number) {
        head = follow(agentId, head, more, expectedSeq)
        events.push(...more)
      },
      rewrite: (...steps) => writer.rewrite(...steps),
      close: () => writer.close(),
    } satisfies LogWriter,
    commit: () => writer.append(events.splice(0), writer.head.seq),
  }
}
