import { expect, test } from 'vitest'
import { contentsOf, folderWith, twotrack } from '../cli/run.ts'
import type { Exchange, Reply } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'
import {
  CLEAN,
  eventsOf,
  expectIntact,
  lintProject,
  modelServer,
  PYTHON,
  PYTHON_FIXED,
  promptIn,
  reportIn,
  SCRIPT,
  takesFirst,
  textOf,
} from './project.ts'

const without = (contents: Record<string, string>, folder: string) =>
  Object.fromEntries(Object.entries(contents).filter(([name]) => !name.startsWith(folder)))

test('the embedded default fixes what is fixable, reports the rest, and leaves the project alone', async () => {
  const cwd = lintProject()
  const before = contentsOf(cwd)
  const { code, stdout, stderr } = await twotrack(cwd, ['run', 'lint', 'src'])
  expect({ code, stdout, stderr }).toMatchObject({ code: 1 })
  // A run of more than ten seconds also tells how far it is.
  const remarks = stderr.split('\n').filter((line) => line !== '' && !/^\d of [23]/.test(line))
  expect(remarks.sort()).toEqual([
    expect.stringMatching(/^Linted with bundled oxlint [\d.]+ \(no configuration/),
    expect.stringMatching(/^Linted with bundled ruff [\d.]+ \(no configuration/),
  ])
  expect(stdout.match(/^~ lint#\d src\/app\.py {2}\+2 -2\n {4}problems left: /gm)).toHaveLength(1)
  expect(stdout).toContain('\n    6 F841')
  // oxlint does not fail because of it, so it is told and does not count.
  expect(stdout).toMatch(/^✓ lint#\d src\/stop\.ts\n.*\n.*no-debugger.*\(warning\)$/m)
  expect(stdout).toContain(
    'Nothing to do for 1 other.\n\n2 agents: 1 done, 1 with problems left, 0 failed; 1 proposes changes.',
  )
  expect(stdout).not.toContain('\u001b')
  expect(without(contentsOf(cwd), '.agentfs')).toEqual(before)
  const changes = await twotrack(cwd, ['changes'])
  expect(changes.stdout).toContain('-A = 1;\n-B = 2;\n')
  await expectIntact(cwd)
})

test('--json prints one document, whatever the outcome', async () => {
  const cwd = lintProject()
  const ended = await twotrack(cwd, ['run', 'lint', 'src', '--json'])
  expect(ended.code).toBe(1)
  const byNode = new Map(reportIn(ended).map((one) => [one.node_id, one]))
  expect([...byNode.keys()]).toEqual(['src/app.py', 'src/clean.py', 'src/stop.ts'])
  expect(byNode.get('src/app.py')).toMatchObject({
    stop: { reason: 'submitted' },
    changes: [{ path: 'src/app.py' }],
    open: [expect.stringContaining('F841')],
  })
  expect(byNode.get('src/clean.py')).toMatchObject({ changes: [], open: [] })
})

test('nothing to do, a path that is not there and a wrong name exit with 2 and say why', async () => {
  const cwd = folderWith({ 'notes.txt': 'no code' })
  for (const [args, words] of [
    [['run', 'lint', '.'], 'under this folder.'],
    [['run', 'lint', 'gone'], 'There is no gone.'],
    [['run', 'lnt', '.'], 'did you mean lint?'],
    [['run', 'lint', '/'], 'leads out of the project'],
  ] as const) {
    const { code, stderr } = await twotrack(cwd, args)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(words) })
  }
})

test.each([
  ['openai:test', '/v1', 'jsonl', 'chat/1'],
  ['functiongemma', '/v1', 'jsonl', 'functiongemma/1'],
  ['functiongemma:tuned', '', 'kv', 'functiongemma/1'],
] as const)('--model %s drives the same agents over HTTP (%s, %s)', async (model, path, store, format) => {
  const cwd = lintProject()
  const server = await modelServer([takesFirst])
  const asks = ['--model', model, '--url', `${server.url}${path}`, '--store', store, '--no-hub']
  const ended = await twotrack(cwd, ['run', 'lint', 'src/app.py', ...asks, '--json'])
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code: 1 })
  const [app] = reportIn(ended)
  expect(app).toMatchObject({ stop: { reason: 'submitted' }, turns: 3, changes: [{ path: 'src/app.py' }] })
  expect(server.requests).toHaveLength(3)
  const { stdout } = await twotrack(cwd, ['export', app?.agent_id ?? '', '--store', store])
  expect(stdout).toContain(`"format":"${format}"`)
  await expectIntact(cwd, '--store', store)
  const { code } = await twotrack(cwd, ['accept', '--all', '--store', store])
  expect(code).toBe(0)
  expect(textOf(cwd, 'src/app.py')).toBe(PYTHON_FIXED)
})

/** The agent's steps in order, for contexts that do not show candidates. */
const steps = (exchange: Exchange, index: number) => {
  const counts = { issues_fixed: 2, issues_remaining: 1, changed_files: ['src/app.py'] }
  const calls = [
    { tool: 'run_linter', args: {} },
    { tool: 'apply_fixes', args: {} },
    { tool: 'run_linter', args: {} },
    { tool: 'submit_result', args: { summary: 'Fixed two.', ...counts } },
  ]
  return reply.says({ calls: [calls[index] ?? { tool: 'run_linter', args: {} }] })(exchange)
}

test.each(['messages', 'both'])('--context %s: every prompt follows from the log', async (context) => {
  const cwd = lintProject()
  for (const model of ['openai:test', 'functiongemma']) {
    const server = await modelServer(
      (index): Reply =>
        (exchange) =>
          steps(exchange, index),
    )
    const asks = ['--model', model, '--url', `${server.url}/v1`, '--no-hub', '--context', context]
    const ended = await twotrack(cwd, ['run', 'lint', 'src/app.py', ...asks, '--json'])
    expect(reportIn(ended)[0]?.stop).toEqual({ reason: 'submitted', summary: 'Fixed two.' })
  }
  await expectIntact(cwd)
})

test('after its own fix every packet shows lines, problems and what is tried as they are then', async () => {
  const source = 'import sys\nimport os\nimport json\n\nprint(sys.argv)\n\n\ndef f(x):\n    return gone + x\n'
  const cwd = folderWith({ 'a.py': source })
  const calls = [
    { tool: 'read_file', args: { path: 'a.py' } },
    { tool: 'run_linter', args: {} },
    { tool: 'apply_fixes', args: {} },
    { tool: 'run_linter', args: {} },
    { tool: 'submit_result', args: { summary: 'Done.', issues_fixed: 2, changed_files: ['a.py'] } },
  ]
  const server = await modelServer((index) =>
    reply.says({ calls: [calls[index] ?? calls[4]].flatMap((one) => one ?? []) }),
  )
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--no-hub']
  const [report] = reportIn(await twotrack(cwd, ['run', 'lint', 'a.py', ...asks, '--json']))
  const packetAfter = async (turn: number) =>
    (await twotrack(cwd, ['replay', report?.agent_id ?? '', '--turn', `${turn}`])).stdout
  expect(await packetAfter(2)).toContain('a.py:9 F821 Undefined name `gone`')
  for (const turn of [3, 4, 5]) {
    const packet = await packetAfter(turn)
    expect(packet).toContain('OPEN PROBLEMS\n- a.py:7 F821 Undefined name `gone`\n')
    expect(packet).toContain('CHANGED SO FAR\n- a.py: −2\n')
    expect(packet).toContain('- a.py (1-7)\n````\n1|import sys\n\nprint(sys.argv)\n')
    // The linter found what there is to do: that is no attempt that failed, before the fix and after it.
    for (const gone of ['a.py:9', 'line 8', 'import os', 'FAILED BEFORE']) expect(packet).not.toContain(gone)
  }
})

test('many at once: never more than allowed, one that fails leaves the others alone', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `src/part_${String(index).padStart(2, '0')}.py`)
  const cwd = folderWith(Object.fromEntries(names.map((name) => [name, PYTHON])))
  let open = 0
  let most = 0
  const server = await modelServer((index) => async (exchange) => {
    if (exchange.path === '/v1/models') return reply.json(200, {})(exchange)
    most = Math.max(most, ++open)
    exchange.response.on('close', () => open--)
    if (index < 9) await server.received(9) // eight really ask at once
    const bad = promptIn(exchange.body).includes('src/part_07.py')
    return bad ? reply.error(401, 'no key')(exchange) : takesFirst(exchange)
  })
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--no-hub']
  const ended = await twotrack(cwd, ['run', 'lint', 'src', ...asks, '--concurrency', '8', '--json'])
  expect(ended.code).toBe(1)
  const report = reportIn(ended)
  expect(report).toHaveLength(40)
  const failed = report.filter(({ stop }) => stop.reason !== 'submitted')
  expect(failed).toMatchObject([{ node_id: 'src/part_07.py', stop: { reason: 'model_failed' } }])
  expect(failed[0]?.stop.summary).toContain('401')
  expect(new Set(report.map(({ agent_id }) => agent_id)).size).toBe(40)
  expect(most).toBe(8)
  await expectIntact(cwd)
})

