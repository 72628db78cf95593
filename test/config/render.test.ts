import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { type Config, configSchema, defaultConfig, type MemoryConfig } from '../../src/config/config.ts'
import { configKeys } from '../../src/config/keys.ts'
import { fromFile, isProblem, loadConfig } from '../../src/config/load.ts'
import { renderConfig, valueText } from '../../src/config/render.ts'

const folder = mkdtempSync(join(tmpdir(), 'twotrack-render-'))
mkdirSync(join(folder, '.git'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((it) => !it.includes('\0'))
const tokens = fc.integer({ min: 64, max: 2_000_000 })
/** `retention` is a section of its own. */
type Keys = Omit<MemoryConfig, 'retention'>
const values: { [K in keyof Keys]: fc.Arbitrary<Keys[K]> } = {
  enabled: fc.boolean(),
  packet_size_limit: tokens,
  prompt_budget: tokens,
  trace_store: fc.constantFrom('memory', 'jsonl', 'kv', 'postgres'),
  url: text,
  project: text,
  lease_ms: fc.integer({ min: 1_000, max: 600_000 }),
  folder: text,
  durability: fc.oneof(
    fc.constant('always' as const),
    fc.record({ interval_ms: fc.integer({ min: 1, max: 60_000 }) }),
  ),
  trace_indexing: fc.subarray(['node', 'run', 'operation']),
  summarizer_mode: fc.constantFrom('tool_specific', 'generic', 'tool_only'),
  recent_actions: fc.integer({ min: 1, max: 100 }),
  rendering: fc.constantFrom('json', 'outline'),
  secrets: fc.constantFrom('replace', 'off'),
  vault_days: fc.option(fc.integer({ min: 0, max: 36_500 })),
  tokenizer: text,
}
const subsets = fc.record(values, { requiredKeys: [] })
const seed = Number(process.env['SEED'] ?? 20_251_115)
const configOf = (memory: Partial<MemoryConfig>): Config => configSchema.parse({ runner: { memory } })
const pathsOf = (memory: object) => Object.keys(memory).map((name) => `runner.memory.${name}`)

test(`any subset of keys goes through the rendered file unchanged (seed ${seed})`, () => {
  fc.assert(
    fc.property(subsets, (memory) => {
      const config = configOf(memory)
      writeFileSync(join(folder, 'twotrack.yaml'), renderConfig(config, { keys: new Set(pathsOf(memory)) }))
      const loaded = loadConfig({ cwd: folder, env: {}, set: [] })
      expect(loaded.config).toEqual(config)
      const fromFile = Object.keys(loaded.sources).filter((path) => loaded.sources[path] === 'file')
      expect(fromFile.sort()).toEqual(pathsOf(memory).sort())
    }),
    { seed, numRuns: 200 },
  )
})

test(`a rendered value can be given to --set and to the environment (seed ${seed})`, () => {
  const keys = configKeys()
  fc.assert(
    fc.property(subsets, (memory) => {
      const given = Object.entries(memory).map(([name, value]) => {
        const key = keys.find(({ path }) => path === `runner.memory.${name}`)
        const plain = typeof value === 'string' ? value : valueText(value)
        return { path: key?.path ?? '', variable: key?.variable ?? '', plain }
      })
      const set = given.map(({ path, plain }) => `${path}=${plain}`)
      const env = Object.fromEntries(given.map(({ variable, plain }) => [variable, plain]))
      const file = join(folder, 'empty.yaml')
      writeFileSync(file, '')
      expect(loadConfig({ cwd: folder, file, env: {}, set }).config).toEqual(configOf(memory))
      expect(loadConfig({ cwd: folder, file, env, set: [] }).config).toEqual(configOf(memory))
    }),
    { seed, numRuns: 100 },
  )
})

test('the rendering explains every key and says where its value comes from', () => {
  const set = ['runner.memory.folder=# odd']
  writeFileSync(join(folder, 'empty.yaml'), '')
  const { config, sources } = loadConfig({ cwd: folder, file: 'empty.yaml', env: {}, set })
  const rendered = renderConfig(config, { sources })
  expect(rendered).toContain('    folder: "# odd" # --set\n')
  expect(rendered).toContain('    packet_size_limit: 3000 # default\n')
  const unwrapped = rendered.replaceAll(/\n *# /g, ' ')
  for (const { description } of configKeys()) expect(unwrapped).toContain(description)
  expect(fromFile(rendered, 'twotrack.yaml').filter(isProblem)).toEqual([])
})

test('the default configuration, rendered, begins with its sections', () => {
  expect(renderConfig(defaultConfig).split('\n').slice(0, 4)).toEqual([
    '# How agents are run.',
    'runner:',
    '  # The log, and the packet that is folded from it.',
    '  memory:',
  ])
})
