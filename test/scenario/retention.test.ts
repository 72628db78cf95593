import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import {
  eventsOf,
  expectIntact,
  lintProject,
  modelServer,
  PYTHON,
  promptIn,
  reportIn,
  takesFirst,
} from './project.ts'

test.each(['jsonl', 'kv'])('a run is reported, compacted and still replays (%s)', async (store) => {
  const cwd = lintProject()
  const at = ['--store', store]
  const run = await twotrack(cwd, ['run', 'lint', 'src', '--no-hub', '--json', ...at])
  const agent = reportIn(run).find(({ node_id }) => node_id.includes('app.py'))?.agent_id ?? ''
  const report = JSON.parse((await twotrack(cwd, ['report', '--json', ...at])).stdout)
  expect(report.totals).toMatchObject({ agents: 2, failed: 0 })
  expect((await twotrack(cwd, ['report', '--last', ...at])).stdout).toContain('# What the agents did')
  expect((await twotrack(cwd, ['report', agent, ...at])).stdout).toMatch(/^# lint: /)
  const packet = (await twotrack(cwd, ['replay', agent, '--json', ...at])).stdout

  const planned = await twotrack(cwd, ['compact', '--older-than', '0d', ...at])
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing was changed.') })
  const args = ['compact', '--older-than', '0d', '--archive-older-than', '0d', '--apply', '--json', ...at]
  const done = JSON.parse((await twotrack(cwd, args)).stdout)
  expect(done).toMatchObject({ dry_run: false, kept: { open: 0, failed: 0 } })
  expect(done.pruned_bytes).toBeGreaterThan(1_000)
  await expectIntact(cwd, ...at)
  expect((await twotrack(cwd, ['replay', agent, '--json', ...at])).stdout).toBe(packet)
  expect((await twotrack(cwd, ['accept', agent, ...at])).code).toBe(0)
  await expectIntact(cwd, ...at)
})

test('limits of the configuration are used, and what is no limit is refused', async () => {
  const cwd = lintProject()
  const state = { env: { XDG_STATE_HOME: folderWith({}) } }
  await twotrack(cwd, ['run', 'lint', 'src', '--no-hub', '--json'], state)
  writeFileSync(join(cwd, 'twotrack.yaml'), 'runner:\n  memory:\n    retention:\n      raw_days: 0\n')
  expect((await twotrack(cwd, ['compact', '--json'], state)).stderr).toContain('settings twotrack.yaml')
  await twotrack(cwd, ['trust', '--yes'], state)
  const { stdout } = await twotrack(cwd, ['compact', '--json'], state)
  expect(JSON.parse(stdout).pruned_bytes).toBeGreaterThan(1_000)
  for (const wrong of [
    ['--older-than', 'soon'],
    ['--max-size', 'much'],
  ])
    expect(await twotrack(cwd, ['compact', ...wrong], state)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('write it as'),
    })
})

test("a person's answer goes back into the log, and resume goes on from it", async () => {
  const cwd = folderWith({ 'app.py': PYTHON })
  const again = reply.says({ calls: [{ tool: 'run_linter', args: {} }] })
  const small = await modelServer(
    () => (exchange) => (promptIn(exchange.body).includes('Take the first') ? takesFirst : again)(exchange),
  )
  const asks = ['--model', 'openai:small', '--url', `${small.url}/v1`, '--no-hub']
  const ended = await twotrack(cwd, ['run', 'lint', 'app.py', ...asks, '--json'])
  const agent = reportIn(ended)[0]?.agent_id ?? ''
  expect(reportIn(ended)[0]?.stop.reason).toBe('loop')
  writeFileSync(join(cwd, 'advice.txt'), 'Take the first candidate.\n')
  const answer = () => twotrack(cwd, ['escalate', agent, '--answer', 'advice.txt', '--json'])
  expect(JSON.parse((await answer()).stdout)).toMatchObject({ agent_id: agent, recorded: true })
  expect(JSON.parse((await answer()).stdout)).toMatchObject({ recorded: false })
  const resumed = await twotrack(cwd, ['resume', agent, ...asks, '--json'])
  expect(reportIn(resumed)[0]?.stop.reason).toBe('submitted')
  const answers = (await eventsOf(cwd, agent)).filter(({ type }) => type === 'escalation')
  expect(answers).toMatchObject([{ data: { answer: 'Take the first candidate.' } }])
  await expectIntact(cwd)
})
