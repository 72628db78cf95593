import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { CONFIG_BYTES_MAX } from '../../src/limits.ts'
import { folderWith, refusal } from './folder.ts'

function refusedFile(content: string | Uint8Array) {
  const cwd = folderWith({ 'twotrack.yaml': content })
  const error = refusal(() => loadConfig({ cwd, env: {}, set: [] }))
  expect(error.code).toBe('bad_config')
  expect(error.details).toMatchObject({ file: join(cwd, 'twotrack.yaml') })
  return { ...error.details, message: error.message.replaceAll(`${cwd}/`, '') }
}
const refusedSet = (...set: string[]) =>
  refusal(() => loadConfig({ cwd: folderWith(), env: {}, set })).message
const refusedEnv = (env: Record<string, string>) =>
  refusal(() => loadConfig({ cwd: folderWith(), env, set: [] })).message

const memory = (line: string) => `runner:\n  memory:\n    ${line}\n`

describe('a key that does not exist', () => {
  test.each([
    [
      memory('packet_size_limt: 1'),
      '3:5: unknown key runner.memory.packet_size_limt; did you mean packet_size_limit?',
    ],
    [
      memory('Packet-Size-Limit: 1'),
      '3:5: unknown key runner.memory.Packet-Size-Limit; did you mean packet_size_limit?',
    ],
    ['runer:\n  memory: {}\n', '1:1: unknown key runer; did you mean runner?'],
    [
      'packet_size_limit: 1\n',
      '1:1: unknown key packet_size_limit; did you mean runner.memory.packet_size_limit?',
    ],
    ['runner:\n  zebra: 1\n', '2:3: unknown key runner.zebra; known in runner: memory'],
    [
      memory('durability: {interval_m: 5}'),
      '3:5: unknown key runner.memory.durability.interval_m; did you mean interval_ms?',
    ],
    ['__proto__:\n  polluted: 1\n', '1:1: unknown key __proto__; known here: runner'],
    [
      memory('__proto__: {enabled: false}'),
      '3:5: unknown key runner.memory.__proto__; known in runner.memory: ',
    ],
    [memory('constructor: 1'), '3:5: unknown key runner.memory.constructor; known in runner.memory: '],
    [memory('<<: {enabled: false}'), '3:5: unknown key "runner.memory.<<"; known in runner.memory: '],
  ])('%j', (text, message) => {
    expect(refusedFile(text).message).toContain(`twotrack.yaml:${message}`)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test('by --set', () => {
    expect(refusedSet('runner.memory.packet_size_limt=2000')).toBe(
      '--set: unknown key runner.memory.packet_size_limt; did you mean packet_size_limit?',
    )
    expect(refusedSet('runner.memry.enabled=true')).toBe(
      '--set: unknown key runner.memry; did you mean memory?',
    )
    expect(refusedSet('__proto__.polluted=1')).toContain('unknown key __proto__')
    expect(refusedSet('runner.memory={}')).toContain(
      'runner.memory is a section; set one of its keys: enabled,',
    )
    expect(refusedSet('runner.memory.enabled.x=1')).toContain(
      'runner.memory.enabled is one value, true or false',
    )
    expect(refusedSet('runner.memory.enabled')).toContain('write it as key=value')
    expect(refusedSet('=1')).toContain('write it as key=value')
  })

  test('by a variable; variables of no section are left alone', () => {
    expect(refusedEnv({ TWOTRACK_RUNNER_MEMORY_PACKET_SIZE_LIMT: '1' })).toBe(
      'TWOTRACK_RUNNER_MEMORY_PACKET_SIZE_LIMT: unknown configuration variable; did you mean TWOTRACK_RUNNER_MEMORY_PACKET_SIZE_LIMIT?',
    )
    expect(refusedEnv({ TWOTRACK_RUNNER_X: '1' })).toContain('known: TWOTRACK_RUNNER_MEMORY_ENABLED, ')
    const env = { TWOTRACK_SHARED: '/x', TWOTRACK_KILLS: '500', TWOTRACK_RUNNERS: '1', PATH: '' }
    expect(() => loadConfig({ cwd: folderWith(), env, set: [] })).not.toThrow()
  })
})

describe('a row of a list', () => {
  const row = (...lines: string[]) =>
    `checks:\n  - ${['name: a', 'check: a {files}', ...lines].join('\n    ')}\n`
  test.each([
    [
      row('files: "*.py"', 'report: lnes'),
      'checks[0].report is the text "lnes"; expected sarif, json, lines, or',
    ],
    [row('fils: "*.py"', 'report: lines', 'files: a'), 'unknown key checks[0].fils; did you mean files?'],
    [row('report: lines'), 'checks[0].files is empty; expected text of 1 to 2000 characters'],
    [
      row('report: lines', "files: '*.sh'"),
      'checks[0].files is the text "*.sh"; expected a pattern of files that',
    ],
  ])('%j', (text, message) => {
    expect(refusedFile(text).message).toContain(`twotrack.yaml:1:1: ${message}`)
  })
})

describe('a value that does not fit', () => {
  test.each([
    [
      'packet_size_limit: many',
      'packet_size_limit is the text "many"; expected a whole number from 64 to 2000000',
    ],
    ['packet_size_limit: "3000"', 'packet_size_limit is the text "3000"; expected a whole number'],
    ['packet_size_limit: 63', 'packet_size_limit is the number 63; expected a whole number from 64'],
    ['packet_size_limit: 99.5', 'packet_size_limit is the number 99.5; expected a whole number'],
    ['packet_size_limit: .inf', 'packet_size_limit is the number Infinity; expected a whole number'],
    ['packet_size_limit:', 'packet_size_limit is empty; expected a whole number'],
    ['enabled: yes', 'enabled is the text "yes"; expected true or false'],
    ['trace_store: jsnl', 'trace_store is the text "jsnl"; expected one of memory, jsonl, kv'],
    ['trace_store: jsnl', '; did you mean jsonl?'],
    [
      'trace_indexing: [node, runn]',
      'trace_indexing[1] is the text "runn"; expected one of node, run, operation; did you mean run?',
    ],
    ['trace_indexing: [node, node]', 'no item twice'],
    ['trace_indexing: node', 'trace_indexing is the text "node"; expected a list'],
    [
      'durability: {interval_ms: 0}',
      'durability.interval_ms is the number 0; expected a whole number from 1 to 60000',
    ],
    ['durability: sometimes', 'durability is the text "sometimes"; expected always or {interval_ms: '],
    ['folder: ""', 'folder is the text ""; expected non-empty text'],
    ['folder: 12', 'folder is the number 12; expected non-empty text'],
    ['recent_actions: true', 'recent_actions is true; expected a whole number from 1 to 400'],
  ])('%s', (line, message) => {
    const refused = refusedFile(memory(line))
    expect(refused).toMatchObject({ line: 3, column: 5 })
    expect(refused.message).toContain(message)
  })

  test('in place of a section', () => {
    const { message } = refusedFile('runner:\n  memory:\n    packet_size_limit')
    expect(message).toContain(
      '2:3: runner.memory is the text "packet_size_limit"; expected keys under it (enabled,',
    )
    expect(refusedFile('- a\n').message).toContain(
      'the whole file is the list ["a"]; expected keys under it (runner',
    )
  })

  test('by --set and by a variable, also when another source would win', () => {
    expect(refusedSet('runner.memory.recent_actions=lots')).toContain(
      '--set: runner.memory.recent_actions is the text',
    )
    expect(refusedSet('runner.memory.trace_indexing=[node')).toContain(
      'runner.memory.trace_indexing cannot be read: ',
    )
    expect(refusedEnv({ TWOTRACK_RUNNER_MEMORY_ENABLED: '' })).toBe(
      'TWOTRACK_RUNNER_MEMORY_ENABLED: runner.memory.enabled is empty; expected true or false',
    )
    const cwd = folderWith({ 'twotrack.yaml': memory('recent_actions: 0') })
    const set = ['runner.memory.recent_actions=5']
    expect(refusal(() => loadConfig({ cwd, env: {}, set })).code).toBe('bad_config')
  })

  test('all problems are told at once, up to a limit', () => {
    const { message } = refusedFile(`${memory('enabled: 1\n    rendering: xml')}zebra: 1\n`)
    expect(message.split('\n')).toHaveLength(3)
    const many = Array.from({ length: 3000 }, (_, index) => `unknown_${index}: 1`).join('\n')
    const lines = refusedFile(many).message.split('\n')
    expect(lines).toHaveLength(21)
    expect(lines.at(-1)).toBe('and 2980 more problems')
  })

  test('somebody’s long text is not repeated whole', () => {
    expect(refusedFile(memory(`enabled: ${'x'.repeat(5000)}`)).message.length).toBeLessThan(300)
    expect(refusedFile(`${'k'.repeat(900)}: 1`).message.length).toBeLessThan(300)
  })
})

describe('a file that is not usable YAML', () => {
  test.each([
    ['runner:\n  memory:\n    trace_indexing: [node, ', 3, 'end with a ]'],
    ['runner:\n  memory:\n    folder: "half', 3, 'Missing closing "quote'],
    ['runner:\n  memory: {enabled: true', 2, 'end with a }'],
    ['runner:\n\tmemory: 1\n', 2, 'Tabs are not allowed'],
    [memory('enabled: true\n    enabled: false'), 4, 'Map keys must be unique'],
    [memory('trace_indexing: &x [*x]'), 3, '*x stands within what it names'],
    [memory(`trace_indexing: ${'['.repeat(80)}${']'.repeat(80)}`), 1, 'nested deeper than 64'],
    ['runner: {}\n---\nrunner: {}\n', 2, 'multiple documents'],
    [memory('folder: !!binary aGk='), 3, 'Unresolved tag'],
    [memory('folder: *nothing'), 1, 'Unresolved alias'],
    ['? [a]\n: 1\n', 1, 'keys must be strings'],
    ['['.repeat(CONFIG_BYTES_MAX), 1, ''],
  ])('%.60j', (text, line, message) => {
    const refused = refusedFile(text)
    expect(refused).toMatchObject({ line, column: expect.any(Number) })
    expect(refused.message).toContain('not valid YAML: ')
    expect(refused.message).toContain(message)
  })

  test('aliases that multiply', () => {
    const levels = 'bcdefghi'.split('').map((name, index) => {
      const before = 'abcdefgh'[index]
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`
    })
    expect(refusedFile(['a: &a [x, x]', ...levels].join('\n')).message).toContain('Excessive alias count')
  })

  test('every beginning of a good file either loads or is refused with its place', () => {
    const whole = memory('folder: "a b"\n    trace_indexing: [node, run]\n    durability: {interval_ms: 5}')
    for (let length = 0; length <= whole.length; length++) {
      const cwd = folderWith({ 'twotrack.yaml': whole.slice(0, length) })
      try {
        loadConfig({ cwd, env: {}, set: [] })
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'bad_config', details: { line: expect.any(Number) } })
      }
    }
  })

  test('too large, or not text', () => {
    expect(refusedFile('#'.repeat(CONFIG_BYTES_MAX + 1)).message).toContain(
      `larger than ${CONFIG_BYTES_MAX} bytes`,
    )
    expect(refusedFile(new Uint8Array([0x72, 0xff, 0xfe])).message).toContain('not UTF-8')
  })
})
