/** One short run as the message lists of different harnesses: two calls, their results, a last word. */
export const GOAL = 'Fix the bug in foo.py'
const SOURCE = 'def foo():\n  pass'
const user = { role: 'user', content: GOAL }

export const FORMATS: Record<string, unknown> = {
  'OpenAI chat': [
    { role: 'system', content: 'You fix bugs.' },
    user,
    {
      role: 'assistant',
      content: 'I look first.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"foo.py"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: SOURCE },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c2', type: 'function', function: { name: 'run_tests', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: '1 failed' }] },
    { role: 'assistant', content: 'One test fails.' },
  ],
  'OpenAI chat, in a body': {
    model: 'm',
    messages: [
      user,
      {
        role: 'assistant',
        tool_calls: [{ id: 'a', function: { name: 'read_file', arguments: { path: 'foo.py' } } }],
      },
      { role: 'tool', tool_call_id: 'a', content: SOURCE },
      { role: 'assistant', tool_calls: [{ id: 'b', function: { name: 'run_tests', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'b', content: '1 failed' },
    ],
  },
  'OpenAI chat before tools': [
    user,
    {
      role: 'assistant',
      content: null,
      function_call: { name: 'read_file', arguments: '{"path":"foo.py"}' },
    },
    { role: 'function', name: 'read_file', content: SOURCE },
    { role: 'assistant', content: null, function_call: { name: 'run_tests', arguments: '{}' } },
    { role: 'function', name: 'run_tests', content: '1 failed' },
  ],
  'OpenAI Responses': [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: GOAL }] },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'read_file',
      arguments: '{"path":"foo.py"}',
    },
    { type: 'function_call_output', call_id: 'call_1', output: SOURCE },
    { type: 'function_call', id: 'fc_2', call_id: 'call_2', name: 'run_tests', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_2', output: '1 failed' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One test fails.' }] },
  ],
  'OpenAI Agents': [
    { type: 'message', role: 'user', content: GOAL },
    {
      type: 'function_call',
      id: 'fc_1',
      callId: 'call_1',
      name: 'read_file',
      status: 'completed',
      arguments: '{"path":"foo.py"}',
    },
    {
      type: 'function_call_result',
      callId: 'call_1',
      name: 'read_file',
      status: 'completed',
      output: { type: 'text', text: SOURCE },
    },
    {
      type: 'function_call',
      id: 'fc_2',
      callId: 'call_2',
      name: 'run_tests',
      status: 'completed',
      arguments: '{}',
    },
    {
      type: 'function_call_result',
      callId: 'call_2',
      name: 'run_tests',
      status: 'completed',
      output: { type: 'text', text: '1 failed' },
    },
  ],
  'AI SDK model messages': [
    user,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 't1', toolName: 'read_file', input: { path: 'foo.py' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 't1',
          toolName: 'read_file',
          output: { type: 'text', value: SOURCE },
        },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 't2', toolName: 'run_tests', input: {} }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 't2',
          toolName: 'run_tests',
          output: { type: 'text', value: '1 failed' },
        },
      ],
    },
  ],
  'AI SDK UI messages': [
    { id: '1', role: 'user', parts: [{ type: 'text', text: GOAL }] },
    {
      id: '2',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        {
          type: 'tool-read_file',
          toolCallId: 't1',
          state: 'output-available',
          input: { path: 'foo.py' },
          output: SOURCE,
        },
        { type: 'step-start' },
        {
          type: 'dynamic-tool',
          toolName: 'run_tests',
          toolCallId: 't2',
          state: 'output-available',
          input: {},
          output: '1 failed',
        },
        { type: 'text', text: 'One test fails.' },
      ],
    },
  ],
  'AI SDK 4 UI messages': [
    { id: '1', role: 'user', content: GOAL },
    {
      id: '2',
      role: 'assistant',
      parts: [
        {
          type: 'tool-invocation',
          toolInvocation: {
            state: 'result',
            toolCallId: 't1',
            toolName: 'read_file',
            args: { path: 'foo.py' },
            result: SOURCE,
          },
        },
        {
          type: 'tool-invocation',
          toolInvocation: {
            state: 'result',
            toolCallId: 't2',
            toolName: 'run_tests',
            args: {},
            result: '1 failed',
          },
        },
      ],
    },
  ],
  'Anthropic blocks': [
    user,
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'tu1', name: 'read_file', input: { path: 'foo.py' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'tu1', content: SOURCE }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'tu2', name: 'run_tests', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'tu2', content: [{ type: 'text', text: '1 failed' }] }],
    },
  ],
}
