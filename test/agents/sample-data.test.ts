import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitsType, splitTop } from '../../src/agents/sample_data/fits-type.ts'
import type { Json } from '../../src/core/event/json.ts'
import { SEED, seeded } from '../core/memory/seeded.ts'
import { textAt } from '../workspace/scratch.ts'
import { builtIn, call, folderWith } from './bench.ts'

const agent = await builtIn('sample_data')

/** A type, written in one language or the other, and what fits it. */
type Fits = { type: string; fits: (value: unknown) => boolean }

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function typesOf(
  leaves: Fits[],
  wrap: Record<'list' | 'map' | 'maybe', (inner: string) => string>,
): fc.Arbitrary<Fits> {
  return fc.letrec<{ type: Fits }>((tie) => ({
    type: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(...leaves),
      tie('type').map(({ type, fits }) => ({
        type: wrap.list(type),
        fits: (value: unknown) => Array.isArray(value) && value.every(fits),
      })),
      tie('type').map(({ type, fits }) => ({
        type: wrap.map(type),
        fits: (value: unknown) => isMap(value) && Object.values(value).every(fits),
      })),
      tie('type').map(({ type, fits }) => ({
        type: wrap.maybe(type),
        fits: (value: unknown) => value === null || fits(value),
      })),
    ),
  })).type
}

const python = typesOf(
  [
    { type: 'int', fits: Number.isInteger },
    { type: 'str', fits: (value) => typeof value === 'string' },
    { type: 'bool', fits: (value) => typeof value === 'boolean' },
    { type: 'Literal["a", "b,c"]', fits: (value) => value === 'a' || value === 'b,c' },
  ],
  {
    list: (inner) => `list[${inner}]`,
    map: (inner) => `dict[str, ${inner}]`,
    maybe: (inner) => `Optional[${inner}]`,
  },
)

const typescript = typesOf(
  [
    { type: 'number', fits: (value) => typeof value === 'number' },
    { type: 'string', fits: (value) => typeof value === 'string' },
    { type: "'on' | 'off'", fits: (value) => value === 'on' || value === 'off' },
    {
      type: '{ id: number; tags: string[] }',
      fits: (value) => isMap(value) && typeof value['id'] === 'number',
    },
  ],
  {
    list: (inner) => `(${inner})[]`,
    map: (inner) => `Record<string, ${inner}>`,
    maybe: (inner) => `(${inner}) | null`,
  },
)

test.each([
  ['python' as const, python],
  ['typescript' as const, typescript],
])(`what does not fit the declared type in %s is found (seed ${SEED})`, (language, types) => {
  fc.assert(
    fc.property(types, fc.jsonValue({ maxDepth: 2 }), ({ type, fits }, value) => {
      if (fits(value))
        expect(fitsType(type, value as Json, language), `${JSON.stringify(value)} as ${type}`).toBe(true)
      else if (!type.includes('{'))
        expect(fitsType(type, value as Json, language), `${JSON.stringify(value)} as ${type}`).toBe(false)
    }),
    seeded(300),
  )
})

test('a type that says too little takes every value', () => {
  for (const type of ['Decimal', 'Callable[[], int]', null]) expect(fitsType(type, 5, 'python')).toBe(true)
  for (const type of ['Line', '() => void', 'Map<string, number>'])
    expect(fitsType(type, 'x', 'typescript')).toBe(true)
})

test('types are split outside of brackets and quotes', () => {
  expect(splitTop('a, b[c, d], "e, f"', ',')).toEqual(['a', 'b[c, d]', '"e, f"'])
  expect(splitTop('(x: A | B) => C | D', '|')).toEqual(['(x: A | B) => C', 'D'])
})

const source = 'def f(n: int, name: str = "x", *rest) -> None: ...\ndef g(other): ...\ndef _p(x): ...\n'

test('fixtures that fit are written', async () => {
  const workspace = await folderWith({ 'a.py': source, 'test/x.txt': '' })
  const fixtures = { f: [{ n: 3, name: 'Ada' }, { n: 0 }], g: [{ other: [5] }] }
  const written = await call(agent, 'write_fixture_file', { fixtures }, { workspace, node: 'a.py' })
  expect(written.knowledge_delta).toMatchObject({ fixtures_written: 3 })
  const text = await textAt(workspace, String(written.knowledge_delta['fixture_file']))
  expect(JSON.parse(text)).toEqual(fixtures)
})

test.each([
  ['an unknown function', { h: [{ n: 1 }] }, /There is no function h that takes arguments \(there is f, g\)/],
  ['a private one', { _p: [{ x: 1 }] }, /There is no function _p/],
  ['an unknown parameter', { f: [{ n: 1, nme: 'x' }] }, /f, case 1: it has no parameter nme/],
  ['a missing argument', { f: [{ n: 1 }, { name: 'x' }] }, /f, case 2: the argument n is missing/],
  ['a wrong type', { f: [{ n: '1' }] }, /f, case 1: n is "1", and its type is int/],
  ['nothing', {}, /There is no case in them/],
])('%s is refused with the reason', async (_, fixtures, why) => {
  const workspace = await folderWith({ 'a.py': source })
  const written = call(agent, 'write_fixture_file', { fixtures }, { workspace, node: 'a.py' })
  await expect(written).rejects.toThrow(why)
})

test('a file that the project has is not written over', async () => {
  const workspace = await folderWith({ 'a.py': source })
  const project = await folderWith({ 'a.py': source, 'tests/fixtures/a.json': '{}' })
  const written = call(
    agent,
    'write_fixture_file',
    { fixtures: { f: [{ n: 1 }] } },
    { workspace, project, node: 'a.py' },
  )
  await expect(written).rejects.toThrow(/has tests\/fixtures\/a\.json already/)
})
