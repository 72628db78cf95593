import { expect, test } from 'vitest'
import { builtInCode } from '../../src/agents/built-in.ts'
import { loadAgents } from '../../src/agents/load.ts'
import { call, folderWith } from './bench.ts'

const good = `name: todo
description: Counts what is left to do.
languages: [python]
node_types: [file]
prompt: Count.
node_template: Count the open points of {{file_path}}.
tools:
  - read_file
  - name: count_points
    description: Counts the open points of a file.
    script: count.js
    parameters:
      type: object
      properties: { word: { type: string } }
      required: [word]
      additionalProperties: false
    effect: pure
    externals: [read_file, get_node_metadata]
knowledge: [points]
candidates:
  - when: { unknown: [points] }
    tool: count_points
    args: { word: later }
    reason: Not counted yet.
submit:
  type: object
  properties: { summary: { type: string }, points: { type: integer, minimum: 0 } }
  required: [summary, points]
  additionalProperties: false
`

const script = `export default async function ({ word }, { read_file, get_node_metadata }) {
  const { path } = await get_node_metadata()
  const text = await read_file(path)
  const points = text.split(word).length - 1
  return success({ points }, points + ' points in ' + path, { points })
}
`

const unusable = {
  'agents/todo/broken.js': 'export default async function () {\n  return success(1, "one"\n}\n',
  'agents/todo/none.js': 'export const count = 1\n',
  'agents/todo/imports.js': "import fs from 'node:fs'\nexport default () => fs\n",
  'agents/todo/endless.js': 'for (;;);\n',
}

const projectWith = (yaml: string, files: Record<string, string> = {}) =>
  folderWith({ 'agents/todo/agent.yaml': yaml, 'agents/todo/count.js': script, ...unusable, ...files })

test('the built-in agents load, each with exactly one tool that ends the run', async () => {
  const { agents, problems } = await loadAgents({})
  expect(problems).toEqual([])
  expect([...agents.keys()]).toEqual(Object.keys(builtInCode))
  for (const agent of agents.values()) {
    expect(agent.source).toBe('built-in')
    expect(agent.tools.filter(({ name }) => name === 'submit_result')).toHaveLength(1)
  }
})

test("a project's agent has script tools that run in the sandbox with what they are granted", async () => {
  const project = await projectWith(good, { 'a.py': '# later\n# later\n' })
  const { agents, problems } = await loadAgents({ project, trusts: () => true })
  expect(problems).toEqual([])
  const todo = agents.get('todo')
  if (!todo) throw new Error('not loaded')
  expect(todo.source).toBe('agents/todo/agent.yaml')
  const counted = await call(todo, 'count_points', { word: 'later' }, { workspace: project, node: 'a.py' })
  expect(counted).toMatchObject({ summary: '2 points in a.py', knowledge_delta: { points: 2 } })
})

test('submit_result is really checked', async () => {
  const { agents } = await loadAgents({ project: await projectWith(good), trusts: () => true })
  const submit = agents.get('todo')?.tools.find(({ name }) => name === 'submit_result')
  expect(submit?.check({ summary: 'done', points: 2 }).ok).toBe(true)
  expect(submit?.check({ summary: 'done', points: -1 })).toMatchObject({
    ok: false,
    message: expect.stringContaining('points'),
  })
  expect(submit?.check({ summary: 'done' }).ok).toBe(false)
  expect(submit?.check({ summary: 'done', points: 1, more: true }).ok).toBe(false)
})

const withoutSubmit = good.slice(0, good.indexOf('submit:'))

