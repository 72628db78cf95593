import { AT, lines, SOURCE, TASK } from './sample.ts'
import {
  atif,
  atifUnnamed,
  miniSweAgent,
  openHands,
  sweAgent,
  sweAgentHistory,
} from './trajectory-samples.ts'

interface Sample {
  readonly text: string
  readonly calls: number
  readonly answers: number
  /** Of helpers in the same file. */
  readonly helpers?: number
  readonly model?: string
  readonly tokens?: number
}

const base = (second: number, more: object) => ({
  ...{ parentUuid: null, isSidechain: false, sessionId: 's-1', cwd: '/srv/shop', version: '2.1.0' },
  ...{ uuid: `u${second}`, timestamp: AT(second) },
  ...more,
})
const usage = { input_tokens: 100, cache_read_input_tokens: 20, output_tokens: 7 }
const block = (second: number, id: string, content: object, more: object = {}) =>
  base(second, {
    type: 'assistant',
    message: { id, role: 'assistant', model: 'claude-x', content: [content], usage },
    ...more,
  })
const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const result = (second: number, id: string, content: unknown, more: object = {}) =>
  base(second, {
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
  })

const claudeCode = lines(
  { type: 'file-history-snapshot', messageId: 'm', snapshot: {} },
  base(1, { type: 'user', message: { role: 'user', content: TASK } }),
  base(2, { type: 'user', isMeta: true, message: { role: 'user', content: 'The program says this.' } }),
  block(3, 'a1', { type: 'thinking', thinking: 'The sum looks odd.' }),
  block(4, 'a1', { type: 'text', text: 'I look at the cart.' }),
  block(5, 'a1', use('t1', 'Read', { file_path: '/srv/shop/cart.py' })),
  result(6, 't1', '1\tdef total(items):\n2\t    return sum(items) + 1'),
  block(7, 'a1', use('t2', 'Bash', { command: 'pytest' })),
  result(8, 't2', 'Exit code 1\n1 failed', { is_error: true }),
  {
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { trigger: 'auto', preTokens: 9 },
    timestamp: AT(9),
  },
  base(10, { type: 'user', isCompactSummary: true, message: { role: 'user', content: 'A summary.' } }),
  base(11, {
    type: 'user',
    isSidechain: true,
    uuid: 'side',
    message: { role: 'user', content: 'Search it.' },
  }),
  block(12, 'h1', use('h', 'Grep', { pattern: 'total' }), {
    isSidechain: true,
    uuid: 'side2',
    parentUuid: 'side',
  }),
  { ...result(13, 'h', 'cart.py'), isSidechain: true, parentUuid: 'side2' },
  block(14, 'a2', use('t3', 'Task', { prompt: 'Search it.' })),
  result(15, 't3', [{ type: 'text', text: 'It is in cart.py.' }]),
  { type: 'api-request-shape', sessionId: 's-1', shapeHash: 'sh', shape: { system: 'You fix bugs.' } },
  {
    type: 'api-request-blob',
    sessionId: 's-1',
    hash: 'b1',
    message: { role: 'user', content: 'The exact words' },
  },
  {
    type: 'api-request',
    sessionId: 's-1',
    id: 'r1',
    shapeHash: 'sh',
    params: { model: 'claude-x' },
    keep: 0,
    tail: ['b1'],
  },
  block(16, 'a3', { type: 'text', text: 'Line 2 adds one.' }, { requestRef: 'r1' }),
)

