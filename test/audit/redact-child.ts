/** Redacts a folder, and dies at the given step: each call that changes the store or a file is one. */
import { join } from 'node:path'
import { redactStore } from '../../src/audit/redact/redact.ts'
import { redactText } from '../../src/audit/redact/texts.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../src/store/kv/kv.ts'
import type { LogWriter, Store } from '../../src/store/store.ts'

const [kind, folder = '', gone = '', step = '0'] = process.argv.slice(2)
let left = Number(step)

/** Dies before the call, or a moment into it. */
const dying = <T>(call: () => Promise<T>): Promise<T> => {
  if (left-- > 0) return call()
  if (Number(step) % 2 === 0) process.kill(process.pid, 'SIGKILL')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(step) / 2)
  return call()
}

const mortalWriter = (writer: LogWriter): LogWriter => ({
  get head() {
    return writer.head
  },
  append: (...args) => writer.append(...args),
  rewrite: (change) => writer.rewrite(change),
  reseal: (...args) => dying(() => writer.reseal(...args)),
  close: () => dying(() => writer.close()),
})

const mortal = (store: Store): Store => ({
  ...store,
  open: async (agent) => mortalWriter(await dying(() => store.open(agent))),
  putBlob: (...args) => dying(() => store.putBlob(...args)),
  sweep: (...args) => dying(() => store.sweep(...args)),
  reclaim: () => dying(() => store.reclaim()),
})

const store = kind === 'kv' ? kvStore({ file: join(folder, 'agent.db') }) : jsonlStore({ folder })
await redactStore(mortal(store), { redact: redactText(gone), reason: 'asked for', folder })
await store.close()