/** What is wrong, the YAML, words of the line that the problem must name, and what it says. */
const flawed: [string, string, string, RegExp][] = [
  ['YAML that is none', good.replace('prompt: Count.', 'prompt: [Count.'), 'node_template', /not valid YAML/],
  ['an unknown key', good.replace('prompt:', 'promt:'), 'promt', /unknown key promt; did you mean prompt\?/],
  ['another type', good.replace('[python]', 'python'), 'languages', /languages: expected array/],
  [
    'no choice',
    good.replace('[python]', '[cobol]'),
    'languages',
    /expected one of python, typescript, javascript/,
  ],
  [
    'a key of a script',
    good.replace('effect: pure', 'efect: pure'),
    'efect',
    /unknown key efect; did you mean effect\?/,
  ],
  [
    'no tool',
    good.replace('- read_file', '- red_file'),
    'red_file',
    /no tool "red_file"; did you mean read_file\?/,
  ],
  [
    'a rule without tool',
    good.replace('tool: count_points', 'tool: count_point'),
    'tool: count_point',
    /did you mean count_points\?/,
  ],
  [
    'a rule with another argument',
    good.replace('{ word: later }', '{ wrod: later }'),
    'wrod',
    /did you mean word\?/,
  ],
  [
    'a rule that lacks an argument',
    good.replace('    args: { word: later }\n', ''),
    'when:',
    /count_points also needs word/,
  ],
  [
    'submit_result among the tools',
    good.replace('- read_file', '- submit_result'),
    'submit_result',
    /is made from "submit"/,
  ],
  [
    'a status that sets what the agent has not',
    `${good}status:\n  - text: Begun.\n    set: { progress: 1 }\n`,
    'set: { progress: 1 }',
    /no extension "progress"/,
  ],
  [
    'a status that names other knowledge',
    `${good}status:\n  - text: "{{pionts}} left"\n`,
    'pionts',
    /no knowledge "pionts"/,
  ],
  ['a tool twice', good.replace('- read_file', '- read_file\n  - "read_file"'), '"read_file"', /twice/],
  [
    'run_command without commands',
    good.replace('- read_file', '- run_command'),
    'run_command',
    /needs "commands"/,
  ],
  ['a script that is not there', good.replace('count.js', 'gone.js'), 'gone.js', /gone\.js/],
  ['a script with a mistake', good.replace('count.js', 'broken.js'), 'broken.js', /line 3: SyntaxError/],
  ['a script without a function', good.replace('count.js', 'none.js'), 'none.js', /exports no function/],
  ['a script that imports', good.replace('count.js', 'imports.js'), 'imports.js', /could not load module/i],
  [
    'a script that does not end',
    good.replace('count.js', 'endless.js'),
    'endless.js',
    /killed at its deadline/,
  ],
  ['a script outside of its folder', good.replace('count.js', '../../x.js'), 'x.js', /leads out/],
  ['a submit that is no object', `${withoutSubmit}submit: { type: string }\n`, 'submit:', /type: object/],
  [
    'no name of a node template',
    good.replace('{{file_path}}', '{{file_pth}}'),
    'node_template',
    /did you mean file_path\?/,
  ],
  ['no context provider', `${good}context: [linter_confg]\n`, 'context:', /did you mean linter_config\?/],
  ['no summarizer', `${good}summarizers: { count_points: reprt }\n`, 'summarizers:', /did you mean report\?/],
  ['a policy for no tool', `${good}policy: { tools: [read_fil] }\n`, 'policy:', /did you mean read_file\?/],
  [
    'a policy for no argument',
    `${good}policy: { args: { read_file: { pth: x } } }\n`,
    'policy:',
    /no argument of read_file "pth"/,
  ],
  [
    'a policy with no pattern',
    `${good}policy: { args: { read_file: { path: '(' } } }\n`,
    'policy:',
    /regular expression/,
  ],
  [
    'a name that is not its folder',
    good.replace('name: todo', 'name: other'),
    'name: other',
    /its folder is "todo"/,
  ],
]

test('a rule that names knowledge nobody gives is an error, in conditions and in templates', async () => {
  const rule = `  - when: { above: { pionts: 0 } }
    tool: submit_result
    args: { summary: "{{points - before}} of {{last_error}}", points: 1 }
    reason: "{{points.more}} in {{file_path}}"
`
  const { problems } = await loadAgents({
    project: await projectWith(good.replace('submit:', `${rule}submit:`)),
    trusts: () => true,
  })
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('there is no knowledge "pionts"; did you mean points?'),
    expect.stringContaining('there is no knowledge "before"'),
  ])
})

