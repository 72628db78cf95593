import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { agentSchema } from '../../src/agent/agent.ts'
import { loadAgents } from '../../src/agents/load.ts'
import { folderWith, runDefault } from './bench.ts'

const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')

function block(language: string): string {
  const from = page.indexOf(`\`\`\`${language}\n`) + language.length + 4
  return page.slice(from, page.indexOf('```', from))
}

test('the example of the page loads and runs with the embedded default', async () => {
  const project = await folderWith({
    'agents/todo/agent.yaml': block('yaml'),
    'agents/todo/count.js': block('js'),
    'a.py': '# NOTE one\n# NOTE two\n',
  })
  const { agents, problems } = await loadAgents({ project, trusts: () => true })
  expect(problems).toEqual([])
  const todo = agents.get('todo')
  if (!todo) throw new Error('not loaded')
  const { stop, submitted } = await runDefault(todo, project, 'a.py')
  expect(stop.reason).toBe('submitted')
  expect(submitted).toEqual({ summary: '2 notes in a.py.', notes: 2 })
})

test('the page names every key, every tool and every provider', async () => {
  for (const key of Object.keys(agentSchema.shape)) expect(page, key).toContain(`\`${key}\``)
  const { agents } = await loadAgents({})
  for (const agent of agents.values()) {
    for (const { name } of agent.tools) expect(page, name).toContain(`\`${name}`)
    for (const name of agent.definition.context) expect(page, name).toContain(`\`${name}\``)
  }
})
