import { describe, expect, test } from 'vitest'
import { renderCall, renderDeclarations, renderRequest } from '../../../src/model/functiongemma/prompt.ts'
import { parseAnswer } from '../../../src/model/gemma-notation/answer.ts'
import { weather } from '../request.ts'

describe('the published examples', () => {
  test('a declaration with an enum and a required parameter', () => {
    expect(renderDeclarations([weather])).toBe(
      '<start_function_declaration>declaration:get_current_weather{' +
        'description:<escape>Gets the current weather in a given location.<escape>,' +
        'parameters:{properties:{' +
        'location:{description:<escape>The city and state, e.g. "San Francisco, CA" or "Tokyo, JP"<escape>,' +
        'type:<escape>STRING<escape>},' +
        'unit:{description:<escape>The unit to return the temperature in.<escape>,' +
        'enum:[<escape>celsius<escape>,<escape>fahrenheit<escape>],type:<escape>STRING<escape>}},' +
        'required:[<escape>location<escape>],type:<escape>OBJECT<escape>}}<end_function_declaration>',
    )
  })

  test('the three turns', () => {
    const declaration = renderDeclarations([weather])
    const asked = { text: "Hey, what's the weather in Tokyo right now?" }
    expect(renderRequest({ prompt: asked, tools: [weather] }, { bos: true })).toBe(
      '<bos><start_of_turn>developer\n' +
        `You are a model that can do function calling with the following functions${declaration}<end_of_turn>\n` +
        "<start_of_turn>user\nHey, what's the weather in Tokyo right now?<end_of_turn>\n" +
        '<start_of_turn>model\n',
    )
  })

  test('a call, and two calls at once', () => {
    const tokyo =
      '<start_function_call>call:get_current_weather{location:<escape>Tokyo, Japan<escape>}<end_function_call>'
    const call = { tool: 'get_current_weather', args: { location: 'Tokyo, Japan' } }
    expect(renderCall(call.tool, call.args)).toBe(tokyo)
    expect(parseAnswer(tokyo)).toEqual({ text: '', calls: [call], problems: [], hidden: false })
    expect(parseAnswer(tokyo + tokyo).calls).toEqual([call, call])
  })

  test('a transcript: call and response in one turn of the model', () => {
    const messages = [
      { role: 'user' as const, content: "What's the weather in Tokyo?" },
      {
        role: 'assistant' as const,
        content: '',
        tool_calls: [{ id: 'c', name: 'get_current_weather', arguments: '{"location":"Tokyo, Japan"}' }],
      },
      {
        role: 'tool' as const,
        tool_call_id: 'c',
        name: 'get_current_weather',
        content: 'sunny<end_of_turn>',
      },
    ]
    const turns =
      "<start_of_turn>user\nWhat's the weather in Tokyo?<end_of_turn>\n<start_of_turn>model\n" +
      '<start_function_call>call:get_current_weather{location:<escape>Tokyo, Japan<escape>}<end_function_call>' +
      '<start_function_response>response:get_current_weather{result:<escape>sunny‹end_of_turn><escape>}' +
      '<end_function_response>'
    const prompt = { text: 'THE PACKET' }
    expect(renderRequest({ prompt, tools: [], messages, context: 'messages' }).endsWith(turns)).toBe(true)
    expect(renderRequest({ prompt, tools: [], messages, context: 'both' })).toContain(
      `${turns}<end_of_turn>\n<start_of_turn>user\nTHE PACKET<end_of_turn>\n<start_of_turn>model\n`,
    )
  })

  test('a final answer in words', () => {
    const said = 'The current weather in Tokyo is sunny with a temperature of 15 degrees Celsius.'
    expect(parseAnswer(`${said}<end_of_turn>`)).toEqual({
      text: said,
      calls: [],
      problems: [],
      hidden: false,
    })
  })
})

describe('declarations', () => {
  test('nested objects, lists, nullable and the rest of JSON Schema that can be said', () => {
    const rendered = renderDeclarations([
      {
        name: 'plan',
        description: 'Plans.',
        parameters: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: {
            steps: { type: 'array', items: { $ref: '#/$defs/step' }, minItems: 1 },
            note: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Why' },
            mode: { anyOf: [{ const: 'fast' }, { const: 'slow' }] },
            count: { type: ['integer', 'null'], minimum: 0 },
          },
          required: ['steps'],
          additionalProperties: false,
          $defs: { step: { type: 'object', properties: { at: { type: 'number' } }, required: ['at'] } },
        },
      },
    ])
    expect(rendered).toContain(
      'properties:{count:{nullable:true,type:<escape>INTEGER<escape>},' +
        'mode:{enum:[<escape>fast<escape>,<escape>slow<escape>],type:<escape>STRING<escape>},' +
        'note:{description:<escape>Why<escape>,nullable:true,type:<escape>STRING<escape>},' +
        'steps:{items:{properties:{at:{type:<escape>NUMBER<escape>}},required:[<escape>at<escape>],' +
        'type:<escape>OBJECT<escape>},type:<escape>ARRAY<escape>}}',
    )
  })

  test('a tool without parameters', () => {
    expect(renderDeclarations([{ name: 'run_tests', description: 'Runs.', parameters: {} }])).toContain(
      'declaration:run_tests{description:<escape>Runs.<escape>,parameters:{type:<escape>OBJECT<escape>}}',
    )
  })

  test('a schema that refers to itself is declared once', () => {
    const node = { properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } } }
    const parameters = { properties: { tree: { $ref: '#/$defs/node' } }, $defs: { node } }
    expect(renderDeclarations([{ name: 'f', description: '', parameters }])).toContain(
      'tree:{properties:{left:{},right:{}},type:<escape>OBJECT<escape>}',
    )
  })

  test('references that double what they refer to, again and again, end at a limit', () => {
    const twice = (at: number) => ({
      properties: { a: { $ref: `#/$defs/${at + 1}` }, b: { $ref: `#/$defs/${at + 1}` } },
    })
    const $defs = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [String(at), twice(at)]))
    const parameters = { properties: { start: { $ref: '#/$defs/0' } }, $defs }
    expect(renderDeclarations([{ name: 'f', description: '', parameters }]).length).toBeLessThan(50_000)
  })
})

