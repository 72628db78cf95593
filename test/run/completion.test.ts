import { expect, onTestFinished, test } from 'vitest'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import { functiongemma } from '../../src/model/functiongemma.ts'
import type { Model } from '../../src/model/model.ts'
import { openai } from '../../src/model/openai.ts'
import { recorded } from '../../src/model/recorded.ts'
import { scripted } from '../../src/model/scripted.ts'
import { type Reply, startFaultServer } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'
import { AGENT, run } from './agent-run.ts'

const submit = { tool: 'submit_result', args: { summary: 'all done' } }
const chat = (url: string) => openai({ url: `${url}/v1`, model: 'm', deadlineMs: 60_000 })

async function runWith(script: readonly Reply[], modelAt: (url: string) => Model) {
  const server = await startFaultServer({ script })
  onTestFinished(() => server.kill())
  const ended = await run({ model: modelAt(server.url) })
  const completions = [...ended.of('agent_error'), ...ended.of('model_response')].map((event) =>
    fieldOf(ended.store, event, 'completion'),
  )
  return { ...ended, completions: await Promise.all(completions) }
}

test('the log holds every answer as it was received, also those that failed', async () => {
  const good = `${JSON.stringify(reply.chatBody({ text: 'Grüße', calls: [submit] }), null, 1)}\n`
  const bad = Buffer.concat([Buffer.from('{"choices":'), Buffer.of(0xff)])
  const script = [reply.raw('<html>', {}, 503), reply.raw(bad), reply.raw(good)]
  const { completions } = await runWith(script, chat)
  expect(completions).toEqual(['<html>', bad, good])
})

test("FunctionGemma's own words are there, those of a call that was cut off too", async () => {
  const cut = '<start_function_call>call:submit_result{summary:<escape>all'
  const whole = `${cut} done<escape>}<end_function_call>`
  const script = [reply.says({ text: cut, finish: 'stop' }), reply.says({ text: whole })]
  const { completions } = await runWith(script, (url) => functiongemma({ url }))
  expect(completions).toEqual([cut, whole])
})

test('answers given again from a log are recorded with the completion they came with', async () => {
  const { store, completions } = await runWith([reply.says({ calls: [submit] })], chat)
  const again = await run({ model: recorded({ store, agentId: AGENT }) })
  const [response] = again.of('model_response')
  expect(response && (await fieldOf(again.store, response, 'completion'))).toBe(completions[0])
})

test('the answer of a larger model is there as well', async () => {
  const server = await startFaultServer({ script: [reply.says({ text: 'Submit.' })] })
  onTestFinished(() => server.kill())
  const model = scripted((_, index) => (index < 3 ? { tool: 'recall', args: { ref: 1 } } : submit))
  const ended = await run({ model, recall: true, escalation: chat(server.url) })
  const [, answered] = ended.of('escalation')
  expect(answered && (await fieldOf(ended.store, answered, 'completion'))).toContain('"content":"Submit."')
})
