import { expect, test } from 'vitest'
import { configKeys } from '../../src/config/keys.ts'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import { eventsOf, modelServer, PYTHON, promptIn, takesFirst } from './project.ts'

const SILENT_MS = 60_000

/** Runs lint on one file with the given settings; the folder is what is looked at afterwards. */
async function lintWith(...set: string[]): Promise<{ cwd: string; stdout: string }> {
  const cwd = folderWith({ 'app.py': PYTHON, 'more.py': PYTHON })
  const sets = set.flatMap((one) => ['--set', one])
  const { stdout } = await twotrack(cwd, ['run', 'lint', 'app.py', '--no-hub', '--json', ...sets])
  return { cwd, stdout }
}

const body = (value: unknown): Record<string, unknown> => value as Record<string, unknown>

/** For each key, that a run does something else when it is another. */
const proofs: Record<string, () => Promise<void>> = {
  async checks() {
    const row = `{ name: own, files: '*.py', check: printf app.py:1:_own, report: '^(?<path>.+):(?<line>.+):_(?<message>.+)$' }`
    const { cwd } = await lintWith(`checks=[${row}]`)
    expect(JSON.stringify(await eventsOf(cwd, 'lint'))).toContain('own (checks of twotrack.yaml)')
  },
  async 'model.adapter'() {
    const server = await modelServer(() => takesFirst)
    await lintWith('model.adapter=openai', 'model.name=any', `model.url=${server.url}/v1`)
    expect(server.requests[0]?.path).toBe('/v1/chat/completions')
    const gemma = await modelServer(() => takesFirst)
    await lintWith('model.adapter=functiongemma', `model.url=${gemma.url}`)
    expect(gemma.requests[0]?.path).toBe('/v1/completions')
  },
  async 'model.name'() {
    const server = await modelServer(() => takesFirst)
    await lintWith('model.adapter=openai', 'model.name=model-of-the-day', `model.url=${server.url}/v1`)
    expect(body(server.requests[0]?.body)['model']).toBe('model-of-the-day')
  },
  async 'model.url'() {
    // Nothing listens there: the run ends with what it was told, and says where it asked.
    const { cwd } = await lintWith('model.adapter=functiongemma', 'model.url=http://127.0.0.1:9')
    expect((await eventsOf(cwd, 'lint')).at(-1)?.data).toMatchObject({ reason: 'model_failed' })
  },
  async 'model.server'() {
    const server = await modelServer(() => takesFirst)
    await lintWith('model.adapter=functiongemma', 'model.server=ollama', `model.url=${server.url}`)
    expect(server.requests[0]?.path).toBe('/api/generate')
  },
  async 'model.deadline_ms'() {
    // A server that at first does not answer: only the deadline ends the attempt.
    const silent = () => new Promise<void>((done) => setTimeout(done, SILENT_MS).unref())
    const server = await modelServer((index) => (index === 0 ? silent : takesFirst))
    const { cwd } = await lintWith(
      'model.adapter=openai',
      'model.name=any',
      `model.url=${server.url}/v1`,
      'model.deadline_ms=200',
    )
    const faults = (await eventsOf(cwd, 'lint')).filter(({ type }) => type === 'agent_error')
    expect(faults[0]?.data).toMatchObject({ where: 'model', code: 'timeout' })
  },
  async 'model.max_tokens'() {
    expect(await sampled()).toMatchObject({ max_tokens: 77 })
  },
  async 'model.temperature'() {
    expect(await sampled()).not.toHaveProperty('temperature')
  },
  async 'model.top_p'() {
    expect(await sampled()).toMatchObject({ top_p: 0.5 })
  },
  async 'model.seed'() {
    expect(await sampled()).toMatchObject({ seed: 7 })
  },
  async 'model.stop'() {
    expect(await sampled()).toMatchObject({ stop: ['END', 'HALT'] })
  },
  async 'model.tool_choice'() {
    expect(await sampled()).toMatchObject({ tool_choice: 'auto' })
  },
  async 'model.stream'() {
    expect(await sampled()).toMatchObject({ stream: true })
  },
  async 'model.extra'() {
    expect(await sampled()).toMatchObject({ top_k: 3 })
  },
  async 'model.text_calls'() {
    const call = { name: 'submit_result', arguments: { summary: 'Nothing to do.' } }
    const asks = ['model.adapter=openai', 'model.name=any', 'model.text_calls=true']
    const server = await modelServer(() => reply.says({ text: JSON.stringify(call) }))
    const { cwd } = await lintWith(...asks, `model.url=${server.url}/v1`)
    expect((await eventsOf(cwd, 'lint')).some(({ type }) => type === 'tool_call')).toBe(true)
  },
  async 'model.bos'() {
    const server = await modelServer(() => takesFirst)
    await lintWith('model.adapter=functiongemma', `model.url=${server.url}`, 'model.bos=true')
    expect(body(server.requests[0]?.body)['prompt']).toMatch(/^<bos>/)
  },
  async 'run.concurrency'() {
    let now = 0
    let most = 0
    const two = Promise.withResolvers<void>()
    let answered: Promise<void> = new Promise((done) => setTimeout(done, 100))
    const server = await modelServer(() => async (exchange) => {
      most = Math.max(most, ++now)
      if (now > 1) two.resolve()
      await answered
      now--
      await takesFirst(exchange)
    })
    const cwd = folderWith(Object.fromEntries([1, 2, 3, 4].map((at) => [`part_${at}.py`, PYTHON])))
    const asks = ['--model', 'openai:any', '--url', `${server.url}/v1`, '--no-hub']
    await twotrack(cwd, ['run', 'lint', '.', ...asks, '--set', 'run.concurrency=1'])
    expect(most).toBe(1)
    // Nobody is answered before two ask at once.
    answered = two.promise
    await twotrack(cwd, ['run', 'lint', '.', ...asks, '--set', 'run.concurrency=4'])
    expect(most).toBeGreaterThan(1)
  },
  async 'run.context'() {
    const server = await modelServer(() => takesFirst)
    const { cwd } = await lintWith(
      'model.adapter=openai',
      'model.name=any',
      `model.url=${server.url}/v1`,
      'run.context=both',
    )
    const asked = (await eventsOf(cwd, 'lint')).find(({ type }) => type === 'model_request')
    expect(asked?.data).toMatchObject({ context: 'both' })
    expect(promptIn(server.requests[1]?.body)).toContain('GOAL:')
  },
  async 'run.prompt_tokens_max'() {
    const { cwd } = await lintWith('run.prompt_tokens_max=1000')
    expect((await eventsOf(cwd, 'lint')).at(-1)?.data).toMatchObject({ reason: 'token_limit' })
  },
  async 'report.currency'() {
    const { cwd } = await lintWith()
    expect(await reported(cwd, 'report.currency=EUR')).toMatchObject({ currency: 'EUR' })
  },
  async 'report.prices'() {
    const server = await modelServer(() => takesFirst)
    const { cwd } = await lintWith('model.adapter=openai', 'model.name=any', `model.url=${server.url}/v1`)
    expect(await reported(cwd)).toMatchObject({
      models: [expect.not.objectContaining({ cost: expect.anything() })],
    })
    const priced = await reported(cwd, 'report.prices={any: {prompt: 1, completion: 2}}')
    expect(priced).toMatchObject({ models: [{ model: 'any', cost: expect.anything() }] })
  },
  async 'escalation.name'() {
    await escalates('advisor')
  },
  async 'escalation.url'() {
    await escalates('any')
  },
}

