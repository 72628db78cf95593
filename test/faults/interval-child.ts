/** Appends, waits until a sync has failed, appends again and closes: `interval-child.ts STORE PLACE AGENT HOW`. */
import { statSync, writeFileSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { TwotrackError } from '../../src/errors.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../src/store/kv/kv.ts'
import { sampleLog } from '../../src/testing/sample-log.ts'

const [kind = '', place = '', agent = '', how = ''] = process.argv.slice(2)
const durability = { interval_ms: 400 }
const store = kind === 'kv' ? kvStore({ file: place, durability }) : jsonlStore({ folder: place, durability })
const told = async (what: string, work: () => Promise<void>) => {
  const end = await work().then(
    () => 'acknowledged',
    (thrown: unknown) => (thrown instanceof TwotrackError ? thrown.code : String(thrown)),
  )
  writeSync(1, `${what}: ${end}\n`)
}

let reader: DatabaseSync | undefined
if (how === 'beside a reader') {
  reader = new DatabaseSync(place, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM kv_store').get()
}
const writer = await store.open(agent)
const append = () => writer.append(sampleLog(agent, 1, { after: writer.head }), writer.head.seq)
await told('first', append)
const size = () => statSync(process.env['FAULT_LOG'] ?? '', { throwIfNoEntry: false })?.size ?? 0
const before = size()
// From here on syncs fail. No timer has run since the append: what it wrote is not synced yet.
writeFileSync(process.env['FAULT_WHEN'] ?? '', '')
while (size() <= before) await sleep(20)
// What failed is told by the timer that tried it, which is done by then.
await sleep(20)
await told('second', append)
await told('close', async () => {
  await writer.close()
  await store.close()
})
reader?.close()
