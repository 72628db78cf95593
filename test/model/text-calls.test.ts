import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callsInText } from '../../src/model/openai/text-calls.ts'

const names = ['write_file', 'run_tests']
const args = { path: 'a.ts', content: 'if (x) { return "}" }\n</tool_call>', n: 2 }
const call = { tool: 'write_file', args }
const json = JSON.stringify({ name: 'write_file', arguments: args })

describe('calls that a server left in the text', () => {
  test.each([
    ['a JSON object', json],
    ['arguments called parameters', JSON.stringify({ name: 'write_file', parameters: args })],
    ['arguments as text', JSON.stringify({ name: 'write_file', arguments: JSON.stringify(args) })],
    [
      "OpenAI's own form",
      JSON.stringify({ tool_calls: [{ id: 'x', function: { name: 'write_file', arguments: args } }] }),
    ],
    ['a list', `[${json}]`],
    ['a fence', `I will write it.\n\`\`\`json\n${json}\n\`\`\`\nDone.`],
    ['a tag', `<tool_call>\n${json}\n</tool_call>`],
    ['a tag without its end', `Sure. <tool_call>${json}`],
    ['a Mistral list', `[TOOL_CALLS] [${json}]`],
    ['a Mistral name', `[TOOL_CALLS]write_file[ARGS]${JSON.stringify(args)}`],
    ['a function tag with JSON', `<function=write_file>${JSON.stringify(args)}</function>`],
    [
      'a function tag with parameters',
      `<tool_call>\n<function=write_file>\n<parameter=path>\na.ts\n</parameter>\n<parameter=content>\n${args.content}\n</parameter>\n<parameter=n>\n2\n</parameter>\n</function>\n</tool_call>`,
    ],
    [
      "FunctionGemma's",
      `<start_function_call>call:write_file{content:<escape>${args.content}<escape>,n:2,path:<escape>a.ts<escape>}<end_function_call>`,
    ],
    ['after reasoning', `<think>{"name":"run_tests"}</think>\n${json}`],
    ['after a tool prefix', `<|python_tag|>${json}`],
  ])('%s', (_form, text) => {
    const { calls } = callsInText(text, names)
    expect(calls.map(({ tool, args: read }) => ({ tool, args: read }))).toEqual([call])
  })

  test('several in one answer, with the words around them', () => {
    const tag = `<tool_call>${json}</tool_call>`
    expect(callsInText(`First. ${tag} Then. ${tag}`, names)).toEqual({
      text: 'First.  Then.',
      calls: [call, call],
    })
    expect(
      callsInText(`[TOOL_CALLS]run_tests[ARGS]{}[TOOL_CALLS]run_tests[ARGS]{}`, names).calls,
    ).toHaveLength(2)
  })

  test.each([
    ['JSON that names no tool on offer', '{"name":"Ada","arguments":{}}'],
    ['JSON that is a result', '{"summary":"done","issues_fixed":2}'],
    ['JSON inside a sentence', `The call {"name":"run_tests","arguments":{}} would do.`],
    ['words', 'All tests pass.'],
    ['a tag with nothing readable in it', '<tool_call>{"name":</tool_call>'],
  ])('%s stays text', (_what, text) => {
    expect(callsInText(text, names)).toEqual({ text, calls: [] })
  })

  test('a marked call of an unknown tool is a call, so that the model is told', () => {
    expect(callsInText('<tool_call>{"name":"nope","arguments":{}}</tool_call>', names).calls).toEqual([
      { tool: 'nope', args: {} },
    ])
  })

  const seed = Number(process.env['SEED'] ?? 20260214)
  test(`no text makes it throw (seed ${seed})`, () => {
    const marks = [
      '<tool_call>',
      '</tool_call>',
      '<function=',
      '<parameter=',
      '>',
      '[TOOL_CALLS]',
      '[ARGS]',
      '```',
      '\n',
    ]
    const part = fc.oneof(
      fc.constantFrom(...marks, '{', '}', '"', json, '<start_function_call>'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        for (const each of callsInText(parts.join(''), names).calls) expect(typeof each.tool).toBe('string')
      }),
      { seed, numRuns: 500 },
    )
    for (const mark of marks) callsInText(mark.repeat(10_000), names)
  })
})
