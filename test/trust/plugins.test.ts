import { expect, test } from 'vitest'
import { requirePlugins, toolRequests } from '../../src/agents/lint/requests.ts'
import { digestOf } from '../../src/trust/trust.ts'
import { put, scratch } from '../workspace/scratch.ts'

const files = {
  '.oxlintrc.json': '{ "rules": {} }',
  'web/.oxlintrc.json': '{ "jsPlugins": ["./rules/own.js"] }',
  'web/rules/own.js': "import { names } from './names.js'\nexport default { rules: {} }\n",
  'web/rules/names.js': 'export const names = []\n',
  'web/app.ts': 'export {}\n',
}

test('a configuration without plugins needs no trust; one with plugins is shown with all that it loads', async () => {
  const project = await scratch()
  await put(project, files)
  const requests = await toolRequests(project)
  expect(requests.map(({ kind, name }) => [kind, name])).toEqual([['linter', 'web/.oxlintrc.json']])
  for (const path of ['web/.oxlintrc.json', 'web/rules/own.js', 'web/rules/names.js'])
    expect(requests[0]?.text).toContain(`--- ${path}\n`)
})

test('files that are named by escapes, or by the folder they are in, are shown too', async () => {
  const project = await scratch()
  await put(project, {
    '.oxlintrc.json': '{ "jsPlugins": ["./\\u0072ules\\/own"] }',
    'rules/own/package.json': '{ "main": "entry" }',
    'rules/own/entry.js': "require('./\\x6eames')\n",
    'rules/own/names.node': 'native',
  })
  const [request] = await toolRequests(project)
  for (const path of ['rules/own/package.json', 'rules/own/entry.js', 'rules/own/names.node'])
    expect(request?.text).toContain(`--- ${path}\n`)
})

test.each([
  ['the configuration', 'web/.oxlintrc.json', '{ "jsPlugins": ["./rules/other.js"] }'],
  ['a new one nearer to the file', 'web/.oxlintrc.jsonc', '{ "jsPlugins": ["./rules/own.js"] }'],
  ['the plugin', 'web/rules/own.js', 'process.exit()\n'],
  ['what the plugin imports', 'web/rules/names.js', 'process.exit()\n'],
])('an agent that changes %s in its workspace has nothing of it loaded', async (_, path, text) => {
  const [project, workspace] = [await scratch(), await scratch()]
  await put(project, files)
  await put(workspace, files)
  const trusted = (await toolRequests(project)).map(digestOf)
  const place = {
    workspace,
    project,
    path: 'web/app.ts',
    trusts: (request: Parameters<typeof digestOf>[0]) => trusted.includes(digestOf(request)),
  }
  await requirePlugins(place)
  await put(workspace, { [path]: text })
  await expect(requirePlugins(place)).rejects.toMatchObject({ code: 'untrusted' })
})
