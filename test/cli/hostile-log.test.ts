import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { visible, visibleJson } from '../../src/audit/visible.ts'
import { Memory } from '../../src/memory.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { HIDDEN as ANY_HIDDEN } from '../../src/text/sanitize.ts'
import { hasShared, readSharedLines } from '../core/view/shared.ts'
import { folderWith, twotrack } from './run.ts'

/** A title of the window, a link, a clearing of the screen, text that is read backwards, text that nobody sees. */
const EVIL =
  'x\u001b]0;owned\u0007\u001b]8;;http://evil.example\u0007link\u001b[2J\u009b1m\u202egnp.exe\u2066\u200b\rOK\u0008'
const HIDDEN = EVIL.match(ANY_HIDDEN) ?? []

/** A log in which everything that a tool, a model, a definition or a person may say is hostile. */
async function hostile(): Promise<string> {
  const cwd = folderWith({})
  const store = jsonlStore({ folder: join(cwd, '.agentfs') })
  const tool = { name: 'run', description: EVIL, parameters: { type: 'object', description: EVIL } }
  const memory = await Memory.open({
    ...{ store, agentId: 'a', goal: `Go ${EVIL}`, instructions: EVIL, safety: [EVIL], tools: [tool] },
    origin: { agent: EVIL, file_path: EVIL },
  })
  await memory.startTurn()
  const prompt = await memory.prompt()
  await memory.recordRequest(prompt, `model ${EVIL}`)
  await memory.recordResponse({ model: `model ${EVIL}`, text: EVIL, completion: EVIL })
  await memory.recordToolRun({ tool: 'run', args: { command: EVIL } }, () => EVIL)
  await memory.recordToolRun({ tool: `t${EVIL}`, args: { [EVIL]: EVIL } }, () => ({
    error: true,
    message: EVIL,
  }))
  await memory.recordToolRun({ tool: 'run', args: {} }, () => Promise.reject(new Error(EVIL))).catch(() => {})
  await memory.say(EVIL)
  await memory.correct(EVIL, EVIL, { update_knowledge: { [EVIL]: EVIL } })
  await memory.close()
  await store.close()
  return cwd
}

/** Every command that tells of a log, and some that can't. */
const COMMANDS: readonly (readonly string[])[] = [
  ['runs'],
  ['show', 'a'],
  ['show', 'a', '--turns'],
  ['show', 'a', '--search', 'owned'],
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((seq) => ['show', 'a', '--event', String(seq)]),
  ['replay', 'a'],
  ['replay', 'a', '--views'],
  ['replay', 'a', '--turn', '1'],
  ['report', 'a'],
  ['report'],
  ['verify'],
  ['verify', 'a'],
  ['why', 'a', 'owned'],
  ['why', 'a', 'goal'],
  ['blindspots', 'a'],
  ['diff', 'a', '--from', '0', '--to', '1'],
  ['changes'],
  ['export', 'a'],
  ['escalate', 'a'],
  ['show', EVIL],
  ['runs', '--node', EVIL],
  ['replay', 'a', '--view', EVIL],
  ['--set', EVIL, 'runs'],
  ['run', EVIL],
  ['run', 'lint', EVIL],
  ['why', 'a', EVIL],
  ['import', EVIL],
  ['config', '--set', EVIL],
]

test('nothing that a log holds, or that is typed, reaches a terminal as more than text', async () => {
  const cwd = await hostile()
  for (const args of COMMANDS)
    for (const json of [[], ['--json']]) {
      const { stdout, stderr } = await twotrack(cwd, [...args, ...json])
      for (const text of [stdout, stderr])
        expect(
          HIDDEN.filter((char) => text.includes(char)),
          [...args, ...json].join(' '),
        ).toEqual([])
    }
})

test('what JSON says stays the same to programs', async () => {
  const cwd = await hostile()
  const { stdout } = await twotrack(cwd, ['show', 'a', '--event', '1', '--json'])
  expect(JSON.parse(stdout).data.goal).toBe(`Go ${EVIL}`)
  expect(visibleJson({ a: '👩‍💻 é\u202e\u{e0041}\n' })).toBe('{"a":"👩\\u200d💻 é\\u202e\\udb40\\udc41\\n"}')
})

test('raw output to a file is what the tool gave, byte for byte', async () => {
  const cwd = await hostile()
  const seq = readFileSync(
    join(
      cwd,
      '.agentfs/traces',
      readdirSync(join(cwd, '.agentfs/traces')).find((name) => name.endsWith('.jsonl')) ?? '',
    ),
    'utf8',
  )
    .split('\n')
    .findIndex((line) => line.includes('"type":"tool_result"'))
  expect((await twotrack(cwd, ['show', 'a', '--event', String(seq + 1), '--raw'])).stdout).toBe(EVIL)
})

test.skipIf(!hasShared('corpora/terminal'))('collected attacks as JSON are the same to programs', () => {
  const rows = readSharedLines('corpora/terminal', 'xterm-escape-sequences.jsonl')
  expect(rows.length).toBeGreaterThan(70)
  for (const row of rows) {
    const text = Buffer.from(String((row as { in_b64: string }).in_b64), 'base64').toString()
    expect(JSON.parse(visibleJson(text))).toBe(text)
    expect(visible(visibleJson(text))).toBe(visibleJson(text))
  }
})
