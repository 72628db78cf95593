import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { markOwn } from '../../src/files/own-folder.ts'
import { AGENT, contentsOf, folderWith, imported, TRAJECTORY, twotrack } from './run.ts'

/** Each is refused with exit code 2 and these words, nothing on standard output, and nothing changed. */
async function refused(cwd: string, args: readonly string[], words: string | RegExp): Promise<void> {
  const before = contentsOf(cwd)
  const { code, stdout, stderr } = await twotrack(cwd, args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(words)
  expect(stderr).not.toContain('    at ') // no stack
  expect(contentsOf(cwd)).toEqual(before)
}

describe('input that cannot be used changes nothing', () => {
  const half = JSON.stringify({ turn: 1, tool: 'ls', args: {}, raw_output: '' })
  const cwd = () =>
    folderWith({
      'words.jsonl': 'just some words\n',
      'foreign.jsonl': '{"level":"info","msg":"started"}\n{"level":"info","msg":"ended"}\n',
      'cut.jsonl': `{"meta":{"task":"t"}}\n${half}\n${half.slice(0, 20)}`,
      'empty.jsonl': '',
      'latin1.jsonl': new Uint8Array([0x7b, 0x22, 0xe9, 0x22, 0x3a, 0x31, 0x7d]),
      'folder/x.txt': 'x',
    })
  test.each([
    ['a file that is not there', 'none.jsonl', /There is no file none\.jsonl/],
    ['a folder', 'folder', /folder is not a recording .* it is a folder without events/],
    [
      'text that is no JSON',
      'words.jsonl',
      /is not a recording that can be imported: it begins "just some words/,
    ],
    ['JSON lines of something else', 'foreign.jsonl', /is not a recording that can be imported/],
    ['an empty file', 'empty.jsonl', /it is empty/],
    ['text that is not UTF-8', 'latin1.jsonl', /latin1\.jsonl is not a recording that can be imported/],
  ])('%s', async (_, file, words) => {
    await refused(cwd(), ['import', file], words)
  })

  test('a recording that is cut off is imported as far as it goes, and where it ends is told', async () => {
    const { code, stderr } = await twotrack(cwd(), ['import', 'cut.jsonl'])
    expect(code).toBe(0)
    expect(stderr).toMatch(/cut\.jsonl, line 3: not a JSON object/)
  })

  // The superuser may do everything, so the command is then run as nobody.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {}

  test('a file that may not be read, a folder that may not be written', async ({ skip }) => {
    const folder = folderWith({ 'locked.jsonl': '{}' })
    chmodSync(folder, 0o755)
    const { code: able } = await twotrack(folder, ['--version'], nobody)
    if (able !== 0) skip('other users may not read this checkout')
    chmodSync(join(folder, 'locked.jsonl'), 0)
    chmodSync(folder, 0o555)
    const locked = await twotrack(folder, ['import', 'locked.jsonl'], nobody)
    expect(locked).toMatchObject({ code: 2, stderr: expect.stringContaining('EACCES') })
    for (const store of ['jsonl', 'kv']) {
      const { code, stderr } = await twotrack(folder, ['import', TRAJECTORY, '--store', store], nobody)
      expect(code).toBe(2)
      expect(stderr).toMatch(/Can't create/)
    }
    expect(Object.keys(contentsOf(folder)).sort()).toEqual(['.git', 'locked.jsonl'])
    chmodSync(folder, 0o755)
  })

  test.each(['jsonl', 'kv'])('a place where the %s store may not write', async (store) => {
    const where = process.platform === 'linux' ? '/proc/twotrack' : '/dev/null/twotrack'
    await refused(folderWith(), ['import', TRAJECTORY, '--store', store, '--folder', where], /Can't create/)
  })

  test('a file where the folder of the logs should be', async () => {
    const folder = folderWith({ '.agentfs': 'in the way' })
    await refused(folder, ['import', TRAJECTORY], /is no folder, and records are kept in one/)
    await refused(folder, ['import', TRAJECTORY, '--store', 'kv'], /agentfs/)
  })

  test('a half-written configuration', async () => {
    const folder = folderWith({ 'twotrack.yaml': 'runner:\n  memory:\n    trace_indexing: [node, ' })
    await refused(folder, ['import', TRAJECTORY], /twotrack\.yaml:3:\d+: not valid YAML/)
    await refused(folder, ['runs'], /not valid YAML/)
  })

  test('an unknown key, with the nearest known one', async () => {
    const folder = folderWith({ 'twotrack.yaml': 'runner:\n  memory:\n    packet_size_limt: 5\n' })
    await refused(folder, ['config'], /did you mean packet_size_limit\?/)
    await refused(folderWith(), ['config', '--set', 'runner.memory.foldr=x'], /did you mean.*folder/)
  })
})

describe('questions that the logs have no answer to', () => {
  test('where nothing is recorded', async () => {
    for (const store of ['memory', 'jsonl', 'kv'])
      await refused(
        folderWith(),
        ['show', 'x', '--store', store],
        /no log of agent "x"; no runs are recorded here. Begin with "/,
      )
  })

  test('where others are', async () => {
    const cwd = await imported()
    await twotrack(cwd, ['import', TRAJECTORY, '--agent', 'import-other'])
    await refused(cwd, ['show', 'x'], /there are: import-trajectory, import-other/)
    await refused(cwd, ['verify', 'x'], /no log of agent "x"/)
    await refused(cwd, ['show', AGENT, '--event', '99'], /has events 1 to 32; there is no event 99/)
    await refused(cwd, ['show', AGENT, '--event', '3', '--raw'], /Event 3 \(tool_call\) has no raw output/)
    await refused(cwd, ['show', AGENT, '--raw'], /give its number with --event/)
    await refused(cwd, ['replay', AGENT, '--turn', '11'], /has turns 0 to 10; there is no turn 11/)
    await refused(cwd, ['replay', AGENT, '--seq', '33'], /there is no event 33/)
    await refused(cwd, ['replay', AGENT, '--seq', '3', '--turn', '2'], /give one/)
    await refused(cwd, ['diff', AGENT, '--from', '1', '--to', '11'], /there is no turn 11/)
  })

  test('where a foreign file lies among the logs', async () => {
    const cwd = await imported()
    mkdirSync(join(cwd, '.agentfs', 'traces'), { recursive: true })
    const folder = folderWith({
      '.agentfs/traces/foreign.jsonl': '{"level":"info"}\n',
      '.agentfs/agent.db': 'not SQLite',
    })
    markOwn(join(folder, '.agentfs'))
    await refused(folder, ['show', 'foreign'], /damaged at line 1 \(byte 0\)/)
    await refused(folder, ['runs', '--store', 'kv'], /not a SQLite database/)
    const { code, stdout } = await twotrack(folder, ['verify'])
    expect(code).toBe(1)
    expect(stdout).toContain('foreign.jsonl')
  })
})

test('with --json errors are JSON too, those of the command line among them', async () => {
  const errorOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await twotrack(folderWith(), args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    return JSON.parse(stderr).error
  }
  expect(await errorOf('show', 'x', '--json')).toMatchObject({ code: 'missing' })
  expect(await errorOf('runs', '--nod', '--json')).toMatchObject({
    code: 'bad_argument',
    message: expect.stringContaining('--node'),
  })
  expect(await errorOf('config', '--set', 'x', '--json')).toMatchObject({ code: 'bad_config' })
})
