import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import type { Reply } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'
import {
  eventsOf,
  expectIntact,
  linesLogged,
  lintProject,
  modelServer,
  PYTHON,
  PYTHON_FIXED,
  promptIn,
  reportIn,
  start,
  takesFirst,
  textOf,
  until,
} from './project.ts'

/** An agent with a tool that may run again and one that may not. */
const AGENT = `
name: steps
description: Takes steps.
languages: [python]
node_types: [file]
prompt: Take the steps.
node_template: Take the steps at {{file_path}}.
tools: [run_linter, run_command]
commands: [{ program: node, starts: [step.cjs] }]
submit: { type: object, properties: { summary: { type: string } }, required: [summary] }
`
/** Says that it ran, then waits for as long as a file is there. */
const STEP = `
const { appendFileSync, existsSync } = require('node:fs')
const [ran, hold, name] = process.argv.slice(2)
appendFileSync(ran, name + '\\n')
const wait = () => existsSync(hold) ? setTimeout(wait, 10) : console.log('step ' + name + ' done')
wait()
`

function stepProject() {
  const cwd = folderWith({ 'app.py': PYTHON, 'step.cjs': STEP, 'agents/steps/agent.yaml': AGENT })
  const ranFile = join(cwd, '.git/ran')
  const holdFile = join(cwd, '.git/hold')
  const step = (name: string) => ({
    tool: 'run_command',
    args: { argv: ['node', 'step.cjs', ranFile, holdFile, name] },
  })
  /** What the model says at each turn, whichever process asks. */
  const byTurn: Reply = (exchange) => {
    const turn = Number(/, turn (\d+)/.exec(promptIn(exchange.body))?.[1])
    const calls = [
      [{ tool: 'run_linter', args: {} }],
      [step('one')],
      [{ tool: 'run_linter', args: {} }, step('two')],
      [{ tool: 'submit_result', args: { summary: 'all steps taken' } }],
    ][turn - 1]
    return reply.says({ calls: calls ?? [] })(exchange)
  }
  return {
    cwd,
    byTurn,
    ran: () => (existsSync(ranFile) ? readFileSync(ranFile, 'utf8').trim().split('\n') : []),
    hold: () => writeFileSync(holdFile, ''),
    release: () => rmSync(holdFile, { force: true }),
  }
}

/** The id of the only agent, from the file of its log. */
async function onlyAgent(cwd: string): Promise<string> {
  const { stdout } = await twotrack(cwd, ['runs', '--json'])
  const [log] = JSON.parse(stdout) as { agent_id: string }[]
  return log?.agent_id ?? ''
}

test('kill -9 while the model is asked and while a tool runs: each resume goes on, no effect is repeated', async () => {
  const { cwd, byTurn, ran, hold, release } = stepProject()
  const asked: number[] = []
  const held = new Set([0, 3])
  const server = await modelServer((index) => {
    asked.push(index)
    return held.has(index) ? reply.silence : byTurn
  })
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--no-hub', '--trust']

  const first = start(cwd, ['run', 'steps', 'app.py', ...asks])
  await server.received(1)
  first.child.kill('SIGKILL')
  await first.ended
  const agent = await onlyAgent(cwd)

  hold()
  const second = start(cwd, ['resume', agent, ...asks])
  await until(() => ran().length === 1)
  second.child.kill('SIGKILL')
  await second.ended
  release()

  const third = start(cwd, ['resume', agent, ...asks])
  await server.received(4)
  third.child.kill('SIGKILL')
  await third.ended

  const last = await twotrack(cwd, ['resume', agent, ...asks, '--json'])
  expect({ code: last.code, stderr: last.stderr }).toMatchObject({ code: 1 })
  expect(reportIn(last)[0]).toMatchObject({ stop: { reason: 'submitted' }, turns: 4 })
  expect(ran()).toEqual(['one', 'two'])
  const events = await eventsOf(cwd, agent)
  const interrupted = events.filter(
    (event) => event.type === 'tool_result' && event.data.error?.includes('may or may not have happened'),
  )
  expect(interrupted).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'run_end')).toHaveLength(1)
  await expectIntact(cwd)
})

/** All of them with TWOTRACK_KILLS=all; each takes two commands. */
const kills =
  process.env['TWOTRACK_KILLS'] === 'all' ? Array.from({ length: 24 }, (_, at) => at + 1) : [4, 13]

