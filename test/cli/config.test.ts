import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { memorySettings } from '../../src/app/context.ts'
import { contextMode } from '../../src/config/config.ts'
import { configKeys } from '../../src/config/keys.ts'
import { loadConfig } from '../../src/config/load.ts'
import { chars } from '../secrets/made.ts'
import { AGENT, folderWith, jsonLines, TRAJECTORY, twotrack } from './run.ts'

const LIMIT = 'runner.memory.packet_size_limit'
const file = 'runner:\n  memory:\n    packet_size_limit: 1000\n'

test('defaults, then the file, then the environment, then --set; and config says which one counts', async () => {
  const env = { TWOTRACK_RUNNER_MEMORY_PACKET_SIZE_LIMIT: '1500' }
  const shown = async (cwd: string, args: string[] = [], variables = {}) => {
    const { stdout } = await twotrack(cwd, ['config', '--json', ...args], { env: variables })
    const { config, sources } = JSON.parse(stdout)
    return [config.runner.memory.packet_size_limit, sources[LIMIT]]
  }
  const cwd = folderWith({ 'twotrack.yaml': file })
  expect(await shown(folderWith())).toEqual([3000, 'default'])
  expect(await shown(cwd)).toEqual([1000, 'file'])
  expect(await shown(cwd, [], env)).toEqual([1500, 'environment'])
  expect(await shown(cwd, ['--set', `${LIMIT}=2000`], env)).toEqual([2000, '--set'])
})

test('what config prints is a twotrack.yaml with the same values', async () => {
  const printed = await twotrack(folderWith(), ['config', '--set', `${LIMIT}=2000`])
  const cwd = folderWith({ 'other.yaml': printed.stdout })
  const { stdout } = await twotrack(cwd, ['config', '--config', 'other.yaml', '--json'])
  expect(JSON.parse(stdout).config.runner.memory.packet_size_limit).toBe(2000)
})

