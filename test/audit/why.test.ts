import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { WhyTally } from '../../bench/why-check.ts'
import { History } from '../../src/audit/history.ts'
import type { Why } from '../../src/audit/why/answer.ts'
import { why, whyIn } from '../../src/audit/why/why.ts'
import type { EventFor } from '../../src/core/event/event.ts'
import { prune } from '../../src/core/event/line.ts'
import type { Store } from '../../src/core/store/store.ts'
import { Memory } from '../../src/memory.ts'
import { sha256 } from '../../src/sha256.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { success } from '../../src/tool/result.ts'
import { goldenNames, goldenStore, storeOf } from './golden-store.ts'

const AGENT = 'agent'

async function recorded(work: (memory: Memory) => Promise<void>, limit = 3000): Promise<Store> {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: AGENT, goal: 'Fix it', packetSizeLimit: limit })
  await work(memory)
  await memory.close()
  return store
}

async function turn(
  memory: Memory,
  tool: string,
  args: Record<string, string>,
  output: unknown,
): Promise<void> {
  await memory.startTurn()
  const call = await memory.recordCall({ tool, args })
  await memory.recordResult({ call: call as EventFor<'tool_call'>, returned: output, args })
}

const explained = async (store: Store, asked: string, at?: number): Promise<Why> => {
  const answer = await why(store, AGENT, asked, at === undefined ? {} : { turn: at })
  if ('never_shown' in answer) throw new Error(`never shown: ${JSON.stringify(answer)}`)
  return answer
}

describe('every leaf of every golden packet', () => {
  test.each(goldenNames)(
    '%s: has a source, and the marked bytes hold what it was made from',
    async (name) => {
      const { store, agent } = await goldenStore(name)
      const tally = new WhyTally(5)
      await tally.add(name, await History.open(store, agent))
      expect(tally.failed, tally.table()).toBe(0)
      expect(tally.leaves).toBeGreaterThan(100)
    },
  )
})

test('each line of a file that was never read comes from the edit that wrote it', async () => {
  const store = await recorded(async (memory) => {
    const edit = (old_str: string, new_str: string) =>
      turn(memory, 'edit', { path: 'a.ts', old_str, new_str }, 'ok')
    await edit('one', 'const first = 1\nconst second = 2\nconst third = 3')
    await edit('const second = 2\n', '')
    await turn(memory, 'bash', { command: 'ls' }, 'a.ts')
  })
  const { value, sources } = await explained(store, '/files/0/regions/0/text')
  expect(value).toBe('const first = 1\nconst third = 3')
  expect(sources).toMatchObject([
    { seq: 4, part: value, evidence: [{ marks: [expect.anything(), expect.anything()] }] },
  ])
})

test('a long line that was changed in its middle and is shown in part has evidence', async () => {
  const words = (name: string) => Array.from({ length: 400 }, (_, at) => `${name}_${at}`).join(' ')
  const line = `${words('left')} the old middle of it ${words('right')}`
  const store = await recorded(async (memory) => {
    await turn(memory, 'read_file', { path: 'a.md' }, line)
    const [old_str, new_str] = ['the old middle of it', 'a middle that is new here']
    await turn(memory, 'edit', { path: 'a.md', old_str, new_str }, 'ok')
    await turn(memory, 'bash', { command: 'ls' }, 'a.md')
  }, 700)
  const tally = new WhyTally(5)
  await tally.add('a', await History.open(store, AGENT))
  expect(tally.failed, tally.table()).toBe(0)
  const { value } = await explained(store, '/files/0/regions/0/text')
  expect(value).toContain('…')
})

test('code in what a model said stands in the packet sign for sign, and why marks it in its words', async () => {
  const code = '`__init__` calls `f(*args, **kwargs)` with `pattern = "**/*.ts"` and `2**10`'
  const said = `I looked around.\n\n- **Found:** the cause is that ${code}.`
  const store = await recorded(async (memory) => {
    await memory.startTurn()
    await memory.record({ type: 'model_response', data: { model: 'm', text: said } })
    await turn(memory, 'run', { command: 'true' }, 'fine')
    expect(memory.packet.conclusions.map(({ text }) => text)).toEqual([expect.stringContaining(code)])
  })
  const { pointer, sources } = await explained(store, '/conclusions/0/text')
  expect(pointer).toBe('/conclusions/0/text')
  expect(sources).toEqual([
    expect.objectContaining({
      evidence: [expect.objectContaining({ part: 'text', how: 'verbatim', own_words: [] })],
    }),
  ])
})

