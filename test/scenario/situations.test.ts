import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { countWords } from '../../src/run/agent-summary.ts'
import { folderWith, twotrack } from '../cli/run.ts'
import type { Reply } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'
import { expectIntact, modelServer, reportIn, start } from './project.ts'

/** A semicolon that the bundled ruff removes, and a name that it only reports. */
const FIXABLE = 'A = 1;\n'
const UNKNOWN = 'A = unknown\n'
const FAILING =
  'import unittest\nimport app\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(app.A, 2)\n'
/** What an agent's own rules throw is a fault of nobody else. */
const CRASHING = {
  'agents/broken/agent.yaml': `name: broken
description: Has rules that throw.
languages: [python]
node_types: [file]
prompt: Do it.
node_template: Do it at {{file_path}}.
tools: [run_linter]
propose: ./propose.mjs
submit: { type: object, properties: { summary: { type: string } }, required: [summary] }
`,
  'agents/broken/propose.mjs': "export default () => { throw new Error('the rules are broken') }\n",
}

interface Situation {
  readonly files: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** What the model server does; without one, the first candidate is taken. */
  readonly model?: readonly Reply[]
  /** Stops the run once the model was asked. */
  readonly signal?: 'SIGINT' | 'SIGKILL'
  readonly after?: readonly string[]
}

const lint = ['run', 'lint', '.', '--no-hub']
const linterAgain = reply.says({ calls: [{ tool: 'run_linter', args: {} }] })
const claims = reply.says({
  calls: [{ tool: 'submit_result', args: { summary: 'All fixed.', issues_fixed: 5, changed_files: [] } }],
})

const situations: Readonly<Record<string, Situation>> = {
  done: { files: { 'app.py': FIXABLE } },
  'nothing to do': { files: { 'app.py': 'A = 1\n' } },
  'problems left': { files: { 'app.py': UNKNOWN } },
  'tests failing': {
    files: { 'app.py': 'A = 1\n', 'test_app.py': FAILING },
    args: ['run', 'test', 'app.py', '--no-hub', '--trust'],
  },
  'claimed but not done': { files: { 'app.py': FIXABLE }, model: [claims] },
  loop: { files: { 'app.py': FIXABLE }, model: [linterAgain] },
  'turn limit': {
    files: { 'app.py': FIXABLE },
    model: [linterAgain],
    args: [...lint, '--max-turns', '2'],
  },
  // With a fault that is not tried again: other tests wait.
  'model gone': { files: { 'app.py': FIXABLE }, model: [linterAgain, reply.error(501, 'gone')] },
  cancelled: { files: { 'app.py': FIXABLE }, model: [linterAgain, reply.silence], signal: 'SIGINT' },
  killed: { files: { 'app.py': FIXABLE }, model: [linterAgain, reply.silence], signal: 'SIGKILL' },
  accepted: { files: { 'app.py': FIXABLE }, after: ['accept', '--last'] },
  rejected: { files: { 'app.py': FIXABLE }, after: ['reject', '--last'] },
  crashed: { files: { 'app.py': FIXABLE, ...CRASHING }, args: ['run', 'broken', '.', '--no-hub', '--trust'] },
}

const rows = tableIn(readFileSync(new URL('../../docs/running.md', import.meta.url), 'utf8'))

test('the table of the docs has every situation', () => {
  expect(rows.map((row) => row['what happened'])).toEqual(Object.keys(situations))
})

test.each(Object.entries(situations))('%s: every command says the same', async (name, situation) => {
  const row = rows.find((one) => one['what happened'] === name)
  if (!row) throw new Error(`docs/running.md has no row for "${name}"`)
  const { cwd, code, stdout, args } = await ranIn(situation)
  expect(codeWords(code)).toBe(row['exit code'])
  expect(firstWords(stdout)).toMatch(row['run'] === 'nothing' ? /^$/ : new RegExp(`^${row['run']}`))
  if (situation.after) expect((await twotrack(cwd, situation.after)).code).toBe(0)

  const said = async (...command: string[]) => (await twotrack(cwd, command)).stdout
  const standing = row['--json']?.replaceAll('`', '')
  if (row['runs'] === 'no log') {
    expect(await said('runs')).toMatch(
      /^No runs recorded here\..* or with a session of a harness that has the hook\./,
    )
    expect(await said('report')).toContain('No agent fits.')
    expect((await twotrack(cwd, ['show', '--last'])).code).toBe(2)
    expect(reportIn(await twotrack(cwd, [...args, '--json']))[0]).toMatchObject({ standing })
    return
  }
  expect(await said('runs')).toMatch(new RegExp(`#1 +${row['runs']}  +`))
  const counted = standing === 'accepted' || standing === 'rejected' ? 'done' : standing
  const totals = { done: 0, problems_left: 0, failed: 0, open: 0 }
  totals[isCounted(counted, totals) ? counted : 'failed']++
  expect(await said('report')).toContain(`| **agents** | 1 | ${countWords(totals)} |`)
  if (!situation.signal) expect(stdout).toContain(`1 agent: ${countWords(totals)};`)
  expect(await said('report')).toMatch(new RegExp(`## Done\\n\\nIt (ended as|is) ${row['report']}( \\(|:)`))
  expect(await said('show', '--last')).toMatch(
    new RegExp(`\\n +${row['show']}: [^\\n]+(\\n {17}[^\\n]+)*\\n$`),
  )
  const [listed] = JSON.parse(await said('runs', '--json')) as unknown[]
  expect(listed).toMatchObject({ standing })
  expect(JSON.parse(await said('report', '--json'))).toMatchObject({ agents: [{ standing }] })
  await expectIntact(cwd)
  if (situation.signal || situation.after) return
  expect(reportIn(await twotrack(cwd, [...args, '--json']))[0]).toMatchObject({ standing })
})

async function ranIn({ files, model, args = lint, signal }: Situation) {
  const cwd = folderWith(files)
  const server = model && (await modelServer(model))
  const all = [...args, ...(server ? ['--model', 'openai:test', '--url', `${server.url}/v1`] : [])]
  if (!signal) return { cwd, args: all, ...(await twotrack(cwd, all)) }
  const { child, ended } = start(cwd, all)
  await server?.received(model?.length ?? 1)
  child.kill(signal)
  return { cwd, args: all, ...(await ended) }
}

const isCounted = <T extends object>(name: PropertyKey | undefined, counts: T): name is keyof T =>
  name !== undefined && Object.hasOwn(counts, name)

const codeWords = (code: number | null): string => (code === null ? 'none' : String(code))

/** What is said of the only agent: its mark, and how its second line begins. */
function firstWords(stdout: string): string {
  const [first = '', second = ''] = stdout.split('\n')
  return /^[✓~✗]/.test(first) ? `${first[0]} ${second.trim()}` : first
}

/** The rows of the table that says what each command says of each situation. */
function tableIn(page: string): Readonly<Record<string, string>>[] {
  const [head = '', , ...lines] =
    page.slice(page.indexOf('| what happened |')).split('\n\n', 1)[0]?.split('\n') ?? []
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  const names = cells(head).map((name) => name.replaceAll('`', ''))
  return lines.map((line) => Object.fromEntries(cells(line).map((cell, at) => [names[at] ?? '', cell])))
}
