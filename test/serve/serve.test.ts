import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { inOtherView } from '../audit/recorded.ts'
import { environment, folderWith, MAIN, twotrack } from '../cli/run.ts'

const AGENT_PY = fileURLToPath(new URL('../../examples/agent.py', import.meta.url))

/** Letters that would be too many if each were written as six characters. */
const ODD_PY = `import sys
sys.path.insert(0, sys.argv[1])
from twotrack import Memory, TwotrackError
memory = Memory("odd", goal="Return odd things.", command=sys.argv[2:])
memory.ask("prompt")
outputs = {"letters": "\u0436" * 11_000_000, "half": "a\\udc80b", "bytes": b"x", "nan": float("nan"), "huge": "x" * 64_000_000}
for name, output in outputs.items():
    try:
        memory.run(name, lambda: output)
        print(f"{name}: returned")
    except TwotrackError as refused:
        print(f"{name}: {refused.code}")
print(memory.ask("prompt")["body"])
memory.close()
`

/** A server as a client sees it: lines in, lines out. */
function started(cwd: string) {
  const server = spawn(process.execPath, [MAIN, 'serve', '--stdio'], { cwd, env: environment() })
  onTestFinished(() => {
    server.kill('SIGKILL')
  })
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  const gone = new Promise<number | null>((resolve) => server.on('exit', resolve))
  const send = async (line: string): Promise<Record<string, unknown>> => {
    server.stdin.write(`${line}\n`)
    return JSON.parse((await lines.next()).value ?? '{}')
  }
  let id = 0
  const ask = (method: string, params: object = {}) =>
    send(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))
  return { server, send, ask, gone }
}

test('an agent in plain Python keeps its memory here: calls, what they gave and raised, and the log verifies', async ({
  skip,
}) => {
  const python = await promisify(execFile)('python3', ['--version']).catch(() => undefined)
  skip(python === undefined, 'there is no python3 here')
  const cwd = folderWith()
  const { stdout } = await promisify(execFile)('python3', [AGENT_PY, process.execPath, MAIN], {
    cwd,
    env: environment(),
  })
  expect(stdout).toContain('GOAL: Count the words of the poem.')
  expect(stdout).toContain('In the forests of the night;')
  expect(stdout).toContain('IndexError: list index out of range')
  const { stdout: runs } = await twotrack(cwd, ['runs', '--json'])
  expect(JSON.parse(runs)).toMatchObject([
    { agent_id: 'counter', outcome: 'done', summary: '10 words', calls: 3, failed_calls: 1 },
  ])
  expect((await twotrack(cwd, ['verify'])).code).toBe(0)
})

