import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { agentRequest } from '../../src/agents/load.ts'
import { loadConfig } from '../../src/config/load.ts'
import { settingsRequest } from '../../src/trust/settings.ts'
import { folderWith } from '../cli/run.ts'

const agent = (command: string) => `name: todo\ncommands: [${command}]\ntools: [./tool.ts]\n`
const run = (words: string) => `{ program: node, starts: [${words}] }`

async function covered(files: Record<string, string>) {
  const cwd = folderWith(files)
  const text = async () => (await agentRequest(cwd, 'todo'))?.text ?? ''
  const before = await text()
  return {
    text: before,
    /** Whether another content of the file is another request. */
    async tells(path: string) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true })
      writeFileSync(join(cwd, path), `${files[path] ?? ''}\n// changed\n`)
      return (await text()) !== before
    },
  }
}

test.each<[string, Record<string, string>, string]>([
  [
    'a script behind a command',
    { 'agents/todo/agent.yaml': agent(run('scripts/check.js')) },
    'scripts/check.js',
  ],
  [
    'one with a dot before it',
    { 'agents/todo/agent.yaml': agent(run('./scripts/check.js')) },
    'scripts/check.js',
  ],
  [
    'what that script imports',
    {
      'agents/todo/agent.yaml': agent(run('scripts/check.js')),
      'scripts/check.js': "import '../lib/deep'\n",
    },
    'lib/deep.js',
  ],
  [
    'what it starts',
    {
      'agents/todo/agent.yaml': agent(run('scripts/check.js')),
      'scripts/check.js': "spawn('sh', ['tools/run.sh'])\n",
    },
    'tools/run.sh',
  ],
  [
    'what a shell script calls',
    { 'agents/todo/agent.yaml': agent('{ program: sh, starts: [run.sh] }'), 'run.sh': 'node tools/x.js\n' },
    'tools/x.js',
  ],
  [
    'what a script in Ruby requires',
    {
      'agents/todo/agent.yaml': agent('{ program: ruby, starts: [check.rb] }'),
      'check.rb': "require_relative 'lib/deep'\n",
    },
    'lib/deep.rb',
  ],
  [
    'a module of Python',
    {
      'agents/todo/agent.yaml': agent('{ program: python3, starts: [a.py] }'),
      'a.py': 'from tools.deep import x\n',
    },
    'tools/deep.py',
  ],
  [
    'the script of a manifest',
    {
      'agents/todo/agent.yaml': agent('{ program: npm, starts: [run, check] }'),
      'package.json': '{ "scripts": { "check": "node tools/check.js --all" } }',
    },
    'tools/check.js',
  ],
  [
    'the manifest itself',
    { 'agents/todo/agent.yaml': agent('{ program: npm, starts: [test] }') },
    'package.json',
  ],
  ['a Makefile', { 'agents/todo/agent.yaml': agent('{ program: make, starts: [check] }') }, 'Makefile'],
  [
    'a module named with #',
    {
      'agents/todo/agent.yaml': agent(run('x')),
      'agents/todo/tool.ts': "import lib from '#lib/deep'\n",
      'package.json': '{ "imports": { "#lib/*": { "default": "./hidden/*.js" } } }',
    },
    'hidden/deep.js',
  ],
  [
    'the manifest that explains it',
    { 'agents/todo/agent.yaml': agent(run('x')), 'agents/todo/tool.ts': "import lib from '#lib'\n" },
    'package.json',
  ],
  [
    'a script in the arguments of a rule',
    {
      'agents/todo/agent.yaml': `${agent(run('x'))}candidates: [{ tool: run_command, args: { argv: [node, scripts/check.js] } }]\n`,
    },
    'scripts/check.js',
  ],
])('a decision about an agent covers %s', async (_, files, path) => {
  const { text, tells } = await covered({
    'agents/todo/tool.ts': '',
    [path]: path === 'package.json' ? '{ "imports": { "#lib": "./x.js" } }' : 'x\n',
    ...files,
  })
  expect(text).toContain(`--- ${path}\n`)
  expect(await tells(path)).toBe(true)
})

test.each([
  ["import('./' + name)", true],
  ['import(name)', true],
  ["await import('./a' + '.js')", true],
  ['const load = require; require(name)', true],
  ['imp\\u006frt(name)', true],
  ["eval(atob('…'))", true],
  ["createRequire(import.meta.url)('./x')", true],
  ["import('./a.js')", false],
  ["require('./a.js')", false],
])('what code computes is said to be not covered: %s', async (code, isSaid) => {
  const { text } = await covered({
    'agents/todo/agent.yaml': agent(run('x')),
    'agents/todo/tool.ts': `\n${code}\n`,
  })
  expect(text.includes('what is computed in agents/todo/tool.ts line 2')).toBe(isSaid)
  expect(text).toContain('--- not covered: installed packages')
})