test('an error that is over is told with the event that set it and the one that emptied it', async () => {
  const store = await recorded(async (memory) => {
    await turn(memory, 'run', { command: 'make' }, new Error('no rule to make target'))
    await turn(memory, 'run', { command: 'make all' }, 'built')
    await turn(memory, 'run', { command: 'ls' }, 'main.o')
  })
  const answer = await explained(store, '/last_error')
  expect(answer).toMatchObject({ value: null, before: { value: 'no rule to make target', emptied_by: 7 } })
  expect(answer.sources).toMatchObject([{ seq: 4, field: '/delta/set_error' }])
  const never = await explained(store, '/last_error', 0)
  expect(never).toMatchObject({ value: null, sources: [] })
  expect(never.before).toBeUndefined()
})

test('once raw output was pruned, every leaf still leads to its event, whose own field holds it', async () => {
  const lines = readFileSync(new URL('../golden/bookshop/events.jsonl', import.meta.url), 'utf8').trimEnd()
  const pruned = lines.split('\n').map((line) => Buffer.from(prune(Buffer.from(line), sha256)).toString())
  const { store, agent } = await storeOf(pruned.join('\n'))
  const history = await History.open(store, agent)
  const tally = new WhyTally(5)
  await tally.add('bookshop', history)
  expect(tally.failed, tally.table()).toBe(0)
  const answer = await whyIn(history, '3 passed', { turn: 8 })
  expect(answer).toMatchObject({ sources: [{ evidence: [{ pruned: true }] }] })
})

