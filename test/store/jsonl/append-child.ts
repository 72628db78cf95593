/**
 * Appends to a log until it is killed, and says each seq that is on disk: `append-child.ts PLACE AGENT [COUNT [STORE]]`.
 * Waits for a line on standard input first, so that many can be started ahead. Prints `open SEQ` once it has
 * the log, then `SEQ HASH` for every acknowledged event, or `failed CODE`.
 */
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { TwotrackError } from '../../../src/errors.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../../src/store/kv/kv.ts'
import { sampleLog } from '../../../src/testing/sample-log.ts'

const [place = '', agent = '', countMax = 'Infinity', kind = 'jsonl'] = process.argv.slice(2)
const say = (text: string) => writeSync(1, `${text}\n`)

say('ready')
await once(process.stdin, 'data')
process.stdin.pause()
try {
  const store = kind === 'kv' ? kvStore({ file: place }) : jsonlStore({ folder: place })
  const writer = await store.open(agent)
  say(`open ${writer.head.seq}`)
  const appends = new Set<Promise<void>>()
  for (let count = 0; count < Number(countMax); ) {
    // One to four events a time, and a few appends under way at once, as a busy agent does it.
    const events = sampleLog(agent, Math.min(1 + (count % 4), Number(countMax) - count), {
      after: writer.head,
      note: 'x'.repeat((count * 37) % 3000),
    })
    count += events.length
    const append = writer.append(events, writer.head.seq).then(() => {
      for (const { event } of events) say(`${event.seq} ${event.hash}`)
      appends.delete(append)
    })
    appends.add(append)
    if (appends.size >= 3) await Promise.race(appends)
  }
  await Promise.all(appends)
  say('done')
  await store.close()
} catch (thrown) {
  say(`failed ${thrown instanceof TwotrackError ? thrown.code : String(thrown)}`)
}
