import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Event } from '../../src/core/event/event.ts'
import { findSessionFiles, helperFiles } from '../../src/import/find.ts'
import type { Session } from '../../src/import/format.ts'
import { readSessions, readTrajectory } from '../../src/import/read.ts'
import { recordTrajectory } from '../../src/import/record.ts'
import { Memory } from '../../src/memory.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { countedIn } from './counted.ts'
import { SOURCE, TASK } from './sample.ts'
import { SESSIONS } from './sessions.ts'

const folder = mkdtempSync(join(tmpdir(), 'twotrack-import-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileOf(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return path
}

async function recorded(session: Session) {
  const store = memoryStore()
  const done = await recordTrajectory(session, { store, agentId: 'a', secrets: 'off' })
  const events: Event[] = []
  for await (const event of store.read('a')) events.push(event)
  expect((await verifyLog(store, 'a')).findings).toEqual([])
  const { packet } = await Memory.open({ store, agentId: 'a' })
  return {
    ...done,
    events,
    packet,
    of: <T extends Event['type']>(type: T) => events.filter((event) => event.type === type),
  }
}

describe.each(Object.entries(SESSIONS))('a session of %s', (name, sample) => {
  const path = fileOf(`${name}.json`, sample.text)

  test('has every call and answer of its source, by a second reading too', async () => {
    const sessions = readSessions(path)
    expect(sessions).toHaveLength(1 + (sample.helpers ?? 0))
    let [calls, answers] = [0, 0]
    for (const session of sessions) {
      const { of } = await recorded(session)
      calls += of('tool_call').length
      answers += of('tool_result').length
    }
    expect({ calls, answers }).toEqual(countedIn(sample.text))
    const [main] = sessions
    const { events, of, packet } = await recorded(main as Session)
    expect(of('tool_call')).toHaveLength(sample.calls)
    expect(of('tool_result')).toHaveLength(sample.answers)
    expect(packet.goal).toBe(TASK)
    expect(of('tool_result').some((event) => JSON.stringify(event.data).includes('"success"'))).toBe(true)
    expect(of('tool_result').every((event) => JSON.stringify(event.data).includes('"success"'))).toBe(false)
    expect(JSON.stringify(events)).toContain('sum(items) + 1')
  })

  test('keeps times, models, tokens and thoughts', async () => {
    const [main] = readSessions(path)
    const { events, of } = await recorded(main as Session)
    if (sample.model === undefined) return
    expect(events.every(({ timestamp }) => timestamp.startsWith('2026-05-01T10:00'))).toBe(true)
    const responses = of('model_response').map((event) => JSON.parse(JSON.stringify(event)))
    expect(responses.some(({ data }) => data.model === sample.model)).toBe(true)
    expect(responses.map(({ data }) => data.usage?.prompt_tokens)).toContain(sample.tokens)
    expect(JSON.stringify(responses)).toMatch(/Odd|odd/)
  })

  test('reads the same from a text', async () => {
    const [main] = readSessions(path)
    const ofText = await recorded(readTrajectory(sample.text, 'x') as Session)
    expect(ofText.calls).toBe((await recorded(main as Session)).calls)
  })

  test('is imported in spite of lines that are broken, which are told', async () => {
    if (!sample.text.trim().includes('\n')) return
    const lines = sample.text.trim().split('\n')
    const broken = [...lines.slice(0, 3), '{"type": "assist', ...lines.slice(3), '\u0000\u0001'].join('\n')
    const [main] = readSessions(fileOf(`${name}-broken.jsonl`, broken))
    const { remarks, calls } = await recorded(main as Session)
    expect(remarks.filter((text) => text.includes('passed over'))).toEqual([
      expect.stringContaining('line 4'),
      expect.stringContaining(`line ${lines.length + 2}`),
    ])
    expect(calls).toBe(sample.calls)
  })
})

test("OpenCode's database has what it exports", async () => {
  const path = join(folder, 'opencode.db')
  const database = new DatabaseSync(path)
  database.exec(`CREATE TABLE session (id, parent_id, directory, title, version, time_created);
    CREATE TABLE message (id, session_id, time_created, data); CREATE TABLE part (id, message_id, data)`)
  const { info, messages } = JSON.parse(SESSIONS['OpenCode']?.text ?? '')
  database
    .prepare('INSERT INTO session VALUES (?, NULL, ?, ?, ?, ?)')
    .run(info.id, info.directory, info.title, info.version, info.time.created)
  for (const { info: message, parts } of messages) {
    database
      .prepare('INSERT INTO message VALUES (?, ?, ?, ?)')
      .run(message.id, info.id, message.time.created, JSON.stringify({ ...message, id: undefined }))
    for (const [at, part] of parts.entries())
      database
        .prepare('INSERT INTO part VALUES (?, ?, ?)')
        .run(`p${at}`, message.id, JSON.stringify({ ...part, id: undefined }))
  }
  database.close()
  const [session] = readSessions(path)
  const { calls, turns, packet } = await recorded(session as Session)
  const exported = await recorded(readTrajectory(SESSIONS['OpenCode']?.text ?? '', 'x') as Session)
  expect({ calls, turns, goal: packet.goal }).toEqual({
    calls: exported.calls,
    turns: exported.turns,
    goal: TASK,
  })
  const other = new DatabaseSync(join(folder, 'other.db'))
  other.exec('CREATE TABLE t (a)')
  other.close()
  expect(() => readSessions(join(folder, 'other.db'))).toThrow("not one of OpenCode's")
})

test('an exact request is kept with its answer, each message once', async () => {
  const { of } = await recorded(readTrajectory(SESSIONS['Claude Code']?.text ?? '', 'x') as Session)
  const completions = of('model_response').map((event) => JSON.stringify(event.raw ?? {}))
  const kept = completions.filter((text) => text.includes('The exact words'))
  expect(kept).toHaveLength(1)
  expect(kept[0]).toContain('You fix bugs.')
  expect(kept[0]).toContain('Line 2 adds one.')
})

test('an answer of Claude Code that is a text, not blocks, keeps its words', () => {
  const line = (type: string, content: string) =>
    JSON.stringify({ type, sessionId: 's', message: { role: type, content } })
  const { steps } = readTrajectory([line('user', TASK), line('assistant', 'It adds one.')].join('\n'), 'x')
  expect(steps instanceof Object && [...(steps as Iterable<object>)]).toMatchObject([
    { kind: 'person', text: TASK },
    { kind: 'model', text: 'It adds one.' },
  ])
})

test('calls of one answer are one turn, in the order in which they were made and answered', async () => {
  const { of } = await recorded(readTrajectory(SESSIONS['Codex']?.text ?? '', 'x') as Session)
  const order = [...of('tool_call'), ...of('tool_result')].map(({ turn, seq, type }) => ({ turn, seq, type }))
  expect(order.map(({ turn }) => turn)).toEqual([1, 1, 2, 1, 1, 2])
  expect(of('tool_result')[0]?.data).toMatchObject({ duration_ms: 1500 })
})

test('what a program says of itself is a note, and an action that is no call is one', async () => {
  const session = readTrajectory(SESSIONS['ATIF without names of calls']?.text ?? '', 'x') as Session
  const { of } = await recorded(session)
  expect(of('candidates').map(({ data }) => data)).toEqual([
    { by: 'harness', note: 'The context was made shorter.' },
  ])
  expect(of('tool_call').map((event) => JSON.parse(JSON.stringify(event.data)).tool)).toEqual([
    'bash',
    'action',
  ])
})

test('a trajectory of mini-swe-agent with tool calls keeps its model, tokens and times', async () => {
  const call = { id: 'c', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }
  const usage = { prompt_tokens: 7, completion_tokens: 2 }
  const extra = { timestamp: 1_777_629_600, response: { model: 'gpt-x', usage } }
  const messages = [
    { role: 'user', content: TASK },
    { role: 'assistant', content: 'I look.', tool_calls: [call], extra },
    { role: 'tool', tool_call_id: 'c', content: 'cart.py' },
  ]
  const text = JSON.stringify({ trajectory_format: 'mini-swe-agent-1.1', messages })
  const { of } = await recorded(readTrajectory(text, 'x') as Session)
  expect(of('model_response')[0]).toMatchObject({
    timestamp: '2026-05-01T10:00:00.000Z',
    data: { model: 'gpt-x', text: 'I look.', usage },
  })
  expect(of('tool_call')[0]?.data).toMatchObject({ call_id: 'c', tool: 'bash', args: { command: 'ls' } })
  expect(of('tool_result')[0]?.raw).toMatchObject({ raw_output: 'cart.py' })
})

test('a file that was read is in the packet as its text', async () => {
  for (const name of ['Codex', 'Gemini CLI', 'OpenCode', 'SWE-agent', 'ATIF', 'Claude Code']) {
    const { packet } = await recorded(readTrajectory(SESSIONS[name]?.text ?? '', 'x') as Session)
    expect(JSON.stringify(packet), name).toContain(JSON.stringify(SOURCE.split('\n')[0]).slice(1, -1))
  }
})

test('sessions are found where the harnesses keep them', () => {
  const home = join(folder, 'home')
  const paths = [
    ...['.claude/projects/-srv-shop/s-1.jsonl', '.codex/sessions/2026/05/01/rollout-x.jsonl'],
    ...['.gemini/tmp/abc/chats/session-1.json', '.local/share/opencode/opencode.db'],
  ]
  for (const path of paths) fileOf(join('home', path), '{}')
  fileOf('home/.claude/projects/-srv-shop/s-1/subagents/agent-a1.jsonl', '{}')
  fileOf('home/.claude/history.jsonl', '{}')
  // One that a program began and wrote nothing into, and a link that leads to itself.
  fileOf('home/.claude/projects/-srv-shop/s-2.jsonl', '')
  symlinkSync('s-3.jsonl', join(home, '.claude/projects/-srv-shop/s-3.jsonl'))
  expect(
    findSessionFiles(home, {})
      .map(({ path }) => path)
      .sort(),
  ).toEqual(paths.map((path) => join(home, path)).sort())
  expect(findSessionFiles(home, {}, 'codex')).toHaveLength(1)
  expect(findSessionFiles(home, { CODEX_HOME: join(home, 'else') }, 'codex')).toEqual([])
  // It names the home, not the folder in it.
  expect(findSessionFiles('/nowhere', { GEMINI_CLI_HOME: home }, 'gemini')).toHaveLength(1)
  expect(helperFiles(join(home, paths[0] ?? ''))).toHaveLength(1)
})

/** Real sessions of other people, fetched by hand: `TWOTRACK_SAMPLES=FOLDER`. */
const samples = process.env['TWOTRACK_SAMPLES']
const files =
  samples === undefined
    ? []
    : readdirSync(samples, { recursive: true, encoding: 'utf8' }).map((name) => join(samples, name))

describe.skipIf(files.length === 0)('real sessions (skipped without TWOTRACK_SAMPLES)', () => {
  test.each(files.filter((path) => /\.(?:jsonl?|traj)$/.test(path) && statSync(path).isFile()))(
    '%s',
    async (path) => {
      let [calls, answers] = [0, 0]
      for (const session of readSessions(path)) {
        const { of } = await recorded(session)
        calls += of('tool_call').length
        answers += of('tool_result').length
      }
      expect({ calls, answers }).toEqual(countedIn(readFileSync(path, 'utf8')))
    },
    300_000,
  )
})