describe('why', () => {
  const helpers = Array.from({ length: 30 }, (_, at) => `def helper_${at}():\n    return ${at}\n`).join('')
  const edited = () =>
    recorded(async (memory) => {
      await turn(
        memory,
        'read_file',
        { path: 'a.py' },
        `def total(prices):\n    return sum(prices) + 1\n${helpers}`,
      )
      await turn(
        memory,
        'edit_file',
        { path: 'a.py', old_string: 'sum(prices) + 1', new_string: 'sum(prices)' },
        'Edited a.py',
      )
    })

  test('leads a line that was read to the output, and an edited one to the call', async () => {
    const store = await edited()
    const [read] = (await explained(store, 'def total(prices):')).sources
    expect(read).toMatchObject({ seq: 4, call: { tool: 'read_file' }, summarizer: { name: 'file-read' } })
    expect(read?.summarizer?.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(read?.evidence[0]).toMatchObject({
      part: 'raw_output',
      how: 'verbatim',
      marks: [{ from: 0, to: 18, line: 1, text: 'def total(prices):' }],
    })
    const changed = await explained(store, '/files/0/regions/0/text')
    expect(changed.sources.map(({ seq }) => seq)).toContain(7)
    expect(changed.sources.find(({ seq }) => seq === 7)?.evidence[0]).toMatchObject({ part: 'args', seq: 6 })
  })

  test('each line of a file leads to the event that read it last', async () => {
    const store = await recorded(async (memory) => {
      const sed = (lines: string, output: string) =>
        turn(memory, 'bash', { command: `sed -n '${lines}p' a.py` }, output)
      await sed('1,6', 'one = 1\ntwo = 2\n\n\nfive = 5\nsix = 6\n')
      await sed('1,2', 'one = 1\ntwo = 2\n')
      await sed('5,6', 'five = 5\nsix = 6\n')
    })
    const { value, sources } = await explained(store, '/files/0/regions/0/text')
    expect(value).toBe('one = 1\ntwo = 2\n\n\nfive = 5\nsix = 6')
    expect(sources).toMatchObject([
      { seq: 7, part: 'one = 1\ntwo = 2' },
      { seq: 10, part: 'five = 5\nsix = 6' },
    ])
  })

  test('explains a value that is gone by the last packet that showed it', async () => {
    const store = await recorded(async (memory) => {
      await memory.correct('user', '', { update_knowledge: { port: 80 } })
      await memory.startTurn()
      await memory.correct('user', '', { update_knowledge: { port: 8080 } })
      await memory.startTurn()
      await memory.correct('user', '', { remove_knowledge: ['port'] })
    })
    const answer = await explained(store, '/knowledge/port', 1)
    expect(answer).toMatchObject({
      pointer: '/knowledge/port/value',
      value: 8080,
      sources: [{ seq: 4, type: 'correction', said_by: 'person' }],
    })
    // Not in the last packet any more: the last one that showed it is explained.
    expect(await explained(store, 'port: 8080')).toMatchObject({ turn: 1, value: 8080 })
  })

  test('explains a fact by its value, however short that is', async () => {
    const store = await recorded((memory) => turn(memory, 'count', {}, success(0, 'None.', { open: 0 })))
    expect(await explained(store, '/knowledge/open')).toMatchObject({
      pointer: '/knowledge/open/value',
      value: 0,
    })
  })

  test('finds a text that only raw output holds, with the summarizer that left it out', async () => {
    const store = memoryStore()
    const memory = await Memory.open({
      store,
      agentId: AGENT,
      goal: 'Build it',
      summarizers: {
        build: { name: 'terse', summarize: () => ({ summary: 'An error occurred', output: null }) },
      },
    })
    await turn(memory, 'build', {}, 'one\ntwo\nTypeError: cannot read price of undefined\n')
    await memory.close()
    expect(await why(store, AGENT, 'cannot read price')).toMatchObject({
      never_shown: [{ seq: 4, tool: 'build', summarizer: 'terse', marks: [{ line: 3 }] }],
    })
  })

  test('looks past what a terminal does not show, and marks the bytes as they are', async () => {
    const store = await recorded((memory) =>
      turn(
        memory,
        'shell',
        { command: 'make' },
        'one\n\x1b[31merror:\x1b[0m unit \x1b[1mcart\x1b[0m is gone\n',
      ),
    )
    const [source] = (await explained(store, 'error: unit cart is gone')).sources
    expect(source?.evidence[0]).toMatchObject({
      how: 'verbatim',
      marks: [{ from: 9, to: 45, line: 2, text: 'error:\x1b[0m unit \x1b[1mcart\x1b[0m is gone' }],
    })
  })

  test('says what to do about a pointer or a text that leads nowhere', async () => {
    const store = await edited()
    await expect(why(store, AGENT, '/knowledge/nothing')).rejects.toThrow(
      /has nothing at \/knowledge\/nothing/,
    )
    await expect(why(store, AGENT, 'no such words')).rejects.toThrow(
      /Neither a packet .* holds "no such words"/,
    )
    await expect(why(store, AGENT, '/goal', { turn: 9 })).rejects.toThrow(/turns 0 to 2; there is no turn 9/)
  })
})

test('the goal is said by a person, and what is handed in by the model, though a tool takes it', async () => {
  const store = await recorded(async (memory) => {
    await turn(memory, 'submit_result', { summary: 'All is documented.' }, success({}, 'All is documented.'))
  })
  expect((await explained(store, '/goal')).sources).toMatchObject([{ said_by: 'person' }])
  const claimed = await explained(store, '/recent_actions/0/summary')
  expect(claimed.sources).toMatchObject([{ said_by: 'model' }])
})

test('a mark covers the value, and never a part of another number', async () => {
  const output = 'exit 1, line 17: v1.7, 10 of 71 failed\nAssertionError: 1 != 7\nleft over: 7'
  const store = await recorded((memory) =>
    turn(memory, 'check', {}, success(output, '7 problems: AssertionError: 1 != 7', { left: 7 })),
  )
  const marked = async (asked: string) =>
    (await explained(store, asked)).sources[0]?.evidence.flatMap(({ marks }) =>
      marks.map(({ line, from, to }) => [line, Buffer.from(output).subarray(from, to).toString()]),
    )
  expect(await marked('/knowledge/left/value')).toEqual([[2, '7']])
  expect(await marked('/recent_actions/0/summary')).toContainEqual([2, 'AssertionError: 1 != 7'])
})

test('a line that is copied without the folder left out of its path is found', async () => {
  const top = '/srv/ann/code/shop/'
  const store = await recorded(async (memory) => {
    for (const name of ['cart', 'stock', 'till'])
      await turn(memory, 'write', { path: `${top}src/${name}.ts`, content: 'export const one = 1' }, 'ok')
  })
  const { pointer, sources } = await explained(store, '- src/stock.ts')
  expect(pointer).toBe('/changed/1/path')
  expect(sources[0]?.call?.args).toMatchObject({ path: `${top}src/stock.ts` })
})
