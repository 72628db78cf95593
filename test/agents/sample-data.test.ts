import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { loadAgents } from '../../src/agents/load.ts'
import { scripted } from '../../src/model/scripted.ts'
import { textAt } from '../workspace/scratch.ts'
import { call, folderWith, runDefault, sampleProject } from './bench.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples/agents', import.meta.url))

/** The example as a person takes it: copied into a project and trusted. */
async function agentIn(project: string) {
  await cp(EXAMPLES, join(project, 'agents'), { recursive: true })
  const { agents, problems } = await loadAgents({ project, trusts: () => true })
  expect(problems).toEqual([])
  const agent = agents.get('sample_data')
  if (!agent) throw new Error('sample_data is not there')
  return agent
}

test('without a model it tells what takes arguments and proposes nothing', async () => {
  const project = await sampleProject()
  const { submitted, calls } = await runDefault(await agentIn(project), project, 'inventory/stock.py')
  expect(calls.map(({ tool }) => tool)).toEqual(['find_functions', 'submit_result'])
  expect(submitted).toEqual({
    summary: 'Functions that take arguments: 5. A model that writes, or a person, can make data for them.',
    fixtures_written: 0,
  })
})

test('what a model makes is written, after what does not fit was refused with the reason', async () => {
  const made = (quantity: number | string) => ({
    tool: 'write_fixture_file',
    args: { fixtures: { line_total: [{ price: 2.5, quantity }] } },
  })
  const model = scripted([
    { tool: 'find_functions' },
    made('three'),
    made(3),
    { tool: 'submit_result', args: { summary: 'Made one.', fixtures_written: 1 } },
  ])
  const file = 'web/cart.ts'
  const source =
    'export function line_total(price: number, quantity: number): number { return price * quantity }\n'
  const folder = await folderWith({ [file]: source })
  const { stop, failed } = await runDefault(await agentIn(folder), folder, file, { model })
  expect([stop.reason, failed]).toEqual(['submitted', false])
  expect(JSON.parse(await textAt(folder, 'tests/fixtures/web_cart.json'))).toEqual(made(3).args.fixtures)
})

const source = `
def f(n: int, name: str = "x", *rest, mode: Literal["a", "b,c"] = "a", tags: list[str] | None = None): ...
def g(other): ...
def _p(x): ...
class Stock:
    def put(self, sku: str, count: int): ...
    def empty(self): ...
`

test('fixtures that fit are written, and written again as they are', async () => {
  const workspace = await folderWith({ 'a.py': source, 'test/fixtures/x.txt': '' })
  const agent = await agentIn(workspace)
  const fixtures = {
    f: [
      { n: 3, name: 'Ada', mode: 'b,c' },
      { n: 0, tags: ['x'] },
      { n: 1, tags: null },
    ],
    g: [{ other: [5] }],
    'Stock.put': [{ sku: 'a', count: 1 }],
  }
  const write = () => call(agent, 'write_fixture_file', { fixtures }, { workspace, node: 'a.py' })
  const written = await write()
  const known = { fixtures_written: 5, fixture_file: 'test/fixtures/a.json' }
  expect(written.knowledge_delta).toMatchObject(known)
  expect(JSON.parse(await textAt(workspace, known.fixture_file))).toEqual(fixtures)
  expect((await write()).outcome).toBe('success')
})

test('what does not fit is refused with the reason', async () => {
  const workspace = await folderWith({ 'a.py': source, 'tests/fixtures/a.json': '{}' })
  const agent = await agentIn(workspace)
  const fixtures = {
    h: [{ n: 1 }],
    _p: [{ x: 1 }],
    'Stock.empty': [{}],
    f: [{ n: 1, nme: 'x' }, { name: 'x' }, { n: '1' }, { n: 1, mode: 'c' }, { n: 1, tags: [1] }],
  }
  const refused = await call(agent, 'write_fixture_file', { fixtures }, { workspace, node: 'a.py' })
  expect(refused.outcome).toBe('error')
  for (const why of [
    'There is no public function h that takes arguments.',
    'There is no public function _p',
    'There is no public function Stock.empty',
    'f, case 1: it has no parameter nme.',
    'f, case 2: the argument n is missing.',
    'f, case 3: n is "1", and its type is int.',
    'f, case 4: mode is "c", and its type is Literal["a", "b,c"].',
    'f, case 5: tags is [1], and its type is list[str] | None.',
  ])
    expect(refused.error).toContain(why)
  const at = { workspace, node: 'a.py' }
  const there = await call(agent, 'write_fixture_file', { fixtures: { f: [{ n: 1 }] } }, at)
  expect(there.error).toContain('There is a file tests/fixtures/a.json already.')
  const none = await call(agent, 'write_fixture_file', { fixtures: {} }, at)
  expect(none.error).toContain('There is no case in them.')
})
