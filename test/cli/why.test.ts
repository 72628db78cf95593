import { expect, test } from 'vitest'
import { AGENT, imported, storeKinds, twotrack } from './run.ts'

test.each(storeKinds)('why shows event, call, summarizer and the marked bytes (%s)', async (store) => {
  const cwd = await imported(store)
  const text = await twotrack(cwd, [
    'why',
    AGENT,
    '/recent_actions/0/summary',
    '--turn',
    '1',
    '--store',
    store,
  ])
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toContain('from event #4 (tool_result, turn 1), said by the tool')
  expect(text.stdout).toMatch(/call {8}#3 run_command \{"command":"python -m pytest -q"\}/)
  expect(text.stdout).toMatch(/summarizer {2}report \d/)
  expect(text.stdout).toMatch(/│ .*«.+»/)
  const json = await twotrack(cwd, [
    'why',
    AGENT,
    'python -m pytest -q',
    '--turn',
    '1',
    '--json',
    '--store',
    store,
  ])
  expect(JSON.parse(json.stdout)).toMatchObject({ agent_id: AGENT, turn: 1, asked: 'python -m pytest -q' })
})

test('why takes the agent that began last, and says what it needs', async () => {
  const cwd = await imported()
  expect((await twotrack(cwd, ['why', '--last', '/goal'])).stdout).toContain('from event #1 (run_start')
  for (const wrong of [['/goal'], ['--last', AGENT, '/goal'], [AGENT, '/goal', 'more']])
    expect(await twotrack(cwd, ['why', ...wrong])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('why --last /goal'),
    })
})

test('why says what it looked for and did not find', async () => {
  const cwd = await imported()
  expect(await twotrack(cwd, ['why', AGENT, 'never_written_anywhere'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('holds "never_written_anywhere"'),
  })
})

test.each([['why', '/goal'], ['blindspots'], ['whatif', '--limit', '900']])(
  '%s says which turns there are when asked for another',
  async (command, ...rest) => {
    const cwd = await imported()
    expect(await twotrack(cwd, [command, AGENT, ...rest, '--turn', '99'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has turns 0 to \d+; there is no turn 99/),
    })
  },
)