/** Loaded before the command: counts how often it syncs a log, and says so at the end. */
const countSyncs = `
  import { open } from 'node:fs/promises'
  const file = await open(process.execPath)
  const shared = Object.getPrototypeOf(file)
  await file.close()
  const { datasync } = shared
  let count = 0
  shared.datasync = function () { count++; return datasync.call(this) }
  process.on('exit', () => console.error('synced ' + count + ' times'))
`
const counting = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(countSyncs)}` }

/** What an import with a setting does that one without it does not. */
type Proof = (run: (...set: string[]) => Promise<{ cwd: string; view: string; raw: string }>) => Promise<void>

const proofs: Record<string, Proof> = {
  'runner.memory.enabled': async (run) => {
    expect(existsSync(join((await run('enabled=false')).cwd, '.agentfs'))).toBe(false)
    const { config } = loadConfig({ cwd: folderWith(), env: {}, set: ['runner.memory.enabled=false'] })
    expect(contextMode(config.runner.memory)).toBe('messages')
  },
  'runner.memory.packet_size_limit': async (run) => {
    expect((await run('packet_size_limit=300')).view.length).toBeLessThan((await run()).view.length)
  },
  'runner.memory.prompt_budget': async (run) => {
    expect((await run('prompt_budget=300')).view.length).toBeLessThan((await run()).view.length)
  },
  'runner.memory.trace_store': async (run) => {
    expect(existsSync(join((await run('trace_store=kv')).cwd, '.agentfs', 'agent.db'))).toBe(true)
  },
  'runner.memory.folder': async (run) => {
    expect(existsSync(join((await run('folder=my logs')).cwd, 'my logs', 'traces'))).toBe(true)
  },
  'runner.memory.durability': async () => {
    const syncs = async (durability: string) => {
      const set = ['--set', `runner.memory.durability=${durability}`]
      const cwd = folderWith({ 'app.py': 'import os\n' })
      const { stderr } = await twotrack(cwd, ['run', 'lint', 'app.py', '--no-hub', ...set], { env: counting })
      return Number(/synced (\d+) times/.exec(stderr)?.[1])
    }
    expect(await syncs('always')).toBeGreaterThan(await syncs('{interval_ms: 60000}'))
  },
  'runner.memory.secrets': async (run) => {
    const first = async (cwd: string) =>
      JSON.parse((await twotrack(cwd, ['show', AGENT, '--event', '1', '--json'])).stdout)
    expect(JSON.stringify(await first((await run('secrets=off')).cwd))).toContain('"secrets":"off"')
    expect(JSON.stringify(await first((await run()).cwd))).not.toContain('"secrets":"off"')
  },
  'runner.memory.vault_days': async () => {
    const text = readFileSync(TRAJECTORY, 'utf8').replaceAll('10 passed', `key ghp_${chars(36, 'vault')}`)
    for (const [set, isKept] of [
      ['null', false],
      ['7', true],
    ] as const) {
      const cwd = folderWith({ 'a.jsonl': text })
      await twotrack(cwd, ['import', 'a.jsonl', '--set', `runner.memory.vault_days=${set}`])
      expect(existsSync(join(cwd, '.agentfs', 'vault.jsonl'))).toBe(isKept)
    }
  },
  'runner.memory.retention.raw_days': async (run) => {
    expect(await pruned((await run()).cwd)).toBe(0)
    expect(await pruned((await run()).cwd, 'raw_days=0')).toBeGreaterThan(0)
  },
  'runner.memory.retention.raw_bytes': async (run) => {
    expect(await pruned((await run()).cwd, 'raw_bytes=1')).toBeGreaterThan(0)
  },
  'runner.memory.retention.keep_errors': async (run) => {
    const { cwd } = await run()
    const [kept, all] = [
      await pruned(cwd, 'raw_days=0'),
      await pruned(cwd, 'raw_days=0', 'keep_errors=false'),
    ]
    expect(all).toBeGreaterThan(kept)
  },
  'runner.memory.retention.archive_days': async (run) => {
    const { cwd } = await run()
    const set = ['--set', 'runner.memory.retention.archive_days=0']
    expect((await twotrack(cwd, ['compact', '--json', ...set])).stdout).toContain('"archived"')
  },
  'runner.memory.trace_indexing': async (run) => {
    const { cwd } = await run('trace_store=kv', 'trace_indexing=[run]')
    const database = new DatabaseSync(join(cwd, '.agentfs', 'agent.db'))
    const keys = database.prepare("SELECT key FROM kv_store WHERE key LIKE 'index:%'").all()
    database.close()
    expect(new Set(keys.map(({ key }) => String(key).split(':')[1]))).toEqual(new Set(['run']))
  },
  'runner.memory.summarizer_mode': async (run) => {
    // The outline leaves out what a whole output says by itself.
    const json = 'rendering=json'
    expect((await run('summarizer_mode=tool_only', json)).view).toContain('Ran read_file')
    expect((await run(json)).view).not.toContain('Ran read_file')
  },
  'runner.memory.recent_actions': async (run) => {
    // Steps before the last are told in a line, without their output.
    const steps = async (...set: string[]) => (await run(...set)).view.split('STEPS\n')[1] ?? ''
    expect((await steps('recent_actions=1')).length).toBeLessThan((await steps()).length)
  },
  'runner.memory.rendering': async (run) => {
    expect((await run('rendering=json')).view).toMatch(/^\{"packet_version"/)
  },
  'runner.memory.tokenizer': async (run) => {
    expect((await run('tokenizer=none such')).raw).toContain('unknown tokenizer "none such"')
  },
}

/** How many bytes of raw output `compact` would remove. */
async function pruned(cwd: string, ...set: string[]): Promise<number> {
  const sets = set.flatMap((one) => ['--set', `runner.memory.retention.${one}`])
  return JSON.parse((await twotrack(cwd, ['compact', '--json', ...sets])).stdout).pruned_bytes
}

/** Keys that only runs and reports of them read, and those of PostgreSQL: test/scenario/config.test.ts and test/store/postgres prove them. */
const ofOthers = /^(?:checks$|(?:model|run|escalation|report)\.|runner\.memory\.(?:url|project|lease_ms)$)/

describe('every key is read by something', () => {
  test('there is a proof for each, and for nothing else', () => {
    const keys = configKeys().map(({ path }) => path)
    expect(Object.keys(proofs).sort()).toEqual(keys.filter((path) => !ofOthers.test(path)).sort())
  })

  test.each(Object.entries(proofs))('%s', async (_, proof) => {
    await proof(async (...set) => {
      const cwd = folderWith()
      const sets = set.flatMap((one) => ['--set', `runner.memory.${one}`])
      const args = ['import', TRAJECTORY, '--views', '--agent', AGENT, ...sets]
      const { stdout, stderr } = await twotrack(cwd, args)
      const last = jsonLines(stdout).at(-1)
      const view = typeof last === 'object' && last !== null && 'view' in last ? String(last.view) : ''
      return { cwd, view, raw: stdout + stderr }
    })
  })

  test('a run takes its settings from the configuration', () => {
    const { config } = loadConfig({ cwd: folderWith(), env: {}, set: [`${LIMIT}=2000`] })
    expect(memorySettings(config)).toMatchObject({
      packetSizeLimit: 2000,
      summarizerMode: 'tool_specific',
    })
  })
})