const reported = async (cwd: string, ...set: string[]): Promise<unknown> =>
  JSON.parse((await twotrack(cwd, ['report', '--json', ...set.flatMap((one) => ['--set', one])])).stdout)

/** What a server is sent when every option of the request is set; one run tells it of all. */
let sent: Promise<Record<string, unknown>> | undefined
const sampled = () => {
  sent ??= runSampled()
  return sent
}

async function runSampled(): Promise<Record<string, unknown>> {
  const server = await modelServer(() => takesFirst)
  const options = { max_tokens: 77, temperature: null, top_p: 0.5, seed: 7, stop: '[END, HALT]' }
  const more = { tool_choice: 'auto', stream: true, extra: '{ top_k: 3 }', name: 'any', adapter: 'openai' }
  const set = Object.entries({ ...options, ...more, url: `${server.url}/v1` })
  await lintWith(...set.map(([key, value]) => `model.${key}=${value}`))
  return body(server.requests[0]?.body)
}

/** An agent that does the same again and again is handed to the model that is configured for that. */
async function escalates(name: string): Promise<void> {
  const stuck = await modelServer(() => reply.says({ calls: [{ tool: 'run_linter', args: {} }] }))
  const large = await modelServer(() => reply.says({ text: 'Submit what you have.' }))
  await lintWith(
    'model.adapter=openai',
    'model.name=any',
    `model.url=${stuck.url}/v1`,
    `escalation.name=${name}`,
    `escalation.url=${large.url}/v1`,
  )
  expect(body(large.requests[0]?.body)['model']).toBe(name)
}

test('every key of a run has a proof', () => {
  const keys = configKeys().map(({ path }) => path)
  expect(Object.keys(proofs).sort()).toEqual(keys.filter((path) => !path.startsWith('runner.')).sort())
})

test.each(Object.entries(proofs))('%s is read by a run', async (_, proof) => proof())
