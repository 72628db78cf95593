import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { contextMode, defaultConfig, storeKind } from '../../src/config/config.ts'
import { configKeys } from '../../src/config/keys.ts'
import { loadConfig } from '../../src/config/load.ts'
import { folderWith, refusal } from './folder.ts'

const LIMIT = 'runner.memory.packet_size_limit'
const LIMIT_VARIABLE = 'TWOTRACK_RUNNER_MEMORY_PACKET_SIZE_LIMIT'
const yaml = (lines: string) => `runner:\n  memory:\n    ${lines}\n`
const load = (cwd: string, env: Record<string, string> = {}, set: string[] = []) =>
  loadConfig({ cwd, env, set })

describe('precedence', () => {
  test('without anything, every value is a default', () => {
    const cwd = folderWith()
    const { config, sources, file, root } = load(cwd)
    expect(config).toEqual(defaultConfig)
    expect(config.runner.memory).toMatchObject({
      enabled: true,
      packet_size_limit: 3000,
      trace_store: 'jsonl',
      summarizer_mode: 'tool_specific',
      trace_indexing: ['node', 'run', 'operation'],
    })
    expect(new Set(Object.values(sources))).toEqual(new Set(['default']))
    expect(Object.keys(sources)).toEqual(configKeys().map((key) => key.path))
    expect(file).toBeUndefined()
    expect(root).toBe(cwd)
  })

  test('the file wins over the default, the environment over the file, --set over all', () => {
    const cwd = folderWith({ 'twotrack.yaml': yaml('packet_size_limit: 1000') })
    const seen = [load(cwd), load(cwd, { [LIMIT_VARIABLE]: '1500' })]
    seen.push(load(cwd, { [LIMIT_VARIABLE]: '1500' }, [`${LIMIT}=1800`, `${LIMIT}=2000`]))
    expect(seen.map((it) => [it.config.runner.memory.packet_size_limit, it.sources[LIMIT]])).toEqual([
      [1000, 'file'],
      [1500, 'environment'],
      [2000, '--set'],
    ])
  })

  test('the seeds’ own configuration loads', () => {
    const text = `runner:
  memory:
    enabled: true
    packet_size_limit: 3000
    trace_store: "kv"
    summarizer_mode: "tool_specific"
    trace_indexing: ["node", "run", "operation"]
`
    expect(load(folderWith({ 'twotrack.yaml': text })).config.runner.memory.trace_store).toBe('kv')
  })

  test.each([
    '',
    '# nothing yet\n',
    '---\n',
    'runner:\n',
    'runner:\n  memory:\n    # enabled: false\n',
    '\uFEFF',
  ])('the file %j means defaults', (text) => {
    expect(load(folderWith({ 'twotrack.yaml': text })).config).toEqual(defaultConfig)
  })

  test('lists and maps can be given by --set and by the environment; text keys take the value as it stands', () => {
    const { config } = load(
      folderWith(),
      { TWOTRACK_RUNNER_MEMORY_DURABILITY: '{interval_ms: 50}', TWOTRACK_RUNNER_MEMORY_FOLDER: '#2024: [x' },
      [
        'runner.memory.trace_indexing=[node,run]',
        'runner.memory.tokenizer=007=x',
        'runner.memory.enabled=false',
      ],
    )
    expect(config.runner.memory).toMatchObject({
      durability: { interval_ms: 50 },
      folder: '#2024: [x',
      trace_indexing: ['node', 'run'],
      tokenizer: '007=x',
      enabled: false,
    })
  })

  test('anchors and aliases work within bounds', () => {
    const text = 'runner:\n  memory:\n    packet_size_limit: &n 900\n    prompt_budget: *n\n'
    expect(load(folderWith({ 'twotrack.yaml': text })).config.runner.memory.prompt_budget).toBe(900)
  })

  test('memory that is switched off keeps nothing durable and sends the transcript', () => {
    const { memory } = load(folderWith(), {}, ['runner.memory.enabled=false']).config.runner
    expect([storeKind(memory), contextMode(memory)]).toEqual(['memory', 'messages'])
    expect([storeKind(defaultConfig.runner.memory), contextMode(defaultConfig.runner.memory)]).toEqual([
      'jsonl',
      'packet',
    ])
  })
})

describe('finding the file', () => {
  test('what somebody else put into a folder that all can write to is none', ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only the superuser can make a file somebody else’s')
    const shared = folderWith({ 'twotrack.yaml': 'run: { concurrency: 1 }\n', 'own/.keep': '' })
    const cwd = join(shared, 'own')
    const found = () => load(cwd).file
    chownSync(join(shared, 'twotrack.yaml'), 65_534, 65_534)
    expect(found()).toBe(join(shared, 'twotrack.yaml'))
    chmodSync(shared, 0o1777)
    expect(found()).toBeUndefined()
    chownSync(join(shared, 'twotrack.yaml'), 0, 0)
    expect(found()).toBe(join(shared, 'twotrack.yaml'))
  })

  test('the nearest parent’s file is used, and relative paths start there', () => {
    const top = folderWith({ 'twotrack.yml': yaml('recent_actions: 3'), 'a/b/c.txt': '' })
    const { config, file, root } = load(join(top, 'a/b'))
    expect([config.runner.memory.recent_actions, file, root]).toEqual([3, join(top, 'twotrack.yml'), top])
  })

  test('a file above the git root is not looked at', () => {
    const top = folderWith({ 'twotrack.yaml': 'nonsense: 1', 'inner/.git': 'gitdir: elsewhere' })
    expect(load(join(top, 'inner')).file).toBeUndefined()
  })

  test('a named file is used instead, relative to the current folder', () => {
    const cwd = folderWith({ 'twotrack.yaml': 'nonsense: 1', 'other.yaml': yaml('rendering: json') })
    const { config } = loadConfig({ cwd, file: 'other.yaml', env: {}, set: [] })
    expect(config.runner.memory.rendering).toBe('json')
  })

  test('a named file that is missing is an error', () => {
    const error = refusal(() => loadConfig({ cwd: folderWith(), file: 'gone.yaml', env: {}, set: [] }))
    expect(error.code).toBe('missing')
    expect(error.message).toContain('gone.yaml')
  })

  test('a named file that cannot be reached is an error', () => {
    const cwd = folderWith()
    const links = join(cwd, 'loop.yaml')
    symlinkSync('loop.yaml', links)
    const error = refusal(() => loadConfig({ cwd, file: links, env: {}, set: [] }))
    expect(error.code).toBe('io')
    expect(error.message).toContain('loop.yaml cannot be read: ELOOP')
  })

  test('two files in one folder, a folder of that name and a dangling link are errors', () => {
    const both = refusal(() => load(folderWith({ 'twotrack.yaml': '', 'twotrack.yml': '' })))
    expect(both).toMatchObject({ code: 'bad_config' })
    expect(both.message).toContain('both exist; remove one of them')
    const withFolder = folderWith()
    mkdirSync(join(withFolder, 'twotrack.yaml'))
    expect(refusal(() => load(withFolder)).message).toContain('not a regular file')
    const withLink = folderWith()
    symlinkSync('nowhere.yaml', join(withLink, 'twotrack.yaml'))
    expect(refusal(() => load(withLink)).code).toBe('missing')
  })
})
