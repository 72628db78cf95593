import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recording } from '../../src/hook/opencode-plugin.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'

const HOOK = fileURLToPath(new URL('../../src/app/hook-process.ts', import.meta.url))
const SESSION = 'ses_1'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'twotrack-plugin-')))
  mkdirSync(join(root, '.git'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** One process of OpenCode, as far as it talks to the plugin: a person speaks, and the messages go out. */
async function openCode(instead: boolean, node = process.execPath) {
  const plugin = await recording({ node, hook: HOOK, instead })({ directory: root, worktree: root })
  const call = (name: string, given: unknown, out: unknown): Promise<void> => {
    const hook = plugin[name]
    return typeof hook === 'function' ? hook(given, out) : Promise.reject(new Error(name))
  }
  return {
    said: (text: string) => call('chat.message', { sessionID: SESSION }, { parts: [{ type: 'text', text }] }),
    async sent(messages: readonly object[]) {
      const out = { messages: structuredClone(messages) as { parts: { text?: string }[] }[] }
      await call('experimental.chat.messages.transform', {}, out)
      return out.messages
    },
  }
}

const asked = (id: string, ...parts: object[]) => ({ info: { id, role: 'user', sessionID: SESSION }, parts })
const ran = (id: string, output: string) => ({
  info: {
    ...{ id, role: 'assistant', sessionID: SESSION, modelID: 'm', time: { completed: 1 } },
    tokens: { input: 10, output: 2 },
  },
  parts: [
    {
      ...{ id: `p-${id}`, type: 'tool', tool: 'bash', callID: `c-${id}`, sessionID: SESSION, messageID: id },
      state: { status: 'completed', input: { command: `do ${id}` }, output },
    },
  ],
})
const task = asked('u1', { type: 'text', text: 'Fix the shop' })

async function callsIn(): Promise<string[]> {
  const store = jsonlStore({ folder: join(root, '.agentfs') })
  const calls: string[] = []
  for await (const event of store.read(`opencode-${SESSION}`))
    if (event.type === 'tool_call') calls.push(event.data.call_id)
  await store.close()
  return calls
}

test('the packet takes the place of the messages from the first answer on, with the newest output', async () => {
  const { said, sent } = await openCode(true)
  await said('Fix the shop')
  expect(await sent([task])).toEqual([task])
  const first = [task, ran('a1', 'a line of the first output')]
  const [only, ...others] = await sent(first)
  expect(others).toEqual([])
  expect(only?.parts.map(({ text }) => text)).toEqual([expect.stringMatching(/first output/)])
  expect(only?.parts[0]?.text).toContain('in place of its messages')

  // Files that go with the last words stay; OpenCode goes on in another process, and nothing is recorded twice.
  const file = { type: 'file', url: 'data:image/png;base64,AA==' }
  const next = await openCode(true)
  await next.said('Look at this')
  const before = [...first, asked('u2', { type: 'text', text: 'Look at this' }, file)]
  await next.sent(before)
  const [message] = await next.sent([...before, ran('a2', 'a line of the second output')])
  expect(message?.parts).toEqual([
    expect.objectContaining({ text: expect.stringContaining('second output') }),
    file,
  ])
  expect(message?.parts[0]?.text).toContain('Look at this')
  expect(await callsIn()).toEqual(['c-a1', 'c-a2'])
})

test('where no packet can be made the messages go out as they were', async () => {
  const { said, sent } = await openCode(true, join(root, 'no-such-node'))
  await said('Fix the shop')
  await sent([task])
  const messages = [task, ran('a1', 'x')]
  expect(await sent(messages)).toEqual(messages)
})

test('beside the messages nothing is given while the session goes on', async () => {
  const { said, sent } = await openCode(false)
  await said('Fix the shop')
  await sent([task])
  const messages = [task, ran('a1', 'x')]
  expect(await sent(messages)).toEqual(messages)
})
