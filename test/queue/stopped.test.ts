import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { folderWith, jsonLines, twotrack } from '../cli/run.ts'
import { postgresServer } from '../postgres-server.ts'
import { reportIn, start } from '../scenario/project.ts'

const server = await postgresServer()
const isThere = typeof server !== 'string'
if (!isThere) console.warn(`skipped: a worker that stands still ${server}`)
else afterAll(server.dispose)

const MARKING = `
name: marking
description: Runs a command.
languages: [python]
node_types: [file]
prompt: Run it.
node_template: Run it for {{file_path}}.
tools: [run_command]
commands: [{ program: node, starts: [mark.cjs] }]
submit: { type: object, properties: { summary: { type: string } }, required: [summary] }
candidates:
  - when: { called_below: { run_command: 1 } }
    tool: run_command
    args: { argv: [node, mark.cjs] }
    reason: first
  - tool: submit_result
    args: { summary: marked }
    reason: then
`

test.skipIf(!isThere)(
  'a worker that stood still in the middle of an effect, and goes on, writes nothing; the effect is not done twice',
  async () => {
    const [marks, goesOn] = [join(folderWith(), 'marks'), join(folderWith(), 'goes-on')]
    const mark = `const fs = require('node:fs')
      fs.appendFileSync(${JSON.stringify(marks)}, 'x')
      setInterval(() => fs.existsSync(${JSON.stringify(goesOn)}) && process.exit(), 50)`
    const cwd = folderWith({ 'app.py': 'A = 1\n', 'agents/marking/agent.yaml': MARKING, 'mark.cjs': mark })
    const env = {
      XDG_STATE_HOME: folderWith(),
      TWOTRACK_RUNNER_MEMORY_TRACE_STORE: 'postgres',
      TWOTRACK_RUNNER_MEMORY_URL: isThere ? server.url : '',
      TWOTRACK_RUNNER_MEMORY_PROJECT: randomUUID(),
      TWOTRACK_RUNNER_MEMORY_LEASE_MS: '1500',
    }
    const marked = () => {
      try {
        return readFileSync(marks, 'utf8')
      } catch {
        return ''
      }
    }
    const run = start(cwd, ['run', 'marking', 'app.py', '--queue', '--trust', '--no-hub', '--json'], env)
    const still = start(folderWith(), ['worker', '--trust', '--json'], env)
    await expect.poll(marked, { timeout: 60_000 }).toBe('x')
    still.child.kill('SIGSTOP')
    const other = start(folderWith(), ['worker', '--trust', '--json'], env)
    const [done] = reportIn(await run.ended)
    expect(done?.stop.reason).toBe('submitted')
    const log = async () => (await twotrack(cwd, ['export', 'marking#1'], { env })).stdout
    const before = await log()

    writeFileSync(goesOn, '')
    still.child.kill('SIGCONT')
    await expect.poll(still.stdout, { timeout: 60_000 }).toContain('"what":"lost"')
    expect(await log()).toBe(before)
    expect(marked()).toBe('x')
    const events = jsonLines(before) as { type: string; data: Record<string, unknown> }[]
    expect(events.filter(({ type }) => type === 'run_end')).toHaveLength(1)
    const results = events.filter(({ type }) => type === 'tool_result')
    expect(JSON.stringify(results[0])).toContain('may or may not have happened')
    expect(await twotrack(cwd, ['verify'], { env })).toMatchObject({ code: 0 })
    for (const { child, ended } of [still, other]) {
      child.kill()
      expect((await ended).code).toBe(0)
    }
  },
)
