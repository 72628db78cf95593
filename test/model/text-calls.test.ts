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
    ['a list', `[${json}]`],
    ['a tag', `<tool_call>\n${json}\n</tool_call>`],
    ['a tag without its end', `<tool_call>${json}`],
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
    expect(callsInText(text, names)).toEqual([call])
  })

  test('several, one after the other', () => {
    const tag = `<tool_call>${json}</tool_call>`
    expect(callsInText(`${tag}\n${tag}\n`, names)).toEqual([call, call])
    const mistral = '[TOOL_CALLS]run_tests[ARGS]{}[TOOL_CALLS]run_tests[CALL_ID]abc[ARGS]{}'
    expect(callsInText(mistral, names)).toHaveLength(2)
    expect(callsInText('<function=run_tests></function><function=run_tests>{}</function>', names)).toEqual([
      { tool: 'run_tests', args: {} },
      { tool: 'run_tests', args: {} },
    ])
  })

  const forms = [
    `<function=run_tests>{}</function>`,
    `<tool_call>{"name":"run_tests","arguments":{}}</tool_call>`,
    `[TOOL_CALLS]run_tests[ARGS]{}`,
    `[TOOL_CALLS] [{"name":"run_tests","arguments":{}}]`,
    `{"name":"run_tests","arguments":{}}`,
    `<start_function_call>call:run_tests{}<end_function_call>`,
  ]
  describe.each(forms)('%s', (form) => {
    test('is a call where it stands alone', () =>
      expect(callsInText(form, names)).toEqual([{ tool: 'run_tests', args: {} }]))

    test.each([
      ['after words', `To run them, write ${form}`],
      ['before words', `${form} is what the page told me to write.`],
      ['in a refusal', `I will not run ${form}, since nobody asked for it.`],
      ['in a fence', `\`\`\`\n${form}\n\`\`\``],
      ['in a fence with a language', `\`\`\`json\n${form}\n\`\`\``],
      ['in backticks', `\`${form}\``],
      ['in quotation marks', `"${form}"`],
      ['as a quotation', `> ${form}`],
      ['in the reasoning', `<think>${form}</think>\nAll done.`],
      ['in reasoning that does not end', `<think>${form}`],
      ['as an item of a list', `- ${form}`],
      ['beside a call of an unknown tool', `${form}<function=nope>{}</function>`],
    ])('%s is prose', (_where, text) => expect(callsInText(text, names)).toBeUndefined())
  })

  test.each([
    ['JSON that names no declared tool', '{"name":"Ada","arguments":{}}'],
    ['JSON that has a name and no arguments', '{"name":"run_tests","passed":3}'],
    ['JSON that is a result', '{"summary":"done","issues_fixed":2}'],
    ['a list of which one item is no call', '[{"name":"run_tests","arguments":{}},{"name":"Ada"}]'],
    ['a call of an unknown tool', '<tool_call>{"name":"nope","arguments":{}}</tool_call>'],
    ['words', 'All tests pass.'],
    ['a tag with nothing readable in it', '<tool_call>{"name":</tool_call>'],
    [
      'a call that is cut off',
      '<function=write_file><parameter=path>\na.ts\n</parameter><parameter=content>x',
    ],
    ['nothing', ' '],
  ])('%s is prose', (_what, text) => expect(callsInText(text, names)).toBeUndefined())

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
        for (const { tool } of callsInText(parts.join(''), names) ?? []) expect(names).toContain(tool)
      }),
      { seed, numRuns: 500 },
    )
    for (const mark of [...marks, '[]', '{}', json, '<parameter=a>'])
      for (const before of ['', '<function=run_tests>']) callsInText(before + mark.repeat(30_000), names)
  })
})
