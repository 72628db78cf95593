import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { TRAJECTORY } from './cli/run.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
const place = mkdtempSync(join(tmpdir(), 'twotrack-pack-'))
const consumer = join(place, 'consumer')
const INSTALL_MS = 300_000

/** npm and what it starts run on the Node that runs the tests. */
async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { npm_config_prefix: _, ...environment } = process.env
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      cwd,
      env: { ...environment, PATH },
      maxBuffer: 64e6,
    })
    return stdout
  } catch (thrown) {
    const { stdout = '', stderr = '' } = thrown as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: thrown })
  }
}

const node = (cwd: string, ...args: string[]) => run(cwd, process.execPath, ...args)

let tarball = ''
beforeAll(async () => {
  await run(ROOT, 'npm', 'pack', '--pack-destination', place) // prepack builds
  tarball = join(place, readdirSync(place).find((name) => name.endsWith('.tgz')) ?? '')
  mkdirSync(consumer)
  writeFileSync(
    join(consumer, 'package.json'),
    JSON.stringify({ name: 'consumer', private: true, type: 'module' }),
  )
  await run(
    consumer,
    'npm',
    'install',
    tarball,
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  )
}, INSTALL_MS)
afterAll(() => rmSync(place, { recursive: true, force: true }))

describe('the package, installed elsewhere', () => {
  test('has the command', async () => {
    expect(await run(consumer, 'npx', '--no-install', 'twotrack', '--version')).toBe(`${manifest.version}\n`)
    const views = await run(
      consumer,
      'npx',
      '--no-install',
      'twotrack',
      'import',
      TRAJECTORY,
      '--views',
      '--store',
      'memory',
    )
    expect(views.trimEnd().split('\n')).toHaveLength(10)
    expect(readdirSync(consumer)).not.toContain('.agentfs')
  })

  test('records, closes, opens again and verifies, with each store', async () => {
    writeFileSync(
      join(consumer, 'use.mjs'),
      `import { Memory, jsonlStore, kvStore, memoryStore, verifyLog } from 'twotrack'
       for (const store of [memoryStore(), jsonlStore({ folder: 'logs' }), kvStore({ file: 'logs.db' })]) {
         const memory = await Memory.open({ store, agent_id: 'a', goal: 'use the package' })
         await memory.startTurn()
         const call = await memory.recordCall({ tool: 'ls', args: {} })
         await memory.recordResult(call, 'a.txt')
         await memory.close()
         const again = await Memory.open({ store, agent_id: 'a' })
         const { ok } = await verifyLog(store, 'a')
         console.log(store.kind, again.packet.recent_actions.length, ok)
         await again.close()
         await store.close()
       }`,
    )
    expect(await node(consumer, 'use.mjs')).toBe('memory 1 true\njsonl 1 true\nkv 1 true\n')
  })

  test('brings its test kit and its schemas', async () => {
    writeFileSync(
      join(consumer, 'store.test.mjs'),
      `import { describe, it } from 'node:test'
       import { memoryStore } from 'twotrack'
       import { storeSuite } from 'twotrack/testing'
       import packet from 'twotrack/schema/packet.schema.json' with { type: 'json' }
       import event from 'twotrack/schema/event.schema.json' with { type: 'json' }
       if (!packet.properties.goal || !event.anyOf) throw new Error('not the schemas')
       const make = async () => { const store = memoryStore(); return { store, dispose: () => store.close() } }
       storeSuite({ name: 'memory', persistent: false, make }, { describe, it })`,
    )
    expect(await node(consumer, '--test', 'store.test.mjs')).toMatch(/fail 0/)
  })

  test('has types that a strict program compiles against', async () => {
    writeFileSync(
      join(consumer, 'use.ts'),
      `import { defineSummarizer, Memory, memoryStore, type Packet, type Store } from 'twotrack'
       import { storeSuite } from 'twotrack/testing'
       const store: Store = memoryStore()
       const own = defineSummarizer({ name: 'own', summarize: ({ text }) => ({ summary: text.slice(0, 10) }) })
       const memory = await Memory.open({ store, agent_id: 'a', goal: 'g', summarizers: { ls: own } })
       const packet: Packet = memory.packet
       export const goal: string = packet.goal
       // @ts-expect-error a goal is text
       await Memory.open({ store, agent_id: 'a', goal: 3 })
       export { storeSuite }`,
    )
    const options = {
      compilerOptions: {
        target: 'es2024',
        module: 'nodenext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        typeRoots: [join(MODULES, '@types')],
        types: ['node'],
      },
      files: ['use.ts'],
    }
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(options))
    await node(consumer, join(MODULES, 'typescript', 'bin', 'tsc'), '-p', consumer)
    await node(consumer, join(MODULES, 'typescript-5', 'bin', 'tsc'), '-p', consumer)
  })

  test('is found flawless by publint and by "are the types wrong"', async () => {
    expect(await run(ROOT, join(MODULES, '.bin', 'publint'), tarball, '--strict')).toContain('All good!')
    await run(
      ROOT,
      join(MODULES, '.bin', 'attw'),
      tarball,
      '--profile',
      'esm-only',
      '--exclude-entrypoints',
      './schema/event.schema.json',
      './schema/packet.schema.json',
    )
  })

  test('holds what people need and nothing of the workshop', async () => {
    const listed = await run(place, 'tar', '-tzf', tarball)
    for (const file of ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.d.ts', 'dist/cli/main.js'])
      expect(listed).toContain(`package/${file}\n`)
    expect(listed).not.toMatch(/package\/(?:src|test|bench|docs|examples)\//)
  })
})
