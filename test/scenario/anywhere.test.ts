import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import { postgresServer } from '../postgres-server.ts'
import {
  modelServer,
  PYTHON,
  PYTHON_FIXED,
  promptIn,
  reportIn,
  start,
  takesFirst,
  textOf,
} from './project.ts'

const server = await postgresServer()
if (typeof server === 'string') console.warn(`skipped: two machines over postgres ${server}`)
else afterAll(server.dispose)
const kinds = ['jsonl', 'kv', ...(typeof server === 'string' ? [] : ['postgres'])]

/** Two checkouts of one project on two machines, whose homes are others, over one store: a folder, or a database. */
function twoMachines(files: Readonly<Record<string, string>>, kind: string) {
  const shared = join(folderWith(), 'records')
  const database = {
    TWOTRACK_RUNNER_MEMORY_URL: typeof server === 'string' ? '' : server.url,
    TWOTRACK_RUNNER_MEMORY_PROJECT: randomUUID(),
  }
  const where = kind === 'postgres' ? [] : ['--folder', shared]
  const machine = () => {
    const cwd = folderWith(files)
    const own = { XDG_STATE_HOME: folderWith(), TWOTRACK_RUNNER_MEMORY_TRACE_STORE: kind }
    const env = kind === 'postgres' ? { ...own, ...database } : own
    const at = (...args: string[]) => twotrack(cwd, [...args, ...where], { env })
    return { cwd, env, at }
  }
  return { a: machine(), b: machine(), shared, where }
}

describe.each(kinds)('over a %s store', (kind) => {
  test('run here; shown, answered, gone on with and accepted there, byte for byte; verified in both', async () => {
    const { a, b } = twoMachines({ 'a.py': PYTHON, 'b.py': PYTHON }, kind)
    const again = reply.says({ calls: [{ tool: 'run_linter', args: {} }] })
    const model = await modelServer(
      () => (exchange) => (promptIn(exchange.body).includes('Fix it first') ? takesFirst : again)(exchange),
    )
    const asks = ['--model', 'openai:small', '--url', `${model.url}/v1`, '--no-hub']
    const ran = reportIn(await a.at('run', 'lint', '.', ...asks, '--json'))
    expect(ran.map(({ stop }) => stop.reason)).toEqual(['loop', 'loop'])

    const [one = '', other = ''] = ran.map(({ agent_id }) => agent_id)
    expect((await b.at('runs')).stdout).toContain('lint#2')
    expect((await b.at('escalate', 'lint#1')).stdout).toContain('An agent needs help (loop')
    for (const agent of [one, other]) {
      const said = await b.at('say', agent, 'Fix it first, then hand it in.')
      expect(said.stdout).toContain('takes it in when it goes on')
    }
    const resumed = reportIn(await b.at('resume', '--last', ...asks, '--json'))
    expect(resumed.map(({ stop }) => stop.reason)).toEqual(['submitted', 'submitted'])
    const words = jsonOf((await a.at('export', one)).stdout).filter(({ type }) => type === 'person_message')
    expect(words).toMatchObject([{ data: { text: 'Fix it first, then hand it in.', said: 2 } }])

    expect((await a.at('changes', '--last')).stdout).toBe((await b.at('changes', '--last')).stdout)
    expect((await b.at('accept', one)).code).toBe(0)
    expect(textOf(b.cwd, 'a.py')).toBe(PYTHON_FIXED)
    expect(textOf(a.cwd, 'a.py')).toBe(PYTHON)
    expect((await a.at('reject', other)).code).toBe(0)
    expect((await b.at('changes', other)).stderr).toContain('proposes no changes')
    for (const { at } of [a, b])
      expect(await at('verify')).toMatchObject({ code: 0, stdout: expect.stringContaining('intact: 3 logs') })
    // Nothing of the run stands beside the store.
    if (kind !== 'postgres') expect(existsSync(join(b.cwd, '.agentfs'))).toBe(false)
  })

  test('a word reaches an agent at work from another machine, once', async () => {
    const { a, b, where } = twoMachines({ 'a.py': PYTHON }, kind)
    let isSaid = false
    const again = reply.says({ calls: [{ tool: 'run_linter', args: {} }] })
    const model = await modelServer((index) => (exchange) => {
      if (promptIn(exchange.body).includes('Mind the gap')) return takesFirst(exchange)
      return index === 0 ? again(exchange) : isSaid ? again(exchange) : undefined
    })
    const asks = ['--model', 'openai:small', '--url', `${model.url}/v1`, '--no-hub']
    const run = start(a.cwd, ['run', 'lint', 'a.py', ...asks, ...where], a.env)
    await model.received(2)
    const said = await b.at('say', 'lint#1', 'Mind the gap.')
    expect(said.stdout).toContain('at its next turn')
    isSaid = true
    run.child.kill('SIGKILL')
    await run.ended
    const [done] = reportIn(await b.at('resume', 'lint#1', ...asks, '--json'))
    expect(done?.stop.reason).toBe('submitted')
    const events = jsonOf((await b.at('export', 'lint#1')).stdout)
    expect(events.filter(({ type }) => type === 'person_message')).toHaveLength(1)
    expect(await b.at('verify')).toMatchObject({ code: 0 })
  })
})

