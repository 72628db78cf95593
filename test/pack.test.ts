import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { contentsOf, folderWith, TRAJECTORY } from './cli/run.ts'
import { apiReports } from './pack/api-report.ts'
import { type Page, writePages } from './pack/blocks.ts'
import { type Consumer, installElsewhere, MODULES, node, ROOT, run, typeCheck } from './pack/consumer.ts'
import { type PublicNames, publicNames } from './pack/public-names.ts'

let consumer: Consumer
beforeAll(async () => {
  consumer = await installElsewhere()
})
afterAll(() => consumer?.dispose())

const npx = (...args: string[]) => run(consumer.folder, 'npx', '--no-install', 'twotrack', ...args)

/** What can be imported with nothing else installed: the middleware of LangChain is made by LangChain. */
const entries = Object.entries(manifest.exports).filter(
  ([path, target]) => typeof target !== 'string' && path !== './langchain',
)

describe('the package, installed elsewhere', () => {
  test('has the command', async () => {
    expect(await npx('--version')).toBe(`${manifest.version}\n`)
    expect((await npx('import', TRAJECTORY, '--views', '--store', 'memory')).match(/\n/g)).toHaveLength(10)
    expect(readdirSync(consumer.folder)).not.toContain('.agentfs')
    const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.1.0' })`
    const started = node(consumer.folder, '--import', old, 'node_modules/twotrack/dist/cli/main.js', 'runs')
    await expect(started).rejects.toThrow(/:\n\ntwotrack needs Node 24 or later; this is v20\.1\.0\..*\n$/)
  })

  test('brings no package that only agents on code need, and says in one line what to install for them', async () => {
    const installed = readdirSync(join(consumer.folder, 'node_modules')).filter((name) => /^\w/.test(name))
    const theirs = ['ansi-regex', 'get-east-asian-width', 'resolve-pkg-maps', 'strip-ansi']
    expect(installed.sort()).toEqual([...Object.keys(manifest.dependencies), ...theirs, 'twotrack'].sort())
    mkdirSync(join(consumer.folder, 'code'))
    writeFileSync(join(consumer.folder, 'code', 'a.py'), 'print(f"hello")\n')
    await expect(npx('run', 'lint', 'code')).rejects.toThrow(
      /^twotrack: Parsing code needs the package web-tree-sitter, .* npm install web-tree-sitter .*oxlint.*$/m,
    )
  })

  test('loads one file for the memory: no linter, no grammar, no parser of YAML, not even zod', async () => {
    const loaded = await consumer.program(
      'loaded.mjs',
      `import { registerHooks } from 'node:module'
       const files = []
       registerHooks({ load: (url, context, next) => { files.push(url); return next(url, context) } })
       await import('twotrack')
       console.log(files.filter((url) => url.startsWith('file:')).map((url) => url.split('/node_modules/')[1]).join(' '))
       console.log(process.moduleLoadList.filter((name) => name.includes('sqlite')).length, 'parts of SQLite')`,
    )
    expect(loaded).toBe('twotrack/dist/index.js twotrack/dist/core.js\n0 parts of SQLite\n')
  })

  test('records, closes, opens again and verifies, with each store', async () => {
    const printed = await consumer.program(
      'use.mjs',
      `import { jsonlStore, kvStore, Memory, memoryStore } from 'twotrack'
       import { verifyLog } from 'twotrack/audit'
       for (const store of [memoryStore(), jsonlStore({ folder: 'logs' }), kvStore({ file: 'logs.db' })]) {
         const memory = await Memory.open({ store, agentId: 'a', goal: 'use the package' })
         await memory.startTurn()
         const call = await memory.recordCall({ tool: 'ls', args: {} })
         await memory.recordResult({ call, returned: 'a.txt' })
         await memory.close()
         const again = await Memory.open({ store, agentId: 'a' })
         const { ok } = await verifyLog(store, 'a')
         console.log(store.kind, again.packet.recent_actions.length, ok)
         await again.close()
         await store.close()
       }`,
    )
    expect(printed).toBe('memory 1 true\njsonl 1 true\nkv 1 true\n')
  })

  test('each entry point can be imported by itself, and an error of one is an error of all', async () => {
    const names = entries.map(([path]) => `twotrack${path.slice(1)}`)
    const printed = await consumer.program(
      'entries.mjs',
      `import { TwotrackError } from 'twotrack'
       for (const name of ${JSON.stringify(names)}) if (Object.keys(await import(name)).length === 0) console.log(name)
       const { defineTool } = await import('twotrack/tool')
       try { defineTool({ name: 'no name' }) } catch (thrown) { console.log(thrown instanceof TwotrackError) }`,
    )
    expect(printed).toBe('true\n')
  })

  test('is imported by Bun as well, each entry point of it, and records there', async ({ skip }) => {
    const bun = join(MODULES, '.bin', 'bun')
    const version = await run(ROOT, bun, '--version').catch(() => '')
    skip(version === '', `${bun} can't be run here: npm install bun brings it`)
    writeFileSync(
      join(consumer.folder, 'on-bun.mjs'),
      `import { Memory, memoryStore } from 'twotrack'
       for (const name of ${JSON.stringify(entries.map(([path]) => `twotrack${path.slice(1)}`))}) await import(name)
       const store = memoryStore()
       const memory = await Memory.open({ store, agentId: 'a', goal: 'run on Bun' })
       await memory.startTurn()
       await memory.close()
       console.log(process.versions.bun, (await store.head('a')).seq)`,
    )
    expect(await run(consumer.folder, bun, 'on-bun.mjs')).toBe(`${version.trim()} 2\n`)
  })

  test('brings its test kit, which the store of the example passes, and its schemas', async () => {
    writeFileSync(
      join(consumer.folder, 'store.test.mjs'),
      `import { describe, it } from 'node:test'
       import { bucketEngine, folderBucket } from './own-store.ts'
       import { storeSuite } from 'twotrack/testing'
       import packet from 'twotrack/schema/packet.schema.json' with { type: 'json' }
       import event from 'twotrack/schema/event.schema.json' with { type: 'json' }
       if (!packet.properties.goal || !event.anyOf) throw new Error('not the schemas')
       let made = 0
       const make = async () => ({ engine: bucketEngine(folderBucket('bucket-' + made++)), dispose: async () => {} })
       storeSuite({ name: 'own', persistent: false, without: ['watch', 'maintain'], make }, { describe, it })`,
    )
    const own = readFileSync(join(ROOT, 'examples', 'own-store.ts'))
    writeFileSync(join(consumer.folder, 'own-store.ts'), own)
    expect(await node(consumer.folder, '--test', 'store.test.mjs')).toMatch(/fail 0/)
  })

  test('is found flawless by publint and by "are the types wrong"', async () => {
    const { tarball } = consumer
    expect(await run(ROOT, join(MODULES, '.bin', 'publint'), tarball, '--strict')).toContain('All good!')
    const schemas = ['./schema/event.schema.json', './schema/packet.schema.json']
    const attw = join(MODULES, '.bin', 'attw')
    await run(ROOT, attw, tarball, '--profile', 'esm-only', '--exclude-entrypoints', ...schemas)
  })

  test('holds what people need and nothing of the workshop', async () => {
    const listed = await run(dirname(consumer.tarball), 'tar', '-tzf', consumer.tarball)
    for (const file of [
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'docs/agents.md',
      'dist/index.d.ts',
      'dist/cli/main.js',
    ])
      expect(listed).toContain(`package/${file}\n`)
    expect(listed).not.toMatch(/package\/(?:src|test|bench|examples|api)\//)
  })
})

describe('the public API', () => {
  const folder = join(ROOT, 'api')

  test('has exactly the types that are written down in api/', () => {
    const reports = apiReports()
    if (process.env['UPDATE_GOLDEN'] === '1')
      for (const [name, text] of reports) writeFileSync(join(folder, name), text)
    expect(readdirSync(folder).sort()).toEqual([...reports.keys()].sort())
    for (const [name, text] of reports) expect(readFileSync(join(folder, name), 'utf8'), name).toBe(text)
  })

  /** An optional peer may have an entry point of its own: one line here, beside its file and its lines in package.json. */
  const ofPeers = 'ai-sdk langchain mcp openai-agents store/postgres'
    .split(' ')
    .map((name) => `twotrack/${name}`)
  const NAMES_MAX = 150
  let found: PublicNames | undefined
  const names = () => {
    found ??= publicNames(ROOT)
    return found
  }

  test(`has at most nine entry points and ${NAMES_MAX} names, besides those of optional peers`, () => {
    const { entries } = names()
    const own = [...entries].filter(([entry]) => !ofPeers.includes(entry))
    expect(own.map(([entry]) => entry)).toHaveLength(9)
    expect(new Set(own.flatMap(([, names]) => names)).size).toBeLessThanOrEqual(NAMES_MAX)
    expect(ofPeers.filter((entry) => !entries.has(entry))).toEqual([])
  })

  test('names every type that a signature uses', () => {
    expect(names().hidden).toEqual([])
  })
})

/** What each must have printed, so that it is known to have done its work. */
const examples: Readonly<Record<string, RegExp>> = {
  'import-and-replay.ts': /10 turns, \d+ bytes of raw output, 32 events, intact\./,
  'memory-basics.ts': /GOAL: Make test_total pass\.[\s\S]*Do not touch the tests\.[\s\S]*1 of 11 tests fails/,
  'own-agent.ts': /^submitted \{"order":\["pears"\]\} after 4 turns$/m,
  'own-hub.ts':
    /turn 1: .*index \+ wiki[\s\S]*turn 2: nothing new\nturn 3: [\s\S]*turn 4: nothing new[\s\S]*And it must say why/,
  'own-summarizer.ts':
    /1 of 41 pods do not run[\s\S]*CrashLoopBackOff|CrashLoopBackOff[\s\S]*1 of 41 pods do not run/,
  'own-store.ts': /^event 4 is the last; the log is whole$/m,
}

describe('what is printed runs, against the installed package', () => {
  let pages: Page[] = []
  beforeAll(() => {
    consumer.addOptionalPackages()
    pages = writePages(join(consumer.folder, 'pages'))
    for (const name of [...Object.keys(examples), 'trajectory.jsonl'])
      writeFileSync(join(consumer.folder, name), readFileSync(join(ROOT, 'examples', name)))
  })

  test('every block of README and docs compiles, and so does a program that relies on the types', async () => {
    expect(pages.map(({ name }) => name)).toContain('README.md')
    writeFileSync(
      join(consumer.folder, 'use.ts'),
      `import { defineSummarizer, Memory, memoryStore, type Packet, type Store } from 'twotrack'
       import { storeSuite } from 'twotrack/testing'
       const store: Store = memoryStore()
       const own = defineSummarizer({ name: 'own', summarize: ({ text }) => ({ summary: text.slice(0, 10) }) })
       const memory = await Memory.open({ store, agentId: 'a', goal: 'g', summarizers: { ls: own } })
       const packet: Packet = memory.packet
       export const goal: string = packet.goal
       // @ts-expect-error a goal is text
       await Memory.open({ store, agentId: 'a', goal: 3 })
       export { storeSuite }`,
    )
    const [others = [], ours = []] = [true, false].map((uses) =>
      pages.filter(({ usesFramework }) => usesFramework === uses).flatMap(({ programs }) => programs),
    )
    await typeCheck(consumer.folder, [...ours, 'use.ts'])
    await typeCheck(consumer.folder, others, true)
  })

  test('every block of README and docs runs and prints what it says', async () => {
    // One process for a page, each block after the one before it and in its own folder.
    writeFileSync(
      join(consumer.folder, 'page.mjs'),
      `import { dirname } from 'node:path'
       import { pathToFileURL } from 'node:url'
       for (const file of process.argv.slice(2)) {
         process.chdir(dirname(file))
         await import(pathToFileURL(file).href)
       }`,
    )
    for (const { name, programs, prints } of pages) {
      const printed = (await node(consumer.folder, '--no-warnings', 'page.mjs', ...programs)).split('\n')
      for (const line of prints) expect(printed, name).toContain(line)
    }
  })

  test.each(Object.entries(examples))('examples/%s runs, and leaves nothing behind', async (name, output) => {
    const cwd = folderWith()
    const before = contentsOf(cwd)
    expect(await node(cwd, join(consumer.folder, name))).toMatch(output)
    expect(contentsOf(cwd)).toEqual(before)
  })

  test('all examples are run here, and an agent of one file has at most 40 lines', () => {
    const scripts = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.ts'))
    expect(scripts.sort()).toEqual(Object.keys(examples).sort())
    expect(
      readFileSync(join(ROOT, 'examples', 'own-agent.ts'), 'utf8').split('\n').length,
    ).toBeLessThanOrEqual(40)
  })

  test('an agent.yaml takes a tool and a summarizer of its own folder, written with the package', async () => {
    const home = join(consumer.folder, 'agents', 'shout')
    mkdirSync(home, { recursive: true })
    writeFileSync(
      join(home, 'shout.ts'),
      `import { defineTool } from 'twotrack/tool'
       import { z } from 'zod'
       const input = z.strictObject({ word: z.string().describe('what to shout') })
       export default defineTool({ name: 'shout', description: 'Shouts.', effect: 'pure', input, run: ({ word }) => word.toUpperCase() })`,
    )
    writeFileSync(
      join(home, 'loud.ts'),
      `import { defineSummarizer } from 'twotrack'
       export default defineSummarizer({ name: 'loud', summarize: ({ text }) => ({ summary: text, knowledge: { heard: text } }) })`,
    )
    writeFileSync(
      join(home, 'agent.yaml'),
      `name: shout
description: Shouts.
languages: [python]
node_types: [file]
prompt: Shout.
node_template: Shout about {{file_path}}.
tools: [./shout.ts]
summarizers: { shout: ./loud.ts }
knowledge: [heard]
candidates:
  - { when: { unknown: [heard] }, tool: shout, args: { word: hello }, reason: first }
  - { when: { known: [heard] }, tool: submit_result, args: { summary: "I heard {{heard}}." }, reason: then }
submit: { type: object, properties: { summary: { type: string } }, required: [summary] }
`,
    )
    await expect(npx('run', 'shout', 'code')).rejects.toThrow(/--trust/)
    expect(await npx('run', 'shout', 'code', '--trust')).toContain('I heard HELLO.')
  })

  test('the command lints, and its hints name it as it was started', async () => {
    const printed = await npx('run', 'lint', 'code')
    expect(printed).toMatch(/Fixed 1 of 1 lint issues/)
    expect(printed).toMatch(/npx twotrack accept --all/)
  })
})