test('all that fail exit with 2, and the log of each says why', async () => {
  const cwd = folderWith({ 'a.py': PYTHON, 'b.py': PYTHON })
  const server = await modelServer([reply.error(403, 'not for you')])
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`]
  const ended = await twotrack(cwd, ['run', 'lint', '.', ...asks, '--json'])
  expect(ended.code).toBe(2)
  for (const { agent_id } of reportIn(ended)) {
    const events = await eventsOf(cwd, agent_id)
    expect(events.map(({ type }) => type).slice(-2)).toEqual(['agent_error', 'run_end'])
  }
})

test('one at a time, in the order in which the paths are named', async () => {
  const cwd = folderWith({ 'a/one.py': PYTHON, 'b/two.py': PYTHON, 'c/three.py': PYTHON })
  await twotrack(cwd, ['run', 'lint', 'c', 'a', 'b/two.py', '--concurrency', '1'])
  const logs: { node_id: string; created: string }[] = JSON.parse(
    (await twotrack(cwd, ['runs', '--json'])).stdout,
  )
  const begun = logs.sort((one, other) => one.created.localeCompare(other.created))
  expect(begun.map(({ node_id }) => node_id)).toEqual(['c/three.py', 'a/one.py', 'b/two.py'])
})

test('where there is nothing to do no agent is begun, no model asked and nothing recorded', async () => {
  const cwd = folderWith({ 'a.py': CLEAN, 'b.py': CLEAN })
  const server = await modelServer([reply.error(500, 'never asked')])
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`]
  const both = await twotrack(cwd, ['run', 'lint', '.', ...asks])
  expect(both).toMatchObject({ code: 0, stdout: 'Nothing to do for all 2.\n' })
  const one = await twotrack(cwd, ['run', 'lint', 'a.py', ...asks])
  expect(one).toMatchObject({ code: 0, stdout: '✓ a.py\n    nothing to do: No lint issues.\n' })
  expect(server.requests).toEqual([])
  expect((await twotrack(cwd, ['runs', '--json'])).stdout.trim()).toBe('[]')
  const named = await twotrack(cwd, ['run', 'lint', 'a.py:clean', '--json'])
  expect(reportIn(named)).toMatchObject([{ stop: { reason: 'submitted' }, turns: 1 }])
})