test.each(flawed)('%s is told with its line and what is expected', async (_, yaml, words, message) => {
  const { agents, problems } = await loadAgents({ project: await projectWith(yaml), trusts: () => true })
  const line = yaml.split('\n').findIndex((text) => text.includes(words)) + 1
  expect(problems.map((problem) => problem.message).join('\n')).toMatch(message)
  expect(problems.map((problem) => problem.line)).toContain(line)
  expect(problems[0]?.source).toMatch(/^agents\/todo\/agent\.yaml:\d+:\d+$/)
  expect(agents.has('todo')).toBe(false)
  expect(agents.has('lint')).toBe(true)
})

const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href)
const modules = {
  'agents/todo/shout.ts': `import { defineTool } from ${source('tool/tool.ts')}
    import { z } from ${JSON.stringify(import.meta.resolve('zod'))}
    const input: z.ZodObject = z.strictObject({})
    export default defineTool({ name: 'shout', description: 'Shouts.', effect: 'pure', input, run: () => 'HO' })`,
  'agents/todo/loud.js': `export default { name: 'loud', summarize: ({ text }) => ({ summary: text + '!' }) }`,
  'agents/todo/wrong.js': `export default 'no tool'`,
}
const withModules = good
  .replace('- read_file', '- read_file\n  - ./shout.ts')
  .concat('summarizers: { shout: ./loud.js }\n')

test('tools and summarizers can be files of the agent', async () => {
  const project = await projectWith(withModules, modules)
  const { agents, problems } = await loadAgents({ project, trusts: () => true })
  expect(problems).toEqual([])
  const todo = agents.get('todo')
  expect(todo?.tools.map(({ name }) => name)).toContain('shout')
  expect(todo?.summarizers['shout']?.name).toBe('loud')
})

test('an agent that nobody trusts is not loaded, whatever it holds', async () => {
  const project = await projectWith(withModules, {
    ...modules,
    'agents/todo/shout.ts': 'throw new Error("this module must not be loaded")',
  })
  const { agents, problems } = await loadAgents({ project })
  expect(agents.has('todo')).toBe(false)
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining('not trusted')])
})

test.each([
  [
    'a file that exports something else',
    './wrong.js',
    /default export of \.\/wrong\.js is no tool; make it with defineTool/,
  ],
  ['a file that is not there', './gone.ts', /gone\.ts/],
  ['a file outside the folder', './../../other.ts', /outside|leads out|\.\./],
])('a tool that is %s is a problem', async (_, path, message) => {
  const yaml = good.replace('- read_file', `- read_file\n  - ${path}`)
  const project = await projectWith(yaml, { ...modules, 'other.ts': modules['agents/todo/shout.ts'] })
  const { problems } = await loadAgents({ project, trusts: () => true })
  expect(problems.map((problem) => problem.message).join('\n')).toMatch(message)
})

test("a project's agent replaces the built-in one of its name, and may use the tools of all", async () => {
  const yaml = good
    .replace('name: todo', 'name: lint')
    .replace('- read_file', '- run_linter\n  - run_command')
    .concat(
      'commands: [{ program: git, starts: [status] }]\nsummarizers: { count_points: report }\nrecall: true\n',
    )
  const project = await folderWith({ 'agents/lint/agent.yaml': yaml, 'agents/lint/count.js': script })
  const { agents, problems } = await loadAgents({ project, trusts: () => true })
  expect(problems).toEqual([])
  expect(agents.get('lint')?.source).toBe('agents/lint/agent.yaml')
  expect(agents.get('lint')?.tools.map(({ name }) => name)).toEqual([
    'run_linter',
    'run_command',
    'count_points',
    'recall',
    'submit_result',
  ])
})

test('folders without an agent.yaml, and projects without agents, are no problem', async () => {
  const project = await folderWith({ 'agents/notes/readme.md': 'nothing here' })
  expect((await loadAgents({ project, trusts: () => true })).problems).toEqual([])
  expect((await loadAgents({ project: `${project}/agents/notes`, trusts: () => true })).problems).toEqual([])
})