const ASKING = `
name: asking
description: Runs a command that a person has to approve.
languages: [python]
node_types: [file]
prompt: Run it.
node_template: Run it for {{file_path}}.
tools: [run_command]
commands: [{ program: node, starts: [mark.cjs] }]
policy: { ask: [run_command] }
submit: { type: object, properties: { summary: { type: string } }, required: [summary] }
candidates:
  - when: { called_below: { run_command: 1 } }
    tool: run_command
    args: { argv: [node, mark.cjs] }
    reason: first
  - tool: submit_result
    args: { summary: marked }
    reason: then
`

test.each(
  kinds.flatMap(
    (kind) =>
      [
        ['approved', kind, [], ['approved'], true],
        ['denied', kind, ['--deny'], ['denied'], false],
      ] as const,
  ),
)(
  'a call that waits for a person is %s on another machine over %s',
  async (verb, kind, how, policy, isDone) => {
    const files = {
      'app.py': PYTHON,
      'agents/asking/agent.yaml': ASKING,
      'mark.cjs': "require('node:fs').writeFileSync('marked.txt', 'x')\n",
    }
    const { a, b, where } = twoMachines(files, kind)
    const asks = ['--no-hub', '--trust', '--wait-approval', '5', '--json', ...where]
    const run = start(a.cwd, ['run', 'asking', 'app.py', ...asks], a.env)
    let open: { agent_id: string; tool: string }[] = []
    while (open.length === 0) open = JSON.parse((await b.at('approve', '--json')).stdout)
    expect(open).toMatchObject([{ tool: 'run_command', args: { argv: ['node', 'mark.cjs'] } }])
    const answered = await b.at('approve', 'asking#1', ...how)
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringContaining(verb) })
    const [done] = reportIn(await run.ended)
    expect(done?.stop.reason).toBe('submitted')
    expect(done?.changes.map(({ path }) => path)).toEqual(isDone ? ['marked.txt'] : [])
    const results = jsonOf((await b.at('export', 'asking#1')).stdout).filter(
      ({ type, data }) => type === 'tool_result' && data['policy'] !== undefined,
    )
    expect(results.map(({ data }) => data['policy'])).toEqual(policy)
    expect((await b.at('approve')).stdout).toContain('No call waits')
    expect((await b.at('approve', 'asking#1')).code).toBe(2)
    expect(await b.at('verify')).toMatchObject({ code: 0 })
  },
)

test('what is planned and was not begun goes on in another checkout', async () => {
  const { a, b, shared } = twoMachines({ 'a.py': PYTHON, 'b.py': PYTHON, 'c.py': PYTHON }, 'jsonl')
  const model = await modelServer(() => reply.silence)
  const asks = ['--model', 'openai:small', '--url', `${model.url}/v1`, '--no-hub', '--concurrency', '1']
  const run = start(a.cwd, ['run', 'lint', '.', ...asks, '--folder', shared], a.env)
  await model.received(1)
  run.child.kill('SIGKILL')
  await run.ended
  const resumed = reportIn(await b.at('resume', '--last', '--no-hub', '--json'))
  expect(resumed.map(({ node_id }) => node_id)).toEqual(['a.py', 'b.py', 'c.py'])
  expect((await b.at('accept', '--last')).code).toBe(0)
  expect(textOf(b.cwd, 'c.py')).toBe(PYTHON_FIXED)
  expect(readdirSync(shared)).not.toContain('runs')
  expect(readdirSync(shared)).not.toContain('inbox')
})

const jsonOf = (text: string): { type: string; data: Record<string, unknown> }[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
