import { readFileSync } from 'node:fs'
import type { Delta } from '../../src/core/event/delta.ts'
import type { EventFor } from '../../src/core/event/event.ts'
import type { Json } from '../../src/core/event/json.ts'
import { readTrajectory } from '../../src/import/read.ts'
import { recordTrajectory } from '../../src/import/record.ts'
import { Memory } from '../../src/memory.ts'
import type { MemoryOptions } from '../../src/memory.ts'
import type { Engine } from '../../src/core/store/engine.ts'
import { storeOver } from '../../src/core/store/store-over.ts'
import { memoryEngine } from '../../src/store/memory.ts'
import { partial, success } from '../../src/tool/result.ts'
import { FORMATS } from '../import/formats.ts'
import { clock } from '../core/memory/clock.ts'

/** Records a log and gives its lines. Same ids, same times: the same bytes every time. */
type Scenario = () => Promise<string>

const AGENT = 'golden'

/** What a tool throws, with a stack that is the same on every machine. */
const failure = (message: string): Error =>
  Object.assign(new Error(message), { stack: `Error: ${message}\n    at run (tools.js:10:5)` })

async function linesOf(engine: Engine): Promise<string> {
  let lines = ''
  for await (const { bytes } of engine.read(AGENT, { from: 1, to: Number.POSITIVE_INFINITY }))
    lines += `${Buffer.from(bytes)}\n`
  return lines
}

const run =
  (options: Partial<MemoryOptions>, body: (agent: Agent) => Promise<void>): Scenario =>
  async () => {
    const engine = memoryEngine()
    const store = storeOver(engine)
    const memory = await Memory.open({ store, agentId: AGENT, goal: 'the goal', ...clock(), ...options })
    await body(new Agent(memory))
    await memory.close()
    return linesOf(engine)
  }

class Agent {
  readonly memory: Memory
  constructor(memory: Memory) {
    this.memory = memory
  }

  /** One turn: a prompt, a call, its result, and what a rule or a person adds. */
  async turn(tool: string, args: Json, returned: unknown, delta?: Delta): Promise<void> {
    await this.memory.startTurn()
    await this.memory.recordRequest(await this.memory.prompt(), 'scripted')
    const call = await this.memory.recordCall({ tool, args })
    await this.memory.recordResult({ call: call as EventFor<'tool_call'>, returned, args })
    if (delta) await this.memory.suggest('rules', 'after the call', delta)
  }

  async end(summary: string): Promise<void> {
    await this.memory.record({ type: 'submit_result', data: { result: { done: true }, summary } })
    await this.memory.record({ type: 'run_end', data: { reason: 'submitted', summary } })
  }
}

const debugSession = (rendering: 'json' | 'outline') =>
  run(
    {
      goal: 'Find out why process_data fails',
      operation: 'debug',
      rendering,
      node: { id: 'app.py:process_data', type: 'function' },
      constraints: { max_turns: 20, safety: ['no_eval_exec'] },
    },
    async (agent) => {
      await agent.turn('run_to_failure', {}, 'AssertionError: assert result is not None', {
        set_state_summary: 'Assertion failed in process_data; local var result=None',
        add_diagnostics: ['AssertionError'],
        set_candidates: [
          { tool: 'print_var', args: { name: 'result' }, reason: 'Check None value' },
          { tool: 'list_frames', args: {}, reason: 'Inspect call stack' },
        ],
      })
      await agent.turn(
        'list_frames',
        {},
        success(['main', 'process_data', 'load'], '3 frames; user code at frame 1'),
      )
      await agent.turn(
        'print_var',
        { name: 'result' },
        success({ value: null }, 'result is None'),
        { add_diagnostics: ['result is None'] },
      )
      await agent.end('result is None because load returned nothing')
    },
  )

const fooFile = run({ goal: 'Fix bug in foo.py', rendering: 'json' }, async (agent) => {
  const source = Array.from({ length: 500 }, (_, at) => (at === 0 ? 'def foo():' : `    step_${at}()`)).join(
    '\n',
  )
  await agent.turn(
    'read_file',
    { path: 'foo.py' },
    success(source, 'Read file foo.py', { 'foo.py': 'Contains class Bar' }),
  )
  await agent.turn('run_linter', { path: 'foo.py' }, { errors: ['E1', 'E2', 'E3'] })
  await agent.turn('apply_fix', { line_number: 5 }, { error: 'IndentError on line 5' })
})

