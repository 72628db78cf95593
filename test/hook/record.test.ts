import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { handoverOf, lastSession } from '../../src/app/handover.ts'
import { foldSpool } from '../../src/app/spool.ts'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Event } from '../../src/core/event/event.ts'
import { spool, spooledIn, spoolFolder } from '../../src/hook/spool.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { twotrack } from '../cli/run.ts'

const HOOK = fileURLToPath(new URL('../../src/app/hook-process.ts', import.meta.url))
const SESSION = '0b9d4f0e-5f64-4d0c-9d6b-1c1c7d6f2a11'
const AGENT = `claude-code-${SESSION}`

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'twotrack-hook-')))
  mkdirSync(join(root, '.git'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const told = (hook_event_name: string, more: object, session_id = SESSION) =>
  JSON.stringify({ session_id, cwd: root, hook_event_name, ...more })
const asked = (prompt: string) => told('UserPromptSubmit', { prompt })
const used = (id: string, tool_name: string, tool_input: object, tool_response: unknown) =>
  told('PostToolUse', { tool_name, tool_input, tool_response, tool_use_id: id })

const store = () => jsonlStore({ folder: join(root, '.agentfs') })
const tell = (payload: string, harness = 'claude-code') => spool(root, harness, Buffer.from(payload))

async function eventsOf(agentId = AGENT): Promise<Event[]> {
  const logs = store()
  expect(await foldSpool(root, logs, {})).toEqual([])
  const events: Event[] = []
  for await (const event of logs.read(agentId)) events.push(event)
  expect((await verifyLog(logs, agentId)).findings).toEqual([])
  await logs.close()
  return events
}

const callsOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'tool_call' ? [event.data.call_id] : []))

describe('the process that a harness starts', () => {
  const { PATH = '', XDG_STATE_HOME = '' } = process.env
  const env = { PATH, XDG_STATE_HOME, CLAUDE_PROJECT_DIR: '' }
  const run = (event: string, input: string, cwd = root) =>
    spawnSync(process.execPath, [HOOK, 'claude-code', event], { cwd, env, input, encoding: 'utf8' })

  test('spools what it is told, from wherever in the project, and says nothing', () => {
    mkdirSync(join(root, 'deep', 'er'), { recursive: true })
    const { status, stdout, stderr } = run('UserPromptSubmit', asked('Fix it'), join(root, 'deep', 'er'))
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(spooledIn(root)).toHaveLength(1)
  })

  test('never stops the harness: nothing to write to, nothing sensible to read', () => {
    writeFileSync(join(root, '.agentfs'), 'a file where the folder should be')
    for (const event of ['PostToolUse', 'SessionStart']) {
      const { status, stdout } = run(event, 'no JSON')
      expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
    }
  })

  test.skipIf(process.platform === 'win32')('a full disk leaves nothing half made behind', async () => {
    // No byte may be written: what a full disk says.
    const hook = ['-c', `ulimit -f 0; "${process.execPath}" "${HOOK}" claude-code UserPromptSubmit`]
    const full = () => spawnSync('bash', hook, { cwd: root, env, input: asked('Fix it'), encoding: 'utf8' })
    expect(full()).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('twotrack hook') })
    expect(readdirSync(root)).toEqual(['.git'])
    run('UserPromptSubmit', asked('Fix it'))
    expect(full().status).toBe(0)
    expect(readdirSync(spoolFolder(root))).toHaveLength(1)
    expect((await twotrack(root, ['runs', '--json'])).stdout).toContain(AGENT)
    expect((await twotrack(root, ['show', AGENT])).stdout).toMatch(/open: a session recorded as it goes\n$/)
  })

  test('parallel ones are all kept', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `toolu_${at}`)
    await Promise.all(
      ids.map(async (id) => {
        const hook = spawn(process.execPath, [HOOK, 'claude-code', 'PostToolUse'], { cwd: root, env })
        hook.stdin.end(used(id, 'Bash', { command: 'ls' }, { stdout: id, stderr: '' }))
        await once(hook, 'close')
      }),
    )
    expect(callsOf(await eventsOf()).sort()).toEqual([...ids].sort())
  })

  test('gives the packet back on startup, clear and compact, and not on resume', async () => {
    await tell(asked('Make the tests pass'))
    await tell(used('toolu_1', 'Bash', { command: 'npm test' }, { stdout: '1 failed, 3 passed', stderr: '' }))
    const given = (source: string, session: string) => {
      const { stdout } = run('SessionStart', told('SessionStart', { source }, session))
      return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
    }
    expect(given('resume', SESSION)).toBe('')
    expect(given('compact', SESSION)).toContain('Make the tests pass')
    expect(given('startup', 'another')).toContain('1 failed, 3 passed')
    expect(given('clear', 'another')).toContain(AGENT)
    expect(spooledIn(root)).toEqual([])
  })
})

