import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { pythonSource } from '../../src/agents/sample_data/python-source.ts'
import { splitTop } from '../../src/agents/sample_data/split.ts'
import { valuesOfType } from '../../src/agents/sample_data/value-of-type.ts'
import type { Json } from '../../src/event/json.ts'
import { SEED, seeded } from '../memory/seeded.ts'
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
])(`every value fits the declared type in %s (seed ${SEED})`, (language, types) => {
  fc.assert(
    fc.property(types, ({ type, fits }) => {
      const values = valuesOfType({ type, name: 'x', language })
      expect(values.length, type).toBeGreaterThan(0)
      for (const value of values) expect(fits(value), `${JSON.stringify(value)} as ${type}`).toBe(true)
    }),
    seeded(200),
  )
})

test('a type that says too little gives no value', () => {
  for (const type of ['Decimal', 'dict[int, str]', 'Callable[[], int]', null])
    expect(valuesOfType({ type, name: 'x', language: 'python' })).toEqual([])
  for (const type of ['Line', '() => void', 'Map<string, number>', 'T[]'])
    expect(valuesOfType({ type, name: 'x', language: 'typescript' })).toEqual([])
})

test('types are split outside of brackets and quotes', () => {
  expect(splitTop('a, b[c, d], "e, f"', ',')).toEqual(['a', 'b[c, d]', '"e, f"'])
  expect(splitTop('(x: A | B) => C | D', '|')).toEqual(['(x: A | B) => C', 'D'])
})

const source = 'def f(n: int, name: str = "x") -> None: ...\ndef g(other): ...\n'

test.each(['json', 'yaml', 'python'] as const)(
  'fixtures are written as %s, whole calls only',
  async (format) => {
    const workspace = await folderWith({ 'a.py': source })
    const written = await call(agent, 'write_fixture_file', { format }, { workspace, node: 'a.py' })
    expect(written.knowledge_delta).toMatchObject({ fixtures_written: 3, fixtures_open: ['g(other)'] })
    const path = String(written.knowledge_delta['fixture_file'])
    const text = await textAt(workspace, path)
    if (format === 'python') expect(text).toContain('FIXTURES = {\n    "f": [\n')
    else
      expect((format === 'json' ? JSON.parse(text) : parse(text)).f[0]).toEqual({ n: 1, name: 'sample name' })
  },
)

test('given fixtures are written as they are', async () => {
  const workspace = await folderWith({ 'a.py': source, 'test/x.txt': '' })
  await call(agent, 'write_fixture_file', { fixtures: { g: [{ other: 5 }] } }, { workspace, node: 'a.py' })
  expect(JSON.parse(await textAt(workspace, 'test/fixtures/a.json'))).toEqual({ g: [{ other: 5 }] })
})

test(`Python reads back what was written for it (seed ${SEED})`, () => {
  const values = fc.sample(fc.jsonValue({ noUnicodeString: false }), { seed: SEED, numRuns: 30 }) as Json[]
  const read = spawnSync(
    'python3',
    ['-c', 'import ast, json, sys; print(json.dumps(ast.literal_eval(sys.stdin.read())))'],
    {
      input: pythonSource(values),
      encoding: 'utf8',
    },
  )
  expect(read.stderr).toBe('')
  expect(JSON.parse(read.stdout)).toEqual(JSON.parse(JSON.stringify(values)))
})
