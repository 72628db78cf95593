import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
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

/** A project whose agent runs a command that leaves a mark and goes on until it may end; and who does what with it. */
function marking() {
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
  return {
    run: start(cwd, ['run', 'marking', 'app.py', '--queue', '--trust', '--no-hub', '--json'], env),
    worker: () => start(folderWith(), ['worker', '--trust', '--json'], env),
    at: (...args: string[]) => twotrack(cwd, args, { env }),
    marked: () => (existsSync(marks) ? readFileSync(marks, 'utf8') : ''),
    goOn: () => writeFileSync(goesOn, ''),
  }
}

test.skipIf(!isThere)(
  'a worker that stood still in the middle of an effect, and goes on, writes nothing; the effect is not done twice',
  async () => {
    const { run, worker, at, marked, goOn } = marking()
    const still = worker()
    await expect.poll(marked, { timeout: 60_000 }).toBe('x')
    still.child.kill('SIGSTOP')
    const other = worker()
    const [done] = reportIn(await run.ended)
    expect(done?.stop.reason).toBe('submitted')
    const log = async () => (await at('export', 'marking#1')).stdout
    const before = await log()

    goOn()
    still.child.kill('SIGCONT')
    await expect.poll(still.stdout, { timeout: 60_000 }).toContain('"what":"lost"')
    expect(await log()).toBe(before)
    expect(marked()).toBe('x')
    const events = jsonLines(before) as { type: string; data: Record<string, unknown> }[]
    expect(events.filter(({ type }) => type === 'run_end')).toHaveLength(1)
    const results = events.filter(({ type }) => type === 'tool_result')
    expect(JSON.stringify(results[0])).toContain('may or may not have happened')
    expect(await at('verify')).toMatchObject({ code: 0 })
    for (const { child, ended } of [still, other]) {
      child.kill()
      expect((await ended).code).toBe(0)
    }
  },
)

test.skipIf(!isThere)(
  'a worker stops the agent of a job that is cancelled, and counts it as that',
  async () => {
    const { run, worker, at, marked } = marking()
    const { child, ended, stdout } = worker()
    await expect.poll(marked, { timeout: 60_000 }).toBe('x')
    expect((await at('queue', 'cancel', '--all')).stdout).toContain('1 job cancelled')
    await expect.poll(stdout, { timeout: 60_000 }).toContain('"what":"cancelled"')
    expect((await run.ended).code).toBe(130)
    const events = jsonLines((await at('export', 'marking#1')).stdout) as { type: string; data: unknown }[]
    expect(events.at(-1)).toMatchObject({ type: 'run_end', data: { reason: 'cancelled' } })
    child.kill()
    expect((await ended).stdout).toContain('0 done, 0 failed, 1 cancelled,')
  },
)