const lintRun = run(
  {
    goal: 'Remove all lint errors from src/cart.py',
    operation: 'lint',
    node: { id: 'src/cart.py:Cart', type: 'class' },
  },
  async (agent) => {
    const issue = (line: number, code: string, message: string) => ({
      path: 'src/cart.py',
      line,
      code,
      message,
    })
    await agent.turn(
      'run_linter',
      { check_only: true },
      {
        errors: [
          issue(1, 'F401', "'os' imported but unused"),
          issue(12, 'E501', 'line too long'),
          issue(30, 'E711', 'comparison to None'),
        ],
        fixed: 0,
        fixable: 2,
      },
    )
    await agent.turn(
      'apply_fix',
      { issue_code: 'F401', line_number: 1 },
      { errors: [issue(12, 'E501', 'line too long'), issue(30, 'E711', 'comparison to None')], fixed: 1 },
    )
    await agent.turn(
      'apply_fix',
      { issue_code: 'E999', line_number: 99 },
      failure('there is no issue E999 on line 99'),
    )
    await agent.turn('apply_fix', { issue_code: 'E711', line_number: 30 }, { errors: [], fixed: 2 })
    await agent.end('3 issues fixed')
  },
)

const failingTests = run({ goal: 'Write tests for parse_header', operation: 'test' }, async (agent) => {
  await agent.turn(
    'read_file',
    { path: 'src/header.py' },
    'def parse_header(line):\n    name, value = line.split(":")\n    return name, value\n',
  )
  await agent.turn(
    'write_test_file',
    { path: 'tests/test_header.py', content: 'def test_a(): ...' },
    success({ bytes: 18 }, 'Wrote tests/test_header.py'),
  )
  await agent.turn(
    'run_tests',
    {},
    {
      passed: 3,
      failed: 2,
      failures: [
        { name: 'test_empty', message: 'ValueError: not enough values to unpack' },
        { name: 'test_colons', message: 'ValueError: too many values' },
      ],
    },
  )
  await agent.turn(
    'run_tests',
    { path: 'tests/nowhere.py' },
    { error: true, message: 'no such file: tests/nowhere.py' },
  )
  await agent.memory.correct('user', 'The value may hold colons.', {
    update_knowledge: { 'user said': 'The value may hold colons.' },
  })
  await agent.turn('run_tests', {}, { passed: 5, failed: 0 })
  await agent.end('5 tests pass')
})

/** More than a packet can hold: what goes, and what is said of it. */
const longRun = (rendering: 'json' | 'outline') =>
  run({ goal: 'Rename every use of old_name', rendering, packetSizeLimit: 420 }, async (agent) => {
    for (let turn = 1; turn <= 24; turn++) {
      const lines = Array.from(
        { length: 12 },
        (_, at) => `src/module_${turn}.py:${at * 7 + turn}: old_name_${turn}(${at})`,
      )
      if (turn % 6 === 0)
        await agent.turn('edit', { path: `src/module_${turn}.py` }, failure(`module_${turn} is read-only`))
      else await agent.turn('search', { query: `old_name_${turn}` }, lines.join('\n'))
      if (turn % 5 === 0)
        await agent.memory.correct('hub', 'changed', {
          update_knowledge: { 'modules done': turn },
          add_diagnostics: [`module_${turn} has no tests`],
        })
    }
    await agent.turn(
      'summarize',
      {},
      partial({ renamed: 20 }, 'Renamed in 20 of 24 modules', { renamed: 20 }),
    )
  })

const importedChat: Scenario = async () => {
  const engine = memoryEngine()
    const store = storeOver(engine)
  const trajectory = readTrajectory(JSON.stringify(FORMATS['OpenAI chat']), 'chat.json')
  await recordTrajectory(trajectory, { store, agentId: AGENT, ...clock() })
  return linesOf(engine)
}

/** A long run on the sample project with real outputs: plan, thoughts, files that were read and edited. */
const bookshop =
  (packet_size_limit: number): Scenario =>
  async () => {
    const engine = memoryEngine()
    const store = storeOver(engine)
    const file = new URL('../../examples/bookshop.jsonl', import.meta.url)
    const trajectory = readTrajectory(readFileSync(file, 'utf8'), 'bookshop.jsonl')
    await recordTrajectory(trajectory, { store, agentId: AGENT, packetSizeLimit: packet_size_limit, ...clock() })
    return linesOf(engine)
  }

export const SCENARIOS: Record<string, Scenario> = {
  bookshop: bookshop(1_500),
  'bookshop-small': bookshop(500),
  'debug-session': debugSession('outline'),
  'debug-session-json': debugSession('json'),
  'foo-file': fooFile,
  'lint-run': lintRun,
  'failing-tests': failingTests,
  'long-run': longRun('outline'),
  'long-run-json': longRun('json'),
  'imported-chat': importedChat,
}