test.each(kills)('kill -9 once the log has %i events: resume ends as a whole run does', async (seq) => {
  const { cwd, byTurn, ran } = stepProject()
  const server = await modelServer([byTurn])
  const asks = ['--model', 'functiongemma', '--url', server.url, '--no-hub', '--trust']
  const first = start(cwd, ['run', 'steps', 'app.py', ...asks])
  const over = first.ended.then(() => true)
  let ended = false
  void over.then(() => {
    ended = true
  })
  await until(() => ended || linesLogged(cwd) >= seq)
  first.child.kill('SIGKILL')
  await over
  const last = await twotrack(cwd, ['resume', await onlyAgent(cwd), ...asks, '--json'])
  expect(reportIn(last)[0]).toMatchObject({
    stop: { reason: 'submitted', summary: 'all steps taken' },
    turns: 4,
  })
  // A step whose call was recorded may have been killed before it wrote; it is never taken twice.
  expect(ran().length).toBe(new Set(ran()).size)
  await expectIntact(cwd)
})

test('Ctrl-C stops every agent cleanly and says how to go on; that command goes on', async () => {
  const cwd = lintProject()
  let answering = false
  const server = await modelServer(() => (exchange) => {
    if (answering || promptIn(exchange.body).includes(', turn 1')) return takesFirst(exchange)
  })
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--no-hub']
  const run = start(cwd, ['run', 'lint', 'src', ...asks, '--json'])
  // For the file without a problem no agent is begun; the others need two answers.
  await server.received(4)
  run.child.kill('SIGINT')
  const stopped = await run.ended
  expect(stopped.code).toBe(130)
  expect(reportIn(stopped).map(({ stop }) => stop.reason)).toEqual([
    'cancelled',
    'nothing_to_do',
    'cancelled',
  ])
  const [, which = ''] = /Go on with: .+ resume (--run \S+)/.exec(stopped.stderr) ?? []

  answering = true
  const { code, stdout } = await twotrack(cwd, ['resume', ...which.split(' '), ...asks])
  expect(code).toBe(1)
  expect(stdout).toContain('2 agents: 1 done, 1 with problems left, 0 failed; 1 proposes changes.')
  await expectIntact(cwd)
})

test('what another process is running cannot be resumed, accepted or rejected meanwhile', async () => {
  const cwd = lintProject()
  const server = await modelServer((index) => (index < 2 ? takesFirst : reply.silence))
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--no-hub']
  const run = start(cwd, ['run', 'lint', 'src/app.py', ...asks])
  await server.received(3)
  const agent = await onlyAgent(cwd)
  const resumed = await twotrack(cwd, ['resume', agent, '--json'])
  expect(resumed).toMatchObject({ code: 2, stdout: expect.stringContaining('"reason":"failed"') })
  const all = await twotrack(cwd, ['accept', '--all'])
  expect(all).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('it is unfinished') })
  for (const command of ['accept', 'reject']) expect((await twotrack(cwd, [command, agent])).code).toBe(1)
  expect(textOf(cwd, 'src/app.py')).toBe(PYTHON)
  run.child.kill('SIGTERM')
  expect((await run.ended).stderr).toContain('Stopped.')
  expect((await twotrack(cwd, ['accept', agent])).code).toBe(0)
  expect(textOf(cwd, 'src/app.py')).toBe(PYTHON_FIXED)
})

test('kill -9 before the first agent began: resume --last does all of the run', async () => {
  const cwd = folderWith({ 'a.py': PYTHON, 'b.py': PYTHON })
  const first = start(cwd, ['run', 'lint', '.', '--no-hub'])
  const traces = join(cwd, '.agentfs/traces')
  await until(() => existsSync(traces) && readdirSync(traces).some((name) => name.startsWith('run%3a')))
  first.child.kill('SIGKILL')
  await first.ended
  const resumed = await twotrack(cwd, ['resume', '--last', '--no-hub', '--json'])
  // The file is there before its first byte: a plan that was cut short is none.
  if (resumed.stderr.includes('No runs are recorded')) return
  expect(reportIn(resumed).map(({ node_id }) => node_id)).toEqual(['a.py', 'b.py'])
  await expectIntact(cwd)
})
