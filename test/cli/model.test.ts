import { expect, onTestFinished, test } from 'vitest'
import { modelAssignments, modelFor } from '../../src/app/model.ts'
import { loadConfig } from '../../src/config/load.ts'
import { startFaultServer } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'
import { requestWith } from '../model/request.ts'
import { folderWith } from './run.ts'

test.each([
  [{ model: 'first-candidate' }, ['model.adapter=first-candidate']],
  [{ model: 'functiongemma', url: 'http://x' }, ['model.adapter=functiongemma', 'model.url=http://x']],
  [{ model: 'openai:gpt-5-mini' }, ['model.adapter=openai', 'model.name=gpt-5-mini']],
  [{ model: 'ollama:qwen3:8b' }, ['model.adapter=openai', 'model.server=ollama', 'model.name=qwen3:8b']],
])('--model and --url as keys of the configuration: %j', (options, expected) => {
  expect(modelAssignments(options)).toEqual(expected)
})

test('a model of no known adapter or server is told as it was said', () => {
  expect(() => modelAssignments({ model: 'foo' })).toThrow('--model foo: there is no adapter or server "foo"')
})

/** What a server is sent by the model of a configuration. */
async function sentWith(...set: string[]): Promise<unknown> {
  const server = await startFaultServer({ script: [reply.says({ text: 'ok' })] })
  onTestFinished(() => server.kill())
  const url = `model.url=${server.url}/v1`
  const loaded = loadConfig({ cwd: folderWith(), env: {}, set: [url, 'model.name=m', ...set] })
  await modelFor(loaded, { note: () => {} }).answer(requestWith(), new AbortController().signal)
  return server.requests[0]?.body
}

test('a server brings its own defaults; what a person sets wins, be it what is the default elsewhere', async () => {
  const openai = ['model.adapter=openai', 'model.server=openai']
  const body = await sentWith(...openai)
  expect(body).toHaveProperty('max_completion_tokens', 16_384)
  expect(body).not.toHaveProperty('temperature')
  const own = await sentWith(...openai, 'model.max_tokens=1024', 'model.temperature=0')
  expect(own).toMatchObject({ max_completion_tokens: 1024, temperature: 0 })
})

test('options reach FunctionGemma too', async () => {
  const set = ['model.adapter=functiongemma', 'model.temperature=null', 'model.stop=[END]', 'model.seed=3']
  const body = await sentWith(...set)
  expect(body).toMatchObject({ seed: 3, stop: ['<end_of_turn>', '<start_function_response>', 'END'] })
  expect(body).not.toHaveProperty('temperature')
})
