import { AT, lines, SOURCE, TASK } from './sample.ts'

export const sweAgent = {
  environment: 'main',
  info: { exit_status: 'submitted' },
  history: [
    { role: 'system', content: 'You fix bugs.' },
    { role: 'user', content: 'A demonstration', is_demo: true },
    { role: 'user', content: [{ type: 'text', text: TASK }] },
  ],
  trajectory: [
    {
      thought: 'I look.',
      action: 'cat cart.py\n',
      observation: SOURCE,
      response: 'I look.\n```\ncat cart.py\n```',
      execution_time: 0.25,
    },
    { thought: 'I test.', action: 'pytest', observation: '1 failed', execution_time: 1 },
    { thought: 'Done.', action: '', observation: '' },
  ],
}

/** A demonstration has no trajectory; the second of its calls is a line for a shell. */
export const sweAgentHistory = {
  history: [
    { role: 'system', content: 'You fix bugs.', message_type: 'system_prompt' },
    { role: 'user', content: TASK, message_type: 'observation' },
    {
      ...{ role: 'assistant', content: 'I look.', thought: 'I look.', action: 'open "cart.py"' },
      tool_calls: [
        { id: 'h1', type: 'function', function: { name: 'open', arguments: '{"path":"cart.py"}' } },
      ],
    },
    { role: 'tool', content: SOURCE, tool_call_ids: ['h1'] },
    { role: 'assistant', content: 'I test.\n```\npytest\n```', thought: 'I test.', action: 'pytest' },
    { role: 'user', content: [{ type: 'text', text: '1 failed' }] },
    { role: 'assistant', content: 'I submit.', thought: 'I submit.', action: 'submit' },
  ],
}

export const miniSweAgent = [
  { role: 'system', content: 'Answer with one command.' },
  { role: 'user', content: TASK },
  { role: 'assistant', content: 'I look.\n\n```bash\ncat cart.py\n```' },
  { role: 'user', content: `<returncode>0</returncode>\n<output>\n${SOURCE}</output>` },
  { role: 'assistant', content: 'I test.\n\n```mswea_bash_command\npytest\n```' },
  { role: 'user', content: '<returncode>1</returncode>\n<output>\n1 failed\n</output>' },
  { role: 'assistant', content: 'I give up.' },
]

const acted = (second: number, id: string, command: string) => ({
  ...{ id: `e${second}`, kind: 'ActionEvent', source: 'agent', timestamp: AT(second), tool_name: 'terminal' },
  thought: [{ type: 'text', text: 'I look.' }],
  reasoning_content: 'Odd.',
  action: { kind: 'TerminalAction', command },
  tool_call: { id, name: 'terminal', arguments: JSON.stringify({ command }) },
  tool_call_id: id,
  llm_response_id: 'r1',
})
const observed = (second: number, id: string, text: string, exit_code: number) => ({
  ...{ id: `e${second}`, kind: 'ObservationEvent', source: 'environment', timestamp: AT(second) },
  ...{ tool_name: 'terminal', tool_call_id: id, action_id: 'x' },
  observation: { kind: 'TerminalObservation', content: [{ type: 'text', text }], exit_code },
})
export const openHands = lines(
  {
    id: 'e0',
    kind: 'SystemPromptEvent',
    source: 'agent',
    timestamp: AT(0),
    system_prompt: { type: 'text', text: 'You fix.' },
  },
  {
    id: 'e1',
    kind: 'MessageEvent',
    source: 'user',
    timestamp: AT(1),
    llm_message: { role: 'user', content: [{ type: 'text', text: TASK }] },
  },
  acted(2, 'w1', 'cat cart.py'),
  acted(3, 'w2', 'pytest'),
  observed(4, 'w1', SOURCE, 0),
  observed(5, 'w2', '1 failed', 1),
  {
    id: 'e6',
    kind: 'MessageEvent',
    source: 'agent',
    timestamp: AT(6),
    llm_message: { role: 'assistant', content: [{ type: 'text', text: 'Line 2.' }] },
  },
)

/** Steps as programs write them: results that name no call, actions that are no calls, what the program says of itself. */
export const atifUnnamed = {
  schema_version: 'ATIF-v1.5',
  session_id: 'at-2',
  agent: { name: 'some-agent', version: '1.0' },
  steps: [
    { step_id: 1, source: 'user', message: TASK, timestamp: AT(1) },
    {
      ...{ step_id: 2, source: 'agent', message: 'I look.', timestamp: AT(2) },
      tool_calls: [{ tool_call_id: 'y1', function_name: 'bash', arguments: { command: 'pytest' } }],
      observation: { results: [{ content: '1 failed' }] },
    },
    {
      ...{ step_id: 3, source: 'system', message: 'The context was made shorter.' },
      observation: { results: [{ subagent_trajectory_ref: [{ session_id: 'z' }] }] },
    },
    { step_id: 4, source: 'agent', message: 'May I?' },
    {
      ...{ step_id: 5, source: 'agent', message: '{"commands": ["cat cart.py"]}', timestamp: AT(5) },
      observation: { results: [{ content: SOURCE }] },
    },
  ],
}

export const atif = {
  schema_version: 'ATIF-v1.7',
  session_id: 'at-1',
  agent: { name: 'some-agent', version: '1.0', model_name: 'atif-x' },
  steps: [
    { step_id: 1, source: 'system', message: 'You fix.' },
    { step_id: 2, source: 'user', message: TASK, timestamp: AT(1) },
    {
      ...{ step_id: 3, source: 'agent', message: 'I look.', reasoning_content: 'Odd.', timestamp: AT(2) },
      tool_calls: [
        { tool_call_id: 'x1', function_name: 'read_file', arguments: { path: 'cart.py' } },
        { tool_call_id: 'x2', function_name: 'bash', arguments: { command: 'pytest' } },
      ],
      observation: {
        results: [
          { source_call_id: 'x1', content: SOURCE },
          { source_call_id: 'x2', content: [{ type: 'text', text: '1 failed' }] },
        ],
      },
      metrics: { prompt_tokens: 120, completion_tokens: 7 },
    },
  ],
  subagent_trajectories: [
    {
      schema_version: 'ATIF-v1.7',
      trajectory_id: 'sub',
      agent: { name: 'some-agent', version: '1.0' },
      steps: [{ step_id: 1, source: 'agent', message: 'I searched.' }],
    },
  ],
}
