import { expect, test } from 'vitest'
import { z } from 'zod'
import { verifyLog } from '../src/audit/verify.ts'
import { packetSchema } from '../src/core/packet/packet.ts'
import { Memory } from '../src/memory.ts'
import { memoryStore } from '../src/store/memory.ts'
import { eventJsonSchema } from './event-schema.ts'
import { expectFile } from './golden-file.ts'

const textOf = (schema: unknown) => `${JSON.stringify(schema, null, 2)}\n`

test('the published schemas are those of the code', () => {
  expectFile(new URL('../schema/packet.schema.json', import.meta.url), textOf(z.toJSONSchema(packetSchema)))
  expectFile(new URL('../schema/event.schema.json', import.meta.url), textOf(eventJsonSchema()))
})

test('events and packets of a run fit them; others do not', async () => {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'a', goal: 'fit the schema' })
  await memory.startTurn()
  const call = await memory.recordCall({ tool: 'ls', args: { path: '.' } })
  await memory.recordResult({ call, returned: ['a', 'b'] })
  await memory.recordRequest(await memory.prompt(), 'none')
  const event = z.fromJSONSchema(eventJsonSchema() as never)
  const packet = z.fromJSONSchema(z.toJSONSchema(packetSchema) as never)
  expect(packet.safeParse(memory.packet).success).toBe(true)
  expect(packet.safeParse({ ...memory.packet, mood: 'good' }).success).toBe(false)
  for await (const recorded of store.read('a')) {
    expect(event.safeParse(recorded).success).toBe(true)
    expect(event.safeParse({ ...recorded, type: 'mood' }).success).toBe(false)
  }
  await memory.close()
  expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, prompts: 1 })
})