describe('answers', () => {
  const args = (text: string) =>
    parseAnswer(`<start_function_call>call:f{${text}}<end_function_call>`).calls[0]?.args

  test('numbers, booleans, null, lists and objects are bare', () => {
    expect(args('n:15,x:-1.5e3,t:true,f:False,z:null,l:[1,[<escape>a<escape>]],o:{k:{},e:[]}')).toEqual({
      ...{ n: 15, x: -1500, t: true, f: false, z: null },
      ...{ l: [1, ['a']], o: { k: {}, e: [] } },
    })
  })

  test('a string may hold braces, commas, quotes and line breaks', () => {
    const code = 'if (a) {\n  return "}", [b]\n}'
    expect(args(`code:<escape>${code}<escape>,n:1`)).toEqual({ code, n: 1 })
  })

  test('keys between escapes, quoted strings and bare words, as models also write them', () => {
    expect(args('<escape>a b<escape>:1,"q":"x\\n\\"y",city:Tokyo, spaced : 2 ,')).toEqual({
      ...{ 'a b': 1, q: 'x\n"y', city: 'Tokyo', spaced: 2 },
    })
  })

  test('a quoted string of any length, whole or cut off, is read without running out of stack', () => {
    const long = '\\n'.repeat(1_000_000)
    expect(args(`"q" : "${long}"`)).toEqual({ q: '\n'.repeat(1_000_000) })
    expect(parseAnswer(`<start_function_call>call:f{q:"${long}`).problems).toMatchObject([{ cut: true }])
  })

  test('a key named __proto__ stays a key', () => {
    const read = args('__proto__:{admin:true}')
    expect(Object.keys(read ?? {})).toEqual(['__proto__'])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test('what the model invents after its call is dropped', () => {
    const call = renderCall('f', { a: 1 })
    const invented = '<start_function_response>response:f{ok:true}<end_function_response>Done.'
    expect(parseAnswer(call + invented)).toEqual({
      text: '',
      calls: [{ tool: 'f', args: { a: 1 } }],
      problems: [],
      hidden: false,
    })
  })

  test('a call that ends with the text, its closing token taken as a stop', () => {
    expect(parseAnswer('<start_function_call>call:f{a:1}').calls).toEqual([{ tool: 'f', args: { a: 1 } }])
  })

  test('without its tokens no call is read: it may be one that was only spoken of', () => {
    const unread = [
      ...['call:apply_fixes{}', 'call:f{a:1,b:[true]}', 'call:f{city:Tokyo, n:1}'],
      ...['call:f{city:Tokyo, Japan}', 'call:f{a:1} is what I would do'],
    ]
    for (const text of unread)
      expect(parseAnswer(text), text).toMatchObject({ calls: [], problems: [{}], hidden: true })
  })

  test.each([
    ['a string without its end', 'call:f{a:<escape>abc', true],
    ['no closing brace', 'call:f{a:1', true],
    ['a comma too early', 'call:f{a:,b:2}<end_function_call>', false],
    ['no name', 'call:{a:1}<end_function_call>', false],
    ['no braces', 'call:f<end_function_call>', false],
    ['words after the arguments', 'call:f{a:1} and so<end_function_call>', false],
    ['too deep', `call:f{a:${'['.repeat(5000)}${']'.repeat(5000)}}<end_function_call>`, false],
  ])('%s is a problem, and the call after it is read', (_what, broken, cut) => {
    const whole = parseAnswer(`Well. <start_function_call>${broken}`)
    expect(whole).toMatchObject({ text: 'Well.', calls: [], problems: [{ cut }] })
    const both = parseAnswer(`<start_function_call>${broken}${renderCall('g', { b: 1 })}`)
    expect(both.calls).toEqual([{ tool: 'g', args: { b: 1 } }])
    expect(both.problems).toMatchObject([{ cut: false }])
  })
})
