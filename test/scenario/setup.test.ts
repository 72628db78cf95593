import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import { modelServer, textOf } from './project.ts'

test('init writes a configuration that works, keeps logs out of git, and overwrites nothing', async () => {
  const cwd = folderWith({ '.gitignore': 'dist/' })
  expect((await twotrack(cwd, ['init'])).code).toBe(0)
  expect(textOf(cwd, '.gitignore')).toBe('dist/\n.agentfs/\n')
  expect((await twotrack(cwd, ['config'])).code).toBe(0)
  writeFileSync(join(cwd, 'twotrack.yaml'), 'run: { concurrency: 3 }\n')
  const { code, stderr } = await twotrack(cwd, ['init'])
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is there already. Nothing was changed.'),
  })
  expect(textOf(cwd, 'twotrack.yaml')).toBe('run: { concurrency: 3 }\n')
  expect(textOf(cwd, '.gitignore')).toBe('dist/\n.agentfs/\n')
  rmSync(join(cwd, 'twotrack.yaml'))
  expect((await twotrack(cwd, ['init', '--json'])).stdout).toContain('"ignored":false')
})

test('doctor says which agents there are, and all that is wrong with the others', async () => {
  const cwd = folderWith({ 'agents/mine/agent.yaml': 'name: mine\n' })
  const agents = async () => {
    const { stdout } = await twotrack(cwd, ['doctor', '--json', '--trust'])
    return JSON.parse(stdout).find(({ what }: { what: string }) => what === 'agents')
  }
  expect(await agents()).toMatchObject({
    ok: false,
    says: expect.stringMatching(/^agents\/mine\/agent\.yaml:1:1: .*prompt/),
  })
  rmSync(join(cwd, 'agents'), { recursive: true })
  expect(await agents()).toMatchObject({ ok: true, says: expect.stringContaining('lint (built-in)') })
})

test('doctor looks at everything a run needs', async () => {
  const cwd = folderWith()
  const { stdout } = await twotrack(cwd, ['doctor', '--json'])
  const findings = JSON.parse(stdout) as { what: string; ok: boolean; says: string }[]
  const of = (what: string) => findings.find((finding) => finding.what === what)
  for (const what of ['Node.js', 'configuration', 'folder of the logs', 'parsers', 'agents', 'model'])
    expect(of(what), what).toMatchObject({ ok: true })

  writeFileSync(join(cwd, 'twotrack.yaml'), 'model: { adapter: functiongemma }\n')
  const { code, stdout: text } = await twotrack(cwd, ['doctor', '--trust'])
  expect(code).toBe(1)
  expect(text).toContain('✗ model: functiongemma')
  expect(text).toContain('--url')

  const { stdout: once } = await twotrack(cwd, ['doctor', '--set', 'bogus=1'])
  expect(once.match(/unknown key bogus/g)).toHaveLength(1)
  expect(once).toContain('✗ model: the same as for configuration')
})

test('doctor asks the model for one small call, and says what came of it', async () => {
  const cwd = folderWith()
  const server = await modelServer([
    reply.json(200, {}),
    reply.says({ calls: [{ tool: 'say', args: { word: 'ready' } }] }),
    reply.json(200, {}),
    reply.error(404, 'no such model'),
  ])
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`]
  const good = await twotrack(cwd, ['doctor', ...asks])
  expect(good.stdout).toMatch(/✓ model: openai:test made a call in \d+ ms/)
  expect(server.requests.at(-1)?.body).toMatchObject({ model: 'test', max_tokens: 64 })
  const bad = await twotrack(cwd, ['doctor', ...asks])
  expect(bad).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ model: .*no such model/) })
})

test('doctor does not tick a model that answers in words', async () => {
  const server = await modelServer([reply.json(200, {}), reply.says({ text: 'I am ready.' })])
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`]
  expect(await twotrack(folderWith(), ['doctor', ...asks])).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✗ model: .*with words instead of a call, and agents work by calls/),
  })
})

test('in a subfolder of a project the project is found: its records, its files, its configuration', async () => {
  const cwd = folderWith({
    'app.py': 'A = 1;\n',
    'deep/er/b.py': 'B = 1;\n',
    'twotrack.yaml': 'run: { concurrency: 3 }\n',
  })
  const below = join(cwd, 'deep/er')
  expect((await twotrack(below, ['run', 'lint', '.', '--no-hub', '--trust'])).stdout).toContain(
    'deep/er/b.py',
  )
  expect((await twotrack(below, ['run', 'lint', '../../app.py', '--no-hub', '--trust'])).code).toBe(0)
  expect(JSON.parse((await twotrack(cwd, ['runs', '--json'])).stdout)).toMatchObject([
    { node_id: 'deep/er/b.py' },
    { node_id: 'app.py' },
  ])
  expect((await twotrack(below, ['config'])).stdout).toContain('concurrency: 3')
  expect(readdirSync(below)).toEqual(['b.py'])
})