describe('what was spooled is recorded', () => {
  test('in the order of things, once, whoever looks how often', async () => {
    await tell(asked('Fix the total'))
    await tell(
      used('toolu_1', 'Bash', { command: 'pytest' }, { stdout: '1 failed', stderr: '', interrupted: false }),
    )
    const first = await eventsOf()
    await tell(
      told('PostToolUseFailure', {
        tool_name: 'Bash',
        tool_input: { command: 'x' },
        tool_use_id: 'toolu_2',
        error: 'Exit code 1\nno',
      }),
    )
    await tell(told('Stop', { last_assistant_message: 'The total is off by one.' }))
    const events = await eventsOf()
    expect(events.slice(0, first.length)).toEqual(first)
    expect(callsOf(events)).toEqual(['toolu_1', 'toolu_2'])
    expect(events.map(({ type }) => type)).toEqual([
      ...['run_start', 'person_message', 'turn_start', 'tool_call', 'tool_result'],
      ...['turn_start', 'tool_call', 'tool_result', 'turn_start', 'model_response'],
    ])
    expect(await eventsOf()).toEqual(events)
    expect(readdirSync(spoolFolder(root))).toEqual([])
  })

  test('once, also where a reader was killed between the log and the spool', async () => {
    await tell(asked('Fix the total'))
    await tell(used('toolu_1', 'Bash', { command: 'ls' }, { stdout: 'a.py', stderr: '' }))
    // The files as they were before the log had them: so they stand after a kill.
    const before = spooledIn(root).map((name) => `${name}.event`)
    const { readFileSync } = await import('node:fs')
    const kept = before.map((name) => readFileSync(join(spoolFolder(root), name)))
    const events = await eventsOf()
    for (const [at, name] of before.entries()) writeFileSync(join(spoolFolder(root), name), kept[at] ?? '')
    await tell(used('toolu_2', 'Bash', { command: 'ls' }, { stdout: 'b.py', stderr: '' }))
    const again = await eventsOf()
    expect(again.slice(0, events.length)).toEqual(events)
    expect(callsOf(again)).toEqual(['toolu_1', 'toolu_2'])
    expect(spooledIn(root)).toEqual([])
  })

  test('once, by readers at the same time', async () => {
    await tell(asked('Fix the total'))
    for (let at = 0; at < 20; at++)
      await tell(used(`t${at}`, 'Bash', { command: 'ls' }, { stdout: 'x', stderr: '' }))
    const stores = [store(), store(), store()]
    expect(await Promise.all(stores.map((one) => foldSpool(root, one, {})))).toEqual([[], [], []])
    await Promise.all(stores.map((one) => one.close()))
    expect(callsOf(await eventsOf())).toEqual(Array.from({ length: 20 }, (_, at) => `t${at}`))
  })

  test('what nobody can read is set aside, and stops nothing', async () => {
    await tell('no JSON')
    await tell(asked('Fix it'), 'some-other-harness')
    writeFileSync(join(spoolFolder(root), '1-1-1.event'), 'no head either')
    await tell(asked('Fix the total'))
    expect((await eventsOf()).map(({ type }) => type)).toEqual(['run_start', 'person_message'])
    expect(readdirSync(spoolFolder(root)).filter((name) => name.endsWith('.bad'))).toHaveLength(3)
  })

  test('a helper has a log of its own, of the same run', async () => {
    await tell(asked('Fix it'))
    await tell(
      told('PostToolUse', {
        agent_id: 'a1',
        agent_type: 'Explore',
        tool_name: 'Glob',
        tool_input: { pattern: '*' },
        tool_response: { filenames: ['a.py'] },
        tool_use_id: 'h',
      }),
    )
    const events = await eventsOf(`${AGENT}-a1`)
    expect(callsOf(events)).toEqual(['h'])
    expect(events[0]?.run_id).toBe(AGENT)
    const logs = store()
    expect(await lastSession(logs)).toBe(AGENT)
    await logs.close()
  })

  test('results reach the packet as the text of their files, whatever they were packed in', async () => {
    const path = join(root, 'cart.py')
    await tell(asked('Fix it'))
    const file = { filePath: path, content: 'def total(items):\n    return sum(items) + 1\n', startLine: 1 }
    await tell(used('t1', 'Read', { file_path: path }, { type: 'text', file }))
    await tell(
      used('t2', 'mcp__fs__list_directory', { path: root }, [
        { type: 'text', text: '[FILE] cart.py\n[DIR] tests' },
      ]),
    )
    await tell(
      used('t3', 'mcp__fs__read_text_file', { path: 'cart.py' }, [{ type: 'text', text: file.content }]),
    )
    await eventsOf()
    const logs = store()
    const { text } = await handoverOf(logs, AGENT)
    await logs.close()
    expect(text).toContain('def total(items):\n    return sum(items) + 1')
    expect(text.match(/return sum\(items\) \+ 1/g)).toHaveLength(1)
    expect(text).toContain('[FILE] cart.py')
  })

  test("Codex's and OpenCode's", async () => {
    await tell(used('c1', 'Bash', { command: 'cat cart.py' }, 'def total(items):\n'), 'codex')
    expect(callsOf(await eventsOf(`codex-${SESSION}`))).toEqual(['c1'])
    const state = {
      status: 'completed',
      input: { filePath: 'cart.py' },
      output: '<content>',
      time: { start: 1, end: 5 },
    }
    const display = { type: 'file', path: 'cart.py', text: 'def total(items):' }
    const part = { id: 'p', messageID: 'm', type: 'tool', tool: 'read', callID: 'o1' }
    await tell(JSON.stringify({ session: 'ses_1', said: 'Fix it' }), 'opencode')
    await tell(
      JSON.stringify({ session: 'ses_1', part: { ...part, state: { ...state, metadata: { display } } } }),
      'opencode',
    )
    const events = await eventsOf('opencode-ses_1')
    expect(callsOf(events)).toEqual(['o1'])
    expect(events.at(-1)).toMatchObject({
      data: { duration_ms: 4 },
      raw: { raw_output: 'def total(items):' },
    })
  })
})

