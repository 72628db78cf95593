import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import { tryParse } from '../../src/core/event/json.ts'
import { readArguments } from '../../src/model/calls.ts'
import { callsInText } from '../../src/model/openai/text-calls.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { begin, call, eventsOf } from '../core/memory/begin.ts'
import { hasShared, readShared, readSharedLines, sharedPath } from '../core/view/shared.ts'

const lines = (...path: string[]) =>
  readShared('corpora', ...path)
    .split('\n')
    .filter(Boolean)
const suite = 'corpora/json/JSONTestSuite'

/** Each text as what a tool returned, as what its JSON holds, and as arguments of a call: all is data, and the log whole. */
async function assertData(texts: readonly (string | Uint8Array)[]): Promise<void> {
  const store = memoryStore()
  const memory = await begin({ store })
  const [before, keys] = [memory.packet, Reflect.ownKeys(Object.prototype).length]
  let calls = 0
  for (const text of texts) {
    const parsed = tryParse(String(text))
    for (const returned of [text, ...(parsed === undefined ? [] : [parsed, { content: parsed }])]) {
      await call(memory, returned)
      calls++
    }
    const args = readArguments(String(text))
    await memory.recordResult({
      call: await memory.recordCall({ tool: 'shell', args }),
      returned: 'done',
      args,
    })
    calls++
    expect(callsInText(String(text), ['shell'])).toBeUndefined()
  }
  const { packet } = memory
  expect([packet.goal, packet.constraints, packet.candidate_actions]).toEqual([
    before.goal,
    before.constraints,
    before.candidate_actions,
  ])
  expect(Reflect.ownKeys(Object.prototype)).toHaveLength(keys)
  expect(Object.keys({ ...({} as { polluted?: unknown }) })).toEqual([])
  expect((await eventsOf(store)).filter(({ type }) => type === 'tool_result')).toHaveLength(calls)
  expect((await verifyLog(store, 'a')).findings).toEqual([])
}

describe.skipIf(!hasShared(suite))(
  'texts that were collected to break readers (needs the shared corpora)',
  () => {
    test('JSON that is right, wrong, or read differently by each reader', { timeout: 300_000 }, async () => {
      const folder = sharedPath(suite)
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) =>
        one.isFile(),
      )
      const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)))
      console.log(`${texts.length} files of JSON`)
      await assertData(texts.flatMap((bytes) => [bytes, bytes.toString()]))
    })

    test('keys that reach for prototypes, and fuzzing', { timeout: 300_000 }, async () => {
      const rows = readSharedLines('corpora/json/prototype-pollution.jsonl') as { json: string }[]
      await assertData([...rows.map(({ json }) => json), ...lines('json', 'SecLists-JSON.Fuzzing.txt')])
    })

    test('markup and commands', { timeout: 300_000 }, async () => {
      const markup = lines('html', 'SecLists-XSS-Cheat-Sheet-PortSwigger.txt')
      const pages = Array.from({ length: Math.ceil(markup.length / 60) }, (_, at) =>
        markup.slice(at * 60, at * 60 + 60).join('\n'),
      )
      await assertData([...pages, ...lines('shell', 'PATT-command_exec.txt')])
    })
  },
)