test('a log whose view is not known here is not opened, and nothing is written into it', async () => {
  const cwd = folderWith()
  const first = started(cwd)
  await first.ask('open', { agent: 'a', goal: 'Fix it' })
  first.server.stdin.end()
  await first.gone
  const store = jsonlStore({ folder: join(cwd, '.agentfs') })
  const path = join(cwd, '.agentfs', 'traces', 'a.jsonl')
  await inOtherView(store, 'a', path)
  await store.close()
  const before = readFileSync(path, 'utf8')
  const { ask } = started(cwd)
  expect(await ask('open', { agent: 'a' })).toMatchObject({
    error: { data: { code: 'unknown_view' }, message: expect.stringContaining('"desk-next"') },
  })
  expect(await ask('prompt')).toMatchObject({ error: { data: { code: 'closed' } } })
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('what a tool in Python returns is recorded, or the log says that it ran', async ({ skip }) => {
  const python = await promisify(execFile)('python3', ['--version']).catch(() => undefined)
  skip(python === undefined, 'there is no python3 here')
  const cwd = folderWith({ 'odd.py': ODD_PY })
  const args = ['odd.py', dirname(AGENT_PY), process.execPath, MAIN]
  const { stdout } = await promisify(execFile)('python3', args, { cwd, env: environment() })
  expect(stdout.split('\n').slice(0, 5)).toEqual([
    'letters: returned',
    'half: returned',
    ...['bytes', 'nan', 'huge'].map((name) => `${name}: bad_argument`),
  ])
  expect(stdout).toContain('Object of type bytes is not JSON serializable')
  expect(stdout).toContain('characters; a message has at most 64000000')
  expect(stdout).not.toContain('NO RESULT YET')
})

test('what can not be done has a code, and the connection goes on', async () => {
  const { send, ask, server, gone } = started(folderWith())
  expect(await send('{"jsonrpc"')).toMatchObject({ id: null, error: { code: -32700 } })
  expect(await send('[1]')).toMatchObject({ id: null, error: { code: -32600 } })
  expect(await ask('fly')).toMatchObject({
    error: { code: -32601, message: expect.stringContaining('open, say, prompt') },
  })
  expect(await ask('say', { text: 'hello' })).toMatchObject({
    error: { code: -32000, data: { code: 'closed' } },
  })
  expect(await ask('open', { agent: 'a' })).toMatchObject({
    error: { data: { code: 'missing' }, message: expect.stringContaining('a "goal"; null where') },
  })
  expect(await ask('open', { agent: 'a', goal: 'Try.', colour: 'red' })).toMatchObject({
    error: { code: -32602 },
  })
  expect(await ask('open', { agent: 'a', goal: 'Try.' })).toMatchObject({ result: { began: true } })
  expect(await ask('open', { agent: 'b', goal: 'Try.' })).toMatchObject({
    error: { data: { code: 'conflict' } },
  })
  expect(await ask('result', { call_id: 'none', output: 1 })).toMatchObject({
    error: { data: { code: 'missing' } },
  })
  expect(await ask('prompt')).toMatchObject({
    result: { turn: 1, text: expect.stringContaining('GOAL: Try.') },
  })
  const call = await ask('call', { tool: 'ls', call_id: 'c1' })
  expect(call).toMatchObject({ result: { call_id: 'c1', args: {} } })
  expect(await ask('call', { tool: 'ls', call_id: 'c1' })).toMatchObject({
    error: { data: { code: 'conflict' }, message: expect.stringContaining('"c1" waits for its result') },
  })
  expect(await ask('say', { text: ' \n' })).toMatchObject({ error: { code: -32602 } })
  const output = Array.from({ length: 500 }, (_, at) => `file-${at}.txt`).join('\n')
  const result = await ask('result', { call_id: 'c1', output })
  const { seq } = result['result'] as { seq: number }
  expect(await ask('recall', { ref: seq, query: 'file-321' })).toMatchObject({
    result: { text: expect.stringContaining('file-321.txt') },
  })
  expect(await ask('call', { tool: 'count', call_id: 'c2' })).toMatchObject({ result: { call_id: 'c2' } })
  const own = {
    result: 500,
    summary: 'There are 500 files',
    knowledge_delta: { files: 500 },
    outcome: 'success',
  }
  expect(await ask('result', { call_id: 'c2', output: own, own: true })).toMatchObject({
    result: { outcome: 'success' },
  })
  await ask('call', { tool: 'pytest', call_id: 'c3' })
  const failure = await ask('result', { call_id: 'c3', error: 'exit 1', output: 'FAILED test_total' })
  expect(failure).toMatchObject({ result: { outcome: 'error' } })
  const { text } = (await ask('prompt'))['result'] as { text: string }
  for (const part of ['files: 500', 'exit 1', 'FAILED test_total']) expect(text).toContain(part)
  expect(await ask('close', { summary: 'Tried.' })).toMatchObject({
    result: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  server.stdin.end()
  expect(await gone).toBe(0)
})

test('a goal that comes later is the first thing that a person says', async () => {
  const { ask } = started(folderWith())
  expect(await ask('open', { agent: 'a', goal: null })).toMatchObject({ result: { began: true } })
  await ask('say', { text: 'Name the files.' })
  expect(await ask('prompt')).toMatchObject({
    result: { text: expect.stringContaining('GOAL: Name the files.') },
  })
})

test('a client that is killed leaves a log that the next one goes on with; a second one is refused meanwhile', async () => {
  const cwd = folderWith()
  const first = started(cwd)
  await first.ask('open', { agent: 'a', goal: 'Go on.' })
  await first.ask('prompt')
  await first.ask('call', { tool: 'ls', call_id: 'c1' })
  const second = started(cwd)
  expect(await second.ask('open', { agent: 'a' })).toMatchObject({ error: { data: { code: 'locked' } } })
  first.server.kill('SIGKILL')
  await first.gone
  expect(await second.ask('open', { agent: 'a', wait_ms: 60_000 })).toMatchObject({
    result: { began: false, turn: 1 },
  })
  expect(await second.ask('prompt')).toMatchObject({ result: { turn: 2 } })
  second.server.stdin.end()
  expect(await second.gone).toBe(0)
  expect((await twotrack(cwd, ['verify'])).code).toBe(0)
})