const item = (second: number, payload: object) => ({ timestamp: AT(second), type: 'response_item', payload })
const event = (second: number, payload: object) => ({ timestamp: AT(second), type: 'event_msg', payload })
const codex = lines(
  {
    timestamp: AT(0),
    type: 'session_meta',
    payload: { id: 'c-1', timestamp: AT(0), cwd: '/srv/shop', cli_version: '0.169.0' },
  },
  item(1, {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: '<environment_context>x</environment_context>' }],
  }),
  { timestamp: AT(1), type: 'turn_context', payload: { cwd: '/srv/shop', model: 'gpt-x' } },
  item(2, { type: 'message', role: 'user', content: [{ type: 'input_text', text: TASK }] }),
  event(2, { type: 'user_message', message: TASK }),
  item(3, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Odd.' }] }),
  item(3, { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"cat cart.py"}', call_id: 'k1' }),
  item(3, { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"pytest"}', call_id: 'k2' }),
  event(4, { type: 'token_count', info: { last_token_usage: { input_tokens: 120, output_tokens: 7 } } }),
  event(4, {
    type: 'item_completed',
    item: { type: 'CommandExecution', id: 'k1', duration: { secs: 1, nanos: 5e8 } },
  }),
  item(5, { type: 'function_call_output', call_id: 'k1', output: SOURCE }),
  item(5, {
    type: 'function_call_output',
    call_id: 'k2',
    output: 'Process exited with code 1\nOutput:\n1 failed',
  }),
  item(6, {
    type: 'custom_tool_call',
    name: 'apply_patch',
    input:
      '*** Begin Patch\n*** Update File: cart.py\n@@\n-    return sum(items) + 1\n+    return sum(items)\n*** End Patch',
    call_id: 'k3',
  }),
  item(7, { type: 'custom_tool_call_output', call_id: 'k3', output: 'Done' }),
  item(8, {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Line 2 added one.' }],
  }),
)

const geminiMessages = [
  { id: 'm1', timestamp: AT(1), type: 'user', content: [{ text: TASK }] },
  {
    ...{ id: 'm2', timestamp: AT(2), type: 'gemini', content: 'I look.', model: 'gemini-x' },
    tokens: { input: 120, output: 7 },
    thoughts: [{ subject: 'Sum', description: 'Odd.' }],
    toolCalls: [
      {
        id: 'g1',
        name: 'read_file',
        args: { path: 'cart.py' },
        status: 'success',
        timestamp: AT(3),
        result: [{ functionResponse: { id: 'g1', name: 'read_file', response: { output: SOURCE } } }],
      },
      {
        id: 'g2',
        name: 'run_shell_command',
        args: { command: 'pytest' },
        status: 'error',
        timestamp: AT(3),
        result: [{ functionResponse: { id: 'g2', response: { error: '1 failed' } } }],
      },
    ],
  },
  { id: 'm3', timestamp: AT(4), type: 'gemini', content: 'Line 2 adds one.', model: 'gemini-x' },
]
const geminiHead = { sessionId: 'g-1', projectHash: 'abc', startTime: AT(0), lastUpdated: AT(0) }

const tool = (callID: string, name: string, state: object) => ({
  id: `p${callID}`,
  type: 'tool',
  tool: name,
  callID,
  state,
})
const opencode = {
  info: {
    id: 'ses_1',
    directory: '/srv/shop',
    title: 'A title',
    version: '1.18.33',
    time: { created: Date.parse(AT(0)) },
  },
  messages: [
    {
      info: { id: 'm1', role: 'user', time: { created: Date.parse(AT(1)) } },
      parts: [{ type: 'text', text: TASK }],
    },
    {
      info: {
        id: 'm2',
        role: 'assistant',
        modelID: 'open-x',
        tokens: { input: 100, output: 7, cache: { read: 20 } },
        time: { created: Date.parse(AT(2)), completed: Date.parse(AT(5)) },
      },
      parts: [
        { id: 'pr', type: 'reasoning', text: 'Odd.' },
        { id: 'pt', type: 'text', text: 'I look.' },
        tool('o1', 'read', {
          status: 'completed',
          input: { filePath: 'cart.py' },
          output: SOURCE,
          time: { start: Date.parse(AT(3)), end: Date.parse(AT(3)) + 40 },
        }),
        tool('o2', 'bash', {
          status: 'error',
          input: { command: 'pytest' },
          error: '1 failed',
          time: { start: Date.parse(AT(3)), end: Date.parse(AT(3)) + 40 },
        }),
      ],
    },
  ],
}

export const SESSIONS: Readonly<Record<string, Sample>> = {
  'Claude Code': { text: claudeCode, calls: 3, answers: 3, helpers: 1, model: 'claude-x', tokens: 120 },
  Codex: { text: codex, calls: 3, answers: 3, model: 'gpt-x', tokens: 120 },
  'Gemini CLI': {
    text: JSON.stringify({ ...geminiHead, messages: geminiMessages }),
    calls: 2,
    answers: 2,
    model: 'gemini-x',
    tokens: 120,
  },
  'Gemini CLI, in lines': {
    text: lines(
      geminiHead,
      { id: 'm2', timestamp: AT(2), type: 'gemini', content: 'Only a part', toolCalls: [] },
      { $set: { messages: geminiMessages.slice(0, 1), lastUpdated: AT(1) } },
      ...geminiMessages.slice(1),
      { id: 'm9', timestamp: AT(9), type: 'user', content: 'Taken back' },
      { $rewindTo: 'm9' },
    ),
    ...{ calls: 2, answers: 2, model: 'gemini-x', tokens: 120 },
  },
  OpenCode: { text: JSON.stringify(opencode), calls: 2, answers: 2, model: 'open-x', tokens: 120 },
  'SWE-agent': { text: JSON.stringify(sweAgent), calls: 2, answers: 2 },
  'SWE-agent, a history alone': { text: JSON.stringify(sweAgentHistory), calls: 3, answers: 2 },
  'mini-swe-agent': { text: JSON.stringify(miniSweAgent), calls: 2, answers: 2 },
  'mini-swe-agent, with its name': {
    text: JSON.stringify({
      info: { mini_version: '2' },
      trajectory_format: 'mini-swe-agent-1.1',
      messages: miniSweAgent,
    }),
    ...{ calls: 2, answers: 2 },
  },
  OpenHands: { text: openHands, calls: 2, answers: 2 },
  'ATIF without names of calls': { text: JSON.stringify(atifUnnamed), calls: 2, answers: 2 },
  ATIF: { text: JSON.stringify(atif), calls: 2, answers: 2, helpers: 1, model: 'atif-x', tokens: 120 },
}
