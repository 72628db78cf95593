import { expect, test } from 'vitest'
import { estimate } from '../../src/core/tokens/estimate.ts'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import { eventsOf, expectIntact, modelServer, PYTHON, promptIn, reportIn, takesFirst } from './project.ts'

test('a stuck agent is handed to a larger model, whose advice returns as an event, and the run goes on', async () => {
  const cwd = folderWith({ 'app.py': PYTHON })
  const again = reply.says({ calls: [{ tool: 'run_linter', args: {} }] })
  const small = await modelServer(
    () => (exchange) => (promptIn(exchange.body).includes('Advice:') ? takesFirst : again)(exchange),
  )
  const large = await modelServer([reply.says({ text: 'Call apply_fixes, then run_linter, then submit.' })])
  const ended = await twotrack(cwd, [
    ...['run', 'lint', 'app.py', '--no-hub', '--json'],
    ...['--model', 'openai:small', '--url', `${small.url}/v1`],
    ...['--set', 'escalation.name=large', '--set', `escalation.url=${large.url}/v1`],
  ])
  expect(ended.code).toBe(1)
  const [app] = reportIn(ended)
  expect(app).toMatchObject({ stop: { reason: 'submitted' }, turns: 5, changes: [{ path: 'app.py' }] })

  expect(large.requests).toHaveLength(1)
  const bundle = promptIn(large.requests[0]?.body)
  expect(bundle).toContain('An agent needs help (the same call with the same result 3 times in a row')
  expect(bundle).toContain('GOAL: Fix the lint issues of app.py')
  expect(bundle).toContain('E703')

  const events = await eventsOf(cwd, app?.agent_id ?? '')
  const escalations = events.flatMap((event) => (event.type === 'escalation' ? [event] : []))
  expect(escalations).toMatchObject([
    { data: { model: 'large' }, raw: { bundle: { reason: expect.any(String) } } },
    { data: { model: 'large', answer: 'Call apply_fixes, then run_linter, then submit.' } },
  ])
  await expectIntact(cwd)
})

test('without a larger model the run says that it is stuck, and `escalate` prints the bundle within its budget', async () => {
  const cwd = folderWith({ 'app.py': PYTHON })
  const again = reply.says({ calls: [{ tool: 'run_linter', args: {} }] })
  const small = await modelServer([again])
  const asks = ['--model', 'openai:small', '--url', `${small.url}/v1`, '--no-hub']
  const ended = await twotrack(cwd, ['run', 'lint', 'app.py', ...asks, '--json'])
  expect(ended.code).toBe(2)
  expect(reportIn(ended)[0]?.stop.reason).toBe('loop')
  const agent = reportIn(ended)[0]?.agent_id ?? ''
  for (const tokens of [6_000, 900, 300]) {
    const { code, stdout } = await twotrack(cwd, ['escalate', agent, '--tokens', String(tokens)])
    expect(code).toBe(0)
    expect(stdout).toContain('An agent needs help (loop')
    expect(stdout).toContain('run_linter')
    expect(estimate.count(stdout.trimEnd())).toBeLessThanOrEqual(tokens)
  }
  const { code, stderr } = await twotrack(cwd, ['escalate', agent, '--tokens', '70'])
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Allow at least') })
})
