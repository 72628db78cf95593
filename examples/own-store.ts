/**
 * A store of your own around another: every line also goes somewhere else as it is recorded, so that a log that is
 * rewritten later no longer matches. Run: node examples/own-store.ts
 */
import { Memory, memoryStore, type Store } from 'twotrack'
import { verifyLog } from 'twotrack/audit'
import { type Head, open, type Sealed, sha256 } from 'twotrack/store'

/** Forwards everything; `send` gets what was appended, after it is durable here. */
function mirrored(inner: Store, send: (agentId: string, events: readonly Sealed[]) => void): Store {
  return {
    kind: `mirrored ${inner.kind}`,
    async open(agentId) {
      const writer = await inner.open(agentId)
      return {
        get head() {
          return writer.head
        },
        ...(writer.recovered ? { recovered: writer.recovered } : {}),
        async append(events, expectedSeq) {
          await writer.append(events, expectedSeq)
          send(agentId, events)
        },
        rewrite: (change, end) => writer.rewrite(change, end),
        close: () => writer.close(),
      }
    },
    read: (agentId, range) => inner.read(agentId, range),
    readLines: (agentId, range) => inner.readLines(agentId, range),
    tail: (agentId, options) => inner.tail(agentId, options),
    head: (agentId) => inner.head(agentId),
    list: (filter) => inner.list(filter),
    putBlob: (content, media) => inner.putBlob(content, media),
    readBlob: (digest) => inner.readBlob(digest),
    sweep: (isNeeded, options) => inner.sweep(isNeeded, options),
    archive: (agentId) => inner.archive(agentId),
    isArchived: (agentId) => inner.isArchived(agentId),
    reclaim: () => inner.reclaim(),
    check: () => inner.check(),
    close: () => inner.close(),
  }
}

const heads = new Map<string, Head>()
const store = mirrored(memoryStore(), (agentId, events) => {
  for (const { line } of events) {
    const { header, hash } = open(Buffer.from(line), sha256) // the other side checks the bytes itself
    heads.set(agentId, { seq: header.seq, hash })
  }
})

const memory = await Memory.open({ store, agent_id: 'watched', goal: 'Be watched.' })
for (let turn = 0; turn < 3; turn++) await memory.startTurn()
await memory.close()

const kept = heads.get('watched')
console.log(`kept elsewhere: event ${kept?.seq}, ${kept?.hash.slice(0, 12)}`)
console.log((await verifyLog(store, 'watched', kept)).ok ? 'the log matches' : 'the log was rewritten')

// Someone writes another history under the same name:
const forged = memoryStore()
const other = await Memory.open({ store: forged, agent_id: 'watched', goal: 'Never happened.' })
for (let turn = 0; turn < 3; turn++) await other.startTurn()
await other.close()
const { findings } = await verifyLog(forged, 'watched', kept)
console.log(`another history: ${findings[0]?.what}`)
