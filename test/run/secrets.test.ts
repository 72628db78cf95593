import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Event } from '../../src/core/event/event.ts'
import type { JsonObject } from '../../src/core/event/json.ts'
import { getBlob, type Store } from '../../src/core/store/store.ts'
import type { Model } from '../../src/model/model.ts'
import { openai } from '../../src/model/openai.ts'
import { startAgent } from '../../src/run/start.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { startFaultServer } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'
import { chars, secretsMade } from '../secrets/made.ts'

const secret = secretsMade('run')[0]?.secret ?? ''

/** Everything that a log holds, blobs too. */
async function allOf(store: Store, agentId: string): Promise<string> {
  const texts: string[] = []
  for await (const event of store.read(agentId)) {
    texts.push(JSON.stringify(event))
    for (const { sha256 } of Object.values(event.raw?.blobs ?? {}))
      texts.push(Buffer.from(await getBlob(store, sha256)).toString('latin1'))
  }
  return texts.join('\n')
}

const read = defineTool({
  name: 'read_secret',
  description: 'Reads.',
  effect: 'pure',
  input: z.strictObject({}),
  run: () => `TOKEN=${secret}`,
})

function uses() {
  const seen: string[] = []
  const tool = defineTool({
    name: 'use_secret',
    description: 'Uses.',
    effect: 'effect',
    input: z.strictObject({ header: z.string() }),
    run: ({ header }) => {
      seen.push(header)
      return `sent ${header}`
    },
  })
  return { tool, seen }
}

/** Passes on what the packet shows, as a model does. */
const passesOn: Model = {
  name: 'passes-on',
  format: 'text',
  async answer({ prompt }) {
    const placeholder = /\[secret:[a-z-]+:[0-9a-f]{12}\]/.exec(prompt.body)?.[0]
    const sent = prompt.body.includes('sent ')
    const args: JsonObject = placeholder === undefined ? {} : { header: `Bearer ${placeholder}` }
    const tool = sent ? 'submit_result' : placeholder === undefined ? 'read_secret' : 'use_secret'
    return {
      text: '',
      calls: [{ call_id: prompt.body.length.toString(), tool, args: sent ? { summary: 'sent' } : args }],
    }
  },
}

describe('a secret that an agent must pass on', () => {
  test('reaches the tool by its placeholder, and nothing else', async () => {
    const store = memoryStore()
    const { tool, seen } = uses()
    const events: Event[] = []
    const report = await startAgent({
      store,
      agentId: 'a',
      goal: 'Send it.',
      model: passesOn,
      tools: [read, tool],
      onEvent: (event) => events.push(event),
    })
    expect(report.stop.reason).toBe('submitted')
    expect(seen).toEqual([`Bearer ${secret}`])
    const shown = (await allOf(store, 'a')) + JSON.stringify(report) + JSON.stringify(events)
    expect(shown).not.toContain(secret)
    expect(shown).toMatch(/Bearer \[secret:github-token:[0-9a-f]{12}\]/)
  })

  test('is not known to a process that did not see it: the call fails and says why', async () => {
    const store = memoryStore()
    const placeholder = '[secret:github-token:0123456789ab]'
    const { tool, seen } = uses()
    const model: Model = {
      name: 'm',
      format: 'text',
      answer: async ({ prompt }) => ({
        text: '',
        calls: prompt.body.includes('did not run')
          ? [{ call_id: '2', tool: 'submit_result', args: { summary: 'gave up' } }]
          : [{ call_id: '1', tool: 'use_secret', args: { header: placeholder } }],
      }),
    }
    const report = await startAgent({ store, agentId: 'a', goal: 'Send it.', model, tools: [tool] })
    expect(seen).toEqual([])
    expect(report.stop.reason).toBe('submitted')
    expect(await allOf(store, 'a')).toContain('stands for a secret that was seen before this run was resumed')
  })
})

describe('what a model server says', () => {
  const key = `key/${chars(24, 'server')}`

  async function runAgainst(script: Parameters<typeof startFaultServer>[0]['script']): Promise<string> {
    const server = await startFaultServer({ script })
    onTestFinished(() => server.kill())
    const store = memoryStore()
    const report = await startAgent({
      store,
      agentId: 'a',
      goal: 'g',
      model: openai({ url: `${server.url}/v1`, model: 'm', apiKey: key, deadlineMs: 60_000 }),
      tools: [read],
      limits: { turnsMax: 2 },
      wait: async () => {},
      secrets: { known: [key] },
    })
    return (await allOf(store, 'a')) + JSON.stringify(report)
  }

  const calls = (summary: string) => [{ tool: 'submit_result', args: { summary } }]

  test('is recorded without the key that it repeats, nor a secret of its own making', async () => {
    const shown = await runAgainst([
      reply.says({ text: `${key} ${secret}`, calls: calls(`${key} ${secret}`) }),
    ])
    expect(shown).toContain('submit_result')
    for (const value of [key, secret]) expect(shown).not.toContain(value)
  })

  test('also when they come in parts of a stream', async () => {
    const parts = [...`${key} ${secret}`]
    const chunks = [...parts.map((content) => reply.chunk({ content })), reply.chunk({}, 'stop')]
    const shown = await runAgainst([reply.sse(chunks.map((part) => `data: ${JSON.stringify(part)}\n\n`))])
    expect(shown).toContain('chat.completion.chunk')
    for (const value of [key, secret]) {
      expect(shown).not.toContain(value)
      const inParts = [...value].map((letter) => JSON.stringify({ content: letter }).slice(1, -1))
      expect(inParts.filter((part) => shown.includes(part)).length).toBeLessThan(inParts.length / 2)
    }
  })
})

test('a request with a secret beside its prompt is not sent: the log would keep it', async () => {
  const server = await startFaultServer({ script: [] })
  onTestFinished(() => server.kill())
  const store = memoryStore()
  const model = openai({ model: 'm', url: `${server.url}/v1`, extra: { api_key: secret } })
  const { stop } = await startAgent({
    ...{ store, agentId: 'a', goal: 'Go.', instructions: 'Go.', operation: 'o', model },
  })
  expect(stop.summary).toMatch(/has a secret in api_key, .* Give the key as apiKey/)
  expect(server.requests).toEqual([])
  expect(await allOf(store, 'a')).not.toContain(secret)
})