const program = (name: string, starts: string) => ({
  'agents/todo/agent.yaml': agent(`{ program: ${name}, starts: [${starts}] }`),
})
const code = (text: string, path = 'scripts/check.js') => ({ ...program('any', path), [path]: text })
const python = (text: string) => code(text, 'scripts/a.py')
const manifest = (exports: string) => ({ 'package.json': `{ "name": "acme", "exports": ${exports} }` })

test.each<[string, Record<string, string>, string]>([
  ['spaces', program('node', '"scripts/my check.js"'), 'scripts/my check.js'],
  ['spaces, in a script', code('node "tools/my x.js"\n', 'run.sh'), 'tools/my x.js'],
  ['a line end before it', program('sh', '-c, "true\\nnode evil.js"'), 'evil.js'],
  ['a long comment before it', program('sh', `-c, "true #${'x'.repeat(400)}; node evil.js"`), 'evil.js'],
  ['what looks like a query', code("import './x.js?v=1'\n"), 'scripts/x.js'],
  ['an escape of addresses', code("import './%78.js'\n"), 'scripts/x.js'],
  ['words around it', code("execSync('node tools/x.js --all')\n"), 'tools/x.js'],
  [
    'the name of the project',
    { ...code("import 'acme/a'\n"), ...manifest('{ "./*": "./src/*.js" }') },
    'src/a.js',
  ],
  ['its name alone', { ...code("import 'acme'\n"), ...manifest('{ "import": "./x.js" }') }, 'x.js'],
  ['a module to run', program('python3', '-m, tools.check'), 'tools/check.py'],
  ['a package to run', program('python3', '-m, tools'), 'tools/__main__.py'],
  ['a package to import from', python('from tools import deep\n'), 'tools/deep.py'],
  ['a dot', python('from . import deep\n'), 'scripts/deep.py'],
  ['brackets', python('from tools import (\n  other,\n  deep as d,\n)\n'), 'tools/deep.py'],
  ['a line of its own no more', python('x = 1; import tools.deep\n'), 'tools/deep.py'],
  ['text', python("import_module('tools.deep')\n"), 'tools/deep.py'],
  ['a folder to make in', program('make', '-C, sub'), 'sub/Makefile'],
  ['a bare word', code('source other\n', 'run.sh'), 'other'],
  ['a folder in a variable', code('node $HERE/y.js\n', 'bin/run.sh'), 'bin/y.js'],
])('a file that is named with %s is covered', async (_, files, path) => {
  expect(await (await covered({ 'agents/todo/tool.ts': '', [path]: '1\n', ...files })).tells(path)).toBe(true)
})

test.each([
  ['check.js', 'const load = require\nload(x)'],
  ['check.js', 'new Worker(file)'],
  ['check.js', 'vm.runInThisContext(text)'],
  ['a.py', '__import__(name)'],
  ['a.py', 'exec(text)'],
  ['run.sh', 'eval "$X"'],
  ['run.sh', '. "$X"'],
])('what %s computes is said to be not covered: %s', async (path, text) => {
  const { text: shown } = await covered({ 'agents/todo/tool.ts': '', ...code(text, path) })
  expect(shown).toContain(`what is computed in ${path} line 1`)
})

test('prose that speaks of a file does not cover it', async () => {
  const { tells } = await covered({
    'agents/todo/agent.yaml': `${agent(run('x'))}prompt: |\n  Look at src/app.py\n  and its tests.\n`,
    'agents/todo/tool.ts': '',
    'src/app.py': '',
  })
  expect(await tells('src/app.py')).toBe(false)
})

test('a decision about checks of twotrack.yaml covers the script that they name', async () => {
  const cwd = folderWith({
    'twotrack.yaml':
      'checks: [{ name: own, files: "*.py", check: "node scripts/check.js {files}", report: lines }]\n',
    'scripts/check.js': "import './deep.js'\n",
    'scripts/deep.js': '1\n',
  })
  const text = async () => (await settingsRequest(loadConfig({ cwd, env: {}, set: [] })))?.text ?? ''
  const before = await text()
  expect(before).toContain('--- scripts/deep.js\n1\n')
  writeFileSync(join(cwd, 'scripts/deep.js'), '2\n')
  expect(await text()).not.toBe(before)
})

test.each([
  [
    'a lock file of 60,000 packages',
    'lock.yaml',
    Array.from({ length: 60_000 }, (_, at) => `p${at}: 1`).join('\n'),
  ],
  ['YAML that holds itself', 'self.yaml', 'a: &a [*a]\n'],
  ['JSON with 200,000 lists in each other', 'deep.json', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
])(
  'what a command names may be anything: %s',
  async (_, path, text) => {
    const before = process.cpuUsage()
    const { tells } = await covered({ 'agents/todo/agent.yaml': agent(run(path)), [path]: text })
    expect(await tells(path)).toBe(true)
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000)
  },
  60_000,
)
