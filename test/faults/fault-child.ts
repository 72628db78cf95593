/**
 * Appends to a log through whatever fails: `fault-child.ts STORE PLACE AGENT EVENTS [AT_ONCE]`. Says `SEQ HASH` for every
 * acknowledged event; after a failure, and after AT_ONCE events, it opens the log again and goes on from what is there.
 * Time jumps to and fro.
 */
import { writeSync } from 'node:fs'
import { TwotrackError } from '../../src/errors.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../src/store/kv/kv.ts'
import { sampleLog } from '../../src/testing/sample-log.ts'

const [kind = '', place = '', agent = '', wanted = '', atOnce = 'Infinity'] = process.argv.slice(2)
const say = (text: string) => writeSync(1, `${text}\n`)
const HOUR_MS = 3_600_000

// The clock is set back and forth: nothing may depend on it.
const realNow = Date.now
let ticks = 0
Date.now = () => realNow() + ((ticks++ % 7) - 3) * HOUR_MS

const openStore = () => (kind === 'kv' ? kvStore({ file: place }) : jsonlStore({ folder: place }))
/** SQLite may take a page that it could not read for a damaged one, until it is opened again. */
const EXPECTED = ['io', 'closed', 'locked', ...(kind === 'kv' ? ['damaged'] : [])]
const isExpected = (thrown: unknown) => thrown instanceof TwotrackError && EXPECTED.includes(thrown.code)

for (let done = 0; done < Number(wanted); ) {
  const store = openStore()
  try {
    const writer = await store.open(agent)
    const end = Math.min(Number(wanted), done + Number(atOnce))
    while (done < end) {
      const events = sampleLog(agent, 1 + (done % 3), {
        after: writer.head,
        note: 'x'.repeat((done * 37) % 2_000),
      })
      await writer.append(events, writer.head.seq)
      for (const { event } of events) say(`${event.seq} ${event.hash}`)
      if (done % 5 === 0) await store.putBlob(Buffer.from(`${agent} ${done}`), 'text')
      done += events.length
    }
  } catch (thrown) {
    if (thrown instanceof TwotrackError && 'seq' in thrown.details) say(`kept ${thrown.details['seq']}`)
    if (!isExpected(thrown)) say(`unexpected ${String(thrown)}`)
    done++
  }
  await store.close().catch((thrown: unknown) => {
    if (!isExpected(thrown)) say(`unexpected at close: ${String(thrown)}`)
  })
}
say('done')
