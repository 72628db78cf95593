import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Unusable } from '../../src/model/faults.ts'
import { answerOf, gather } from '../../src/model/openai/read.ts'

const shared = process.env['TWOTRACK_SHARED'] ?? join(import.meta.dirname, '../../../shared')
const folder = join(shared, 'corpora/modelserver')
const bodies = existsSync(folder) ? globSync(join(folder, '*/*.json')).sort() : []
const streams = existsSync(folder) ? globSync(join(folder, '*/*.chunks.txt')).sort() : []
const seed = Number(process.env['SEED'] ?? 20260214)

const isRefused = (thrown: unknown) => thrown instanceof Unusable
const read = (body: unknown) => answerOf(body, 1, ['weather'])

/** An answer or a fault; anything else that is thrown fails the test. */
function tryRead(body: unknown) {
  try {
    return read(body)
  } catch (thrown) {
    if (!isRefused(thrown)) throw thrown
    return undefined
  }
}

async function* each(lines: readonly string[], end: readonly string[] = ['[DONE]']): AsyncIterable<string> {
  yield* [...lines, ...end]
}

describe.skipIf(bodies.length === 0)('recorded responses of real servers', () => {
  test.each(bodies.filter((path) => path.endsWith('tool-call.json')))('%s holds a call', (path) => {
    const { calls } = read(JSON.parse(readFileSync(path, 'utf8')))
    expect(calls.length).toBeGreaterThan(0)
    for (const { tool, args } of calls) {
      expect(tool).not.toBe('')
      expect(args).toBeTypeOf('object')
    }
  })

  test('whatever a server sends with status 200 is an answer or a fault', () => {
    for (const path of bodies) tryRead(JSON.parse(readFileSync(path, 'utf8')))
  })

  test(`any field may be missing or of another type (seed ${seed})`, () => {
    const values = bodies.map((path) => JSON.parse(readFileSync(path, 'utf8')) as unknown)
    const wrong = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 }))
    fc.assert(
      fc.property(
        fc.constantFrom(...values),
        fc.infiniteStream(fc.nat(9)),
        wrong,
        (value, choices, instead) => {
          tryRead(mutated(value, choices, instead))
        },
      ),
      { seed, numRuns: 500 },
    )
  })
})

describe.skipIf(streams.length === 0)('recorded streams of real servers', () => {
  const chats = streams
    .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').filter(Boolean) }))
    .filter(({ lines }) => lines.some((line) => line.includes('"delta":{') && line.includes('"choices"')))

  test.each(chats)('$path', async ({ path, lines }) => {
    const answer = answerOf(await gather(each(lines)), 1, ['weather'])
    expect(answer.finish).toBeTypeOf('string')
    if (path.includes('tool-call')) {
      expect(answer.calls.length).toBeGreaterThan(0)
      for (const { args } of answer.calls) expect(args).toBeTypeOf('object')
    } else expect(answer.text).not.toBe('')
  })

  test('cut after any chunk, a stream is whole or a fault', async () => {
    for (const { lines } of chats.filter(({ lines: { length } }) => length < 60)) {
      for (let kept = 0; kept < lines.length; kept++) {
        const cut = gather(each(lines.slice(0, kept), []))
        const whole = await cut.catch((thrown: unknown) =>
          isRefused(thrown) ? undefined : Promise.reject(thrown),
        )
        if (whole) expect(read(whole).finish).toBeTypeOf('string')
      }
    }
  })

  test('streams of other APIs are faults', async () => {
    for (const path of streams.filter((each) => !chats.some((chat) => chat.path === each))) {
      const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
      const seen: unknown = await gather(each(lines)).catch((thrown: unknown) => thrown)
      expect([path, isRefused(seen)]).toEqual([path, true])
    }
  })
})

/** Walks down by the choices and puts something else where it ends; undefined takes the field away. */
function mutated(value: unknown, choices: Iterator<number>, instead: unknown): unknown {
  const stop = (choices.next().value ?? 0) === 0
  if (stop || typeof value !== 'object' || value === null) return instead
  const keys = Object.keys(value)
  const key = keys[(choices.next().value ?? 0) % Math.max(keys.length, 1)]
  if (key === undefined) return instead
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === key ? mutated(item, choices, instead) : item))
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      name === key ? mutated(field, choices, instead) : field,
    ]),
  )
}