test('redact takes out what no log has yet', async () => {
  const said = 'Ada "the first" Byron'
  await tell(used('t1', 'Bash', { command: `echo ${said}` }, { stdout: `${said}\nother words`, stderr: '' }))
  // The sentence of such a step quotes it, with other quotation marks.
  await tell(used('t2', 'Bash', { command: 'make name' }, { stdout: said, stderr: '' }))
  const { code, stderr } = await twotrack(root, ['redact', said, '--yes'])
  expect(code, stderr).toBe(0)
  expect(spooledIn(root)).toEqual([])
  const [, result] = (await eventsOf()).filter(({ redacted }) => redacted)
  expect(result?.raw).toMatchObject({ raw_output: '[redacted]\nother words' })
  for (const file of readdirSync(join(root, '.agentfs'), { recursive: true, withFileTypes: true }))
    if (file.isFile())
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toMatch(/Ada|Byron/)
})

test('a handover is as short as it is asked to be', async () => {
  await tell(asked('Fix it'))
  for (let at = 0; at < 30; at++)
    await tell(
      used(
        `t${at}`,
        'Bash',
        { command: `cat f${at}.py` },
        { stdout: `value_${at} = ${at}\n`.repeat(200), stderr: '' },
      ),
    )
  await eventsOf()
  const logs = store()
  for (const limit of [{ tokens: 400 }, { chars: 2_000 }, { tokens: 1_200, chars: 9_000 }]) {
    const { text, tokens } = await handoverOf(logs, AGENT, limit)
    expect(tokens).toBeLessThanOrEqual(limit.tokens ?? 10_000)
    expect(text.length).toBeLessThanOrEqual(limit.chars ?? 100_000)
    expect(text).toContain('Fix it')
  }
  await logs.close()
})
