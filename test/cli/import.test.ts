import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { spool } from '../../src/hook/spool.ts'
import {
  AGENT,
  contentsOf,
  folderWith,
  imported,
  jsonLines,
  storeKinds,
  TRAJECTORY,
  twotrack,
} from './run.ts'

const chat = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Why does the build fail?' },
  {
    role: 'assistant',
    content: 'I look.',
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } },
      { id: 'b', type: 'function', function: { name: 'cat', arguments: '{"path":"Makefile"}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: 'Makefile\nsrc' },
  { role: 'tool', tool_call_id: 'b', content: 'all:\n\tcc -o app src/main.c\n' },
  { role: 'user', content: 'Leave the Makefile alone.' },
  { role: 'assistant', content: 'src/main.c is missing.' },
]

const sessionOf = (sessionId: string): string =>
  [
    { type: 'user', message: { role: 'user', content: 'Fix it' } },
    {
      type: 'assistant',
      message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    },
  ]
    .map((line, at) => JSON.stringify({ sessionId, uuid: `u${at}`, isSidechain: false, ...line }))
    .join('\n')

describe('import', () => {
  test.each(storeKinds)('records a trajectory into the %s store and says what to do next', async (store) => {
    const cwd = folderWith()
    const { code, stdout } = await twotrack(cwd, ['import', TRAJECTORY, '--store', store])
    expect(code).toBe(0)
    expect(stdout).toContain(AGENT)
    expect(stdout).toContain(`Next: twotrack show ${AGENT} `)
    expect(stdout).toContain(`replay ${AGENT} --turn 3 `)
    const again = await twotrack(cwd, ['import', TRAJECTORY, '--store', store])
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/here already: recorded by an import/),
    })
    // Another file of that name is another recording, and a name that was asked for has to be free.
    const elsewhere = folderWith({
      'other/chat.json': '[{"role":"user","content":"Hi"}]',
      'chat.json': JSON.stringify(chat),
    })
    await twotrack(elsewhere, ['import', 'chat.json', '--store', store])
    for (const isHere of [false, true]) {
      const { stdout } = await twotrack(elsewhere, ['import', 'other/chat.json', '--store', store, '--json'])
      expect(JSON.parse(stdout)).toMatchObject([
        { agent_id: expect.stringMatching(/^import-chat-[0-9a-f]{8}$/), is_here: isHere },
      ])
    }
    const taken = ['import', 'chat.json', '--agent', 'import-chat', '--store', store]
    expect(await twotrack(elsewhere, taken)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has a log already'),
    })
  })

  test('a session that a hook recorded is one log, and can be imported beside it', async () => {
    const cwd = folderWith({ 's.jsonl': sessionOf('s1'), '.git/HEAD': '' })
    const said = { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: 'Fix it' }
    await spool(cwd, 'claude-code', Buffer.from(JSON.stringify(said)))
    const known = await twotrack(cwd, ['import', 's.jsonl'])
    expect(known).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('claude-code-s1 is here already: recorded by a hook'),
    })
    const beside = await twotrack(cwd, ['import', 's.jsonl', '--agent', 'whole'])
    expect(beside).toMatchObject({ code: 0, stdout: expect.stringContaining('whole') })
    const [row] = JSON.parse((await twotrack(cwd, ['import', 's.jsonl', '--json'])).stdout)
    expect(row).toMatchObject({ agent_id: 'claude-code-s1', is_here: true, recorded: 'by a hook' })
  })

  test('the replay that it suggests is of a turn that there is', async () => {
    const cwd = folderWith({ 'chat.json': JSON.stringify(chat) })
    const { stdout } = await twotrack(cwd, ['import', 'chat.json'])
    const [, turn] = /replay \S+ --turn (\d+) /.exec(stdout) ?? []
    expect(turn).toBe('2')
    expect((await twotrack(cwd, ['replay', 'import-chat', '--turn', String(turn)])).code).toBe(0)
  })

  test('--views in memory leaves nothing behind; each turn is one line, the same that a replay from disk gives', async () => {
    const cwd = folderWith()
    const before = contentsOf(cwd)
    const live = await twotrack(cwd, ['import', TRAJECTORY, '--views', '--store', 'memory'])
    expect(live).toMatchObject({ code: 0, stderr: '' })
    expect(contentsOf(cwd)).toEqual(before)
    const views = jsonLines(live.stdout)
    expect(views).toHaveLength(10)
    for (const [at, view] of views.entries()) {
      expect(view).toEqual({ turn: at + 1, view: expect.stringContaining(`turn ${at + 1}`) })
    }
    const replayed = await twotrack(await imported(), ['replay', AGENT, '--views'])
    expect(replayed.stdout).toBe(live.stdout)
  })

  test('a chat from standard input, with what the user said in between', async () => {
    const cwd = folderWith()
    const live = await twotrack(cwd, ['import', '-', '--agent', 'build', '--views'], {
      input: JSON.stringify(chat),
    })
    expect(live.code).toBe(0)
    expect(jsonLines(live.stdout)).toMatchObject([{ turn: 1 }, { turn: 2 }])
    expect(live.stdout).toContain('Leave the Makefile alone.')
    const replayed = await twotrack(cwd, ['replay', 'build', '--views'])
    expect(replayed.stdout).toBe(live.stdout)
    const shown = await twotrack(cwd, ['show', 'build'])
    expect(shown.stdout).toContain('person Leave the Makefile alone.')
  })

  test('several calls with one turn number are one turn', async () => {
    const action = (turn: number, tool: string) => ({
      turn,
      tool,
      args: {},
      raw_output: `from ${tool}`,
      is_error: false,
    })
    const lines = [{ meta: { task: 'look' } }, action(1, 'ls'), action(1, 'cat'), action(2, 'rm')]
    const input = lines.map((line) => JSON.stringify(line)).join('\n')
    const cwd = folderWith()
    const live = await twotrack(cwd, ['import', '-', '--views', '--agent', 'two'], { input })
    expect(jsonLines(live.stdout)).toMatchObject([{ turn: 1 }, { turn: 2 }])
    expect((await twotrack(cwd, ['replay', 'two', '--views'])).stdout).toBe(live.stdout)
  })

  test('of several files the good ones are recorded, the bad one is named, and the exit code is 1', async () => {
    const cwd = folderWith({ 'chat.json': JSON.stringify(chat), 'notes.jsonl': 'just words\n' })
    const { code, stdout, stderr } = await twotrack(cwd, [
      'import',
      'chat.json',
      'notes.jsonl',
      TRAJECTORY,
      '--json',
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('notes.jsonl is not a recording')
    expect(JSON.parse(stdout)).toMatchObject([
      { agent_id: 'import-chat', calls: 2 },
      { agent_id: AGENT, turns: 10 },
    ])
  })

  test('--agent with several files is refused', async () => {
    const cwd = folderWith()
    const { code, stderr } = await twotrack(cwd, ['import', TRAJECTORY, TRAJECTORY, '--agent', 'x'])
    expect(code).toBe(2)
    expect(stderr).toContain('one file at a time')
  })

  test('without views the memory store says that nothing was kept', async () => {
    const { stdout } = await twotrack(folderWith(), ['import', TRAJECTORY, '--store', 'memory'])
    expect(stdout).toContain('Nothing was kept')
    expect(stdout).not.toContain('Next:')
  })

  test('raw output comes back byte for byte, also past the size at which it becomes a blob', async () => {
    const outputs = ['', 'a\r\nb\u0000\u001b[31m\ud83d\ude00\n', 'x'.repeat(100_000)]
    const lines = [
      { meta: { task: 'look' } },
      ...outputs.map((raw_output, at) => ({ turn: at + 1, tool: 'cat', args: {}, raw_output })),
    ]
    const cwd = folderWith({ 'raw.jsonl': lines.map((line) => JSON.stringify(line)).join('\n') })
    for (const store of storeKinds) {
      await twotrack(cwd, ['import', 'raw.jsonl', '--store', store])
      for (const [at, output] of outputs.entries()) {
        const args = ['show', 'import-raw', '--event', String(at * 3 + 4), '--raw', '--store', store]
        expect((await twotrack(cwd, args)).stdout).toBe(output)
      }
    }
  })

  test('messages that were exported can be imported again', async () => {
    const cwd = await imported()
    const { stdout } = await twotrack(cwd, ['export', AGENT, '--format', 'messages'])
    const again = await twotrack(cwd, ['import', '-', '--agent', 'again', '--json'], { input: stdout })
    expect(JSON.parse(again.stdout)).toMatchObject([{ agent_id: 'again', turns: 10, calls: 10 }])
    const raw = readFileSync(join(TRAJECTORY), 'utf8').split('\n')[1] ?? ''
    const shown = await twotrack(cwd, ['show', 'again', '--event', '4', '--raw'])
    expect(shown.stdout).toBe(JSON.parse(raw).raw_output)
  })
})
