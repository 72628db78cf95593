import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonical, type Json, type JsonObject } from '../../../src/core/event/json.ts'
import { renderCall, renderDeclarations, renderRequest } from '../../../src/model/functiongemma/prompt.ts'
import { declared } from '../../../src/model/functiongemma/schema.ts'
import { parseAnswer, readObject } from '../../../src/model/gemma-notation/answer.ts'

import { sanitizeText, withoutControlTokens } from '../../../src/text/sanitize.ts'

const seed = Number(process.env['SEED'] ?? 20260214)
const runs = (numRuns: number) => ({ seed, numRuns, verbose: 1 as const })

const TOKENS = [
  '<escape>',
  '<end_function_call>',
  '<start_of_turn>',
  '<end_of_turn>',
  '<bos>',
  '<esc',
  'ape>',
]
/** Text that tries to be notation: brackets, commas, quotes, line breaks, control tokens and halves of them. */
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...TOKENS, '{', '}', ',', ':', '"', '\\', '\n', '[', ']'), fc.string()))
  .map((parts) => parts.join(''))
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,15}$/)
const jsonArgs = fc.dictionary(
  fc.oneof(name, fc.string(), fc.constantFrom('__proto__', '', 'a b', '1')),
  fc.jsonValue({ maxDepth: 5 }).map((value) => value as Json),
  { noNullPrototype: true },
)

test(`a rendered call is read back as it was (seed ${seed})`, () => {
  fc.assert(
    fc.property(name, jsonArgs, (tool, args) => {
      const { calls, problems, text } = parseAnswer(renderCall(tool, args))
      expect(problems).toEqual([])
      expect(text).toBe('')
      expect(calls.map((call) => [call.tool, canonical(call.args)])).toEqual([
        [tool, canonical(JSON.parse(withoutControlTokens(JSON.stringify(args))))],
      ])
    }),
    runs(500),
  )
})

test(`text in arguments can neither end a string nor begin a call (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1, maxLength: 4 }), (texts) => {
      const { calls, problems } = parseAnswer(
        texts.map((text) => renderCall('f', { text, list: [text] })).join('\n'),
      )
      expect(problems).toEqual([])
      expect(calls.map(({ args }) => args)).toEqual(
        texts.map((text) => ({ list: [withoutControlTokens(text)], text: withoutControlTokens(text) })),
      )
    }),
    runs(500),
  )
})

const described = fc.record(
  { description: fc.string({ minLength: 1 }).map(sanitizeText) },
  { requiredKeys: [] },
)
const schema = fc.letrec<{ any: JsonObject }>((tie) => ({
  any: fc
    .tuple(
      described,
      fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<JsonObject>(
          { type: 'STRING' },
          { type: 'INTEGER' },
          { type: 'NUMBER' },
          { type: 'BOOLEAN' },
        ),
        fc
          .array(fc.string(), { minLength: 1 })
          .map((values): JsonObject => ({ type: 'STRING', enum: values.map(withoutControlTokens) })),
        tie('any').map((items): JsonObject => ({ type: 'ARRAY', items })),
        fc
          .dictionary(fc.oneof(name, fc.constantFrom('type', 'description', 'properties')), tie('any'), {
            minKeys: 1,
            noNullPrototype: true,
          })
          .map(
            (properties): JsonObject => ({
              type: 'OBJECT',
              properties,
              required: Object.keys(properties).slice(0, 1),
            }),
          ),
      ),
      fc.constantFrom<JsonObject>({}, { nullable: true }),
    )
    .map(
      ([text, shape, nullable]): JsonObject => ({
        ...(text.description ? { description: text.description } : {}),
        ...shape,
        ...nullable,
      }),
    ),
})).any

/** The tools that rendered declarations declare, by the same reader that reads calls. */
const parseDeclarations = (text: string) =>
  text
    .split('<start_function_declaration>declaration:')
    .slice(1)
    .map((part) => {
      const open = part.indexOf('{')
      const read = readObject(part, open)
      return { name: part.slice(0, open), ...('args' in read ? read.args : { problem: read.what }) }
    })

test(`a declaration is read back as the same schema (seed ${seed})`, () => {
  fc.assert(
    fc.property(name, fc.string().map(sanitizeText), schema, (tool, description, field) => {
      const parameters: JsonObject = { type: 'OBJECT', properties: { field } }
      const [read, ...more] = parseDeclarations(renderDeclarations([{ name: tool, description, parameters }]))
      expect(more).toEqual([])
      expect(read).toEqual({ name: tool, description, parameters })
    }),
    runs(300),
  )
})

test(`any JSON at all can stand where a schema should, and what is declared stays (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const once = declared(value)
      expect(declared(once)).toEqual(once)
      renderDeclarations([
        { name: 'f', description: '', parameters: { properties: { value: value as Json } } },
      ])
    }),
    runs(300),
  )
})

test(`a prompt holds the control tokens of its three turns and no others (seed ${seed})`, () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (text, description, tool) => {
      const parameters: JsonObject = { properties: { [tool]: { type: 'string', description, enum: [text] } } }
      const prompt = renderRequest({ prompt: { text }, tools: [{ name: tool, description, parameters }] })
      const count = (token: string) => prompt.split(token).length - 1
      expect(['<bos>', '<start_of_turn>', '<end_of_turn>', '<start_function_call>'].map(count)).toEqual([
        0, 3, 2, 0,
      ])
      expect(count('<start_function_declaration>')).toBe(1)
      expect(count('<escape>') % 2).toBe(0)
    }),
    runs(300),
  )
})

test(`no text makes the reader throw or take more than linear time (seed ${seed})`, () => {
  const parts = fc.array(
    fc.constantFrom(...TOKENS, '<start_function_call>', 'call:f{', '}', '[', ',', 'a:', '"', 'x'),
  )
  fc.assert(
    fc.property(parts, (texts) => {
      const { calls, problems } = parseAnswer(texts.join(''))
      expect(calls.length + problems.length).toBeLessThanOrEqual(texts.length)
    }),
    runs(500),
  )
  for (const part of ['<start_function_call>', '<escape>', 'call:f{', '{a:', '[', '"\\']) {
    parseAnswer(`<start_function_call>call:f{${part.repeat(100_000)}`)
  }
})
