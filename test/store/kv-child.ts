import { appendFileSync } from 'node:fs'
import { kvStore } from '../../src/store/kv/kv.ts'
import { sampleLog } from '../../src/testing/sample-log.ts'

/**
 * A process of its own for the tests: `append FILE AGENT COUNT ACKS` appends one by one and notes each seq
 * that was acknowledged; `hold FILE AGENT` keeps the log open; `read FILE AGENT` prints what it reads, then
 * how writing fails.
 */
const [command = '', file = '', agentId = '', count = '1', acks = ''] = process.argv.slice(2)
const store = kvStore({ file })

if (command === 'append') {
  const writer = await store.open(agentId)
  const after = writer.head
  for (let i = 0; i < Number(count); i++) {
    await writer.append(sampleLog(agentId, 1, { after: writer.head, note: 'x'.repeat(500) }), after.seq + i)
    if (acks) appendFileSync(acks, `${writer.head.seq}\n`)
    else process.stdout.write(`${writer.head.seq}\n`)
  }
  await store.close()
} else if (command === 'hold') {
  await store.open(agentId)
  process.stdout.write('held\n')
  setInterval(() => {}, 1000)
} else {
  // Root may write anything. Not from the start: somebody else may not be let into the folder of this script.
  if (process.getuid?.() === 0) process.setuid?.(65_534)
  for await (const event of store.read(agentId)) process.stdout.write(`${event.seq}\n`)
  await store.open(agentId).catch((thrown) => process.stdout.write(`${thrown.code}: ${thrown.message}\n`))
  await store.close()
}