test('nodes whose names look alike have logs of their own', async () => {
  const cwd = folderWith({ 'a_b.py': PYTHON, 'a-b.py': CLEAN, 'A_b.py': SCRIPT.slice(0, 0) })
  const ended = await twotrack(cwd, ['run', 'lint', '.', '--json'])
  const report = reportIn(ended)
  expect(new Set(report.map(({ agent_id }) => agent_id)).size).toBe(report.length)
  expect(report.filter(({ changes }) => changes.length > 0).map(({ node_id }) => node_id)).toEqual(['a_b.py'])
})

test('a server that is down is found out before a run of many, and one that goes down ends the run', async () => {
  const names = Array.from({ length: 9 }, (_, index) => `part_${index}.py`)
  const cwd = folderWith(Object.fromEntries(names.map((name) => [name, PYTHON])))
  const gone = await modelServer([reply.error(500, 'never asked')])
  await gone.kill()
  const down = await twotrack(cwd, [
    'run',
    'lint',
    '.',
    '--no-hub',
    '--model',
    'openai:test',
    '--url',
    `${gone.url}/v1`,
  ])
  expect(down).toMatchObject({ code: 2, stdout: '' })
  expect(down.stderr).toContain('openai:test does not answer, so no agent was begun')
  const server = await modelServer([reply.json(200, {}), reply.error(401, 'no key')])
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--concurrency', '1', '--no-hub']
  const ended = await twotrack(cwd, ['run', 'lint', '.', ...asks, '--json'])
  expect(ended.code).toBe(2)
  expect(reportIn(ended).map(({ stop }) => stop.reason)).toEqual([
    'model_failed',
    'model_failed',
    'model_failed',
  ])
  const how = /Go on with: .* resume --run (\S+)/.exec(ended.stderr)?.[1] ?? ''
  expect(ended.stderr).toContain('6 others were not begun')
  const resumed = await twotrack(cwd, ['resume', '--run', how, '--no-hub', '--json'])
  expect(resumed.code).toBe(1)
  expect(
    reportIn(resumed)
      .map(({ node_id }) => node_id)
      .sort(),
  ).toEqual(names)
  expect((await twotrack(cwd, ['resume', '--last'])).stderr).toContain('nothing to go on with')
})
