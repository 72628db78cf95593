import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LINES_MAX = 300

/** What git knows or would add: nothing ignored. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)))
const sources = files.filter((file) => file.startsWith('src/') && file.endsWith('.ts'))
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Comments and the insides of strings do not count as code. */
const code = (file: string) =>
  textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')

const imports = new Map(
  sources.map((file) => [
    file,
    [...code(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^'\s]+)'/g)].map(([, name = '']) => name),
  ]),
)
const importsOf = (file: string): string[] => imports.get(file) ?? []
/** The files of ours that a file imports. */
const ownImports = (file: string): string[] =>
  importsOf(file).flatMap((name) =>
    name.startsWith('.') ? [relative(ROOT, join(ROOT, dirname(file), name))] : [],
  )
/** `src/store/kv/row.ts` is in `store`; `src/limits.ts` is itself. */
const partOf = (file: string): string => file.split('/')[1] ?? ''

describe('imports go one way', () => {
  /** What each part may import of ours, besides itself and the three files beside the folders. */
  const everywhere = ['limits.ts', 'errors.ts', 'sha256.ts']
  const core = ['text', 'event', 'packet', 'view', 'prompt']
  const allowed: Readonly<Record<string, readonly string[]>> = {
    text: ['event', 'packet'],
    event: ['text'],
    packet: ['text', 'event'],
    view: ['text', 'event', 'packet', 'prompt'],
    prompt: ['text', 'event', 'packet', 'view'],
    summarize: ['text', 'event', 'packet'],
    store: ['event', 'files', 'text'],
    memory: [...core, 'store', 'summarize', 'tool'],
    model: [...core, 'memory', 'store'],
    tool: ['text', 'event', 'files'],
    files: ['text'],
    workspace: ['files', 'text', 'store'],
    nodes: ['files', 'text', 'hub'],
    hub: ['text', 'event', 'packet', 'files', 'nodes', 'workspace', 'store'],
    agent: ['text', 'event', 'packet', 'summarize', 'nodes', 'tool', 'files', 'config', 'agents'],
    agents: ['text', 'event', 'packet', 'agent', 'summarize', 'nodes', 'tool', 'files', 'config'],
    run: [...core, 'store', 'memory', 'model', 'tool', 'summarize', 'hub', 'agent', 'workspace'],
    audit: [...core, 'store', 'memory', 'model', 'run'],
    import: [...core, 'summarize', 'memory'],
    config: ['text', 'store'],
    api: [
      ...core,
      'audit',
      'import',
      'hub',
      'nodes',
      'model',
      'agent',
      'run',
      'store',
      'tool',
      'files',
      'workspace',
    ],
    testing: [...core, 'summarize', 'store', 'memory'],
  }

  test('every folder has a rule', () => {
    const folders = new Set(sources.map(partOf).filter((part) => !part.endsWith('.ts')))
    expect([...folders].filter((folder) => folder !== 'cli' && !Object.hasOwn(allowed, folder))).toEqual([])
  })

  test.each(Object.entries(allowed))('%s imports only what it may', (part, others) => {
    const wrong = sources
      .filter((file) => partOf(file) === part)
      .flatMap((file) => ownImports(file).map((to) => [file, to] as const))
      .filter(([, to]) => partOf(to) !== part && ![...others, ...everywhere].includes(partOf(to)))
    expect(wrong).toEqual([])
  })

  test('nothing but the command line imports the command line, and nothing imports index.ts', () => {
    const wrong = sources.filter((file) =>
      ownImports(file).some(
        (to) => (partOf(to) === 'cli' && partOf(file) !== 'cli') || to === 'src/index.ts',
      ),
    )
    expect(wrong).toEqual([])
  })

  test('a store never imports another, and only the command line, the public API and the test kit choose one', () => {
    const storeOf = (file: string) =>
      /^src\/store\/(?:(jsonl|kv)\/|(memory)\.ts)/.exec(file)?.slice(1).find(Boolean)
    const wrong = sources
      .filter((file) => !['cli', 'testing', 'index.ts'].includes(partOf(file)))
      .flatMap((file) => ownImports(file).map((to) => [file, to] as const))
      .filter(([file, to]) => storeOf(to) !== undefined && storeOf(to) !== storeOf(file))
    expect(wrong).toEqual([])
  })

  test('a run knows ports and the pure core: no store, no model adapter, no built-in agent', () => {
    const chosen =
      /^src\/(?:store\/(?!store\.ts)|model\/(?:first-candidate|scripted|recorded|functiongemma|openai)\b|cli\/|config\/|agents\/built-in)/
    const wrong = sources
      .filter((file) => partOf(file) === 'run')
      .flatMap((file) =>
        ownImports(file)
          .filter((to) => chosen.test(to))
          .map((to) => [file, to]),
      )
    expect(wrong).toEqual([])
  })
})

describe('the core is pure', () => {
  const core = sources.filter((file) =>
    ['text', 'event', 'packet', 'view', 'prompt', 'summarize'].includes(partOf(file)),
  )
  const impure =
    /\basync\b|\bawait\b|\bPromise\b|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bperformance\./

  test('no system, no clock, no randomness, nothing asynchronous', () => {
    expect(core.filter((file) => importsOf(file).some((name) => name.startsWith('node:')))).toEqual([])
    expect(core.filter((file) => impure.test(withoutStrings(code(file))))).toEqual([])
  })
})

const withoutStrings = (text: string) =>
  text
    .replace(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "''")
    .replace(/\/(?![*/])(?:[^/\\\n]|\\.)+\/[a-z]*/g, '/x/')

describe('no dead files', () => {
  const entries: Readonly<Record<string, string>> = {
    'src/index.ts': 'the public API',
    'src/api/audit.ts': 'twotrack/audit',
    'src/api/hub.ts': 'twotrack/hub',
    'src/api/model.ts': 'twotrack/model',
    'src/api/run.ts': 'twotrack/run',
    'src/api/store.ts': 'twotrack/store',
    'src/api/tool.ts': 'twotrack/tool',
    'src/api/workspace.ts': 'twotrack/workspace',
    'src/testing/index.ts': 'twotrack/testing',
    'src/cli/main.ts': 'the command',
    'src/event/json-schema.ts': 'makes schema/event.schema.json',
    'src/tool/sandbox/child.ts': 'started as a process of its own',
  }
  test('every source file is reached from an entry', () => {
    const reached = new Set<string>()
    const visit = (file: string) => {
      if (reached.has(file)) return
      reached.add(file)
      for (const to of ownImports(file)) visit(to)
    }
    for (const entry of Object.keys(entries)) visit(entry)
    const dead = sources.filter((file) => !reached.has(file))
    expect(dead).toEqual([])
  })

  test('every import of ours leads to a file', () => {
    const missing = sources.flatMap((file) =>
      ownImports(file)
        .filter((to) => !existsSync(join(ROOT, to)))
        .map((to) => [file, to]),
    )
    expect(missing).toEqual([])
  })
})

describe('files', () => {
  const typescript = files.filter((file) => file.endsWith('.ts') && !file.startsWith('test/fixtures/'))

  test(`have at most ${LINES_MAX} lines`, () => {
    expect(typescript.filter((file) => textOf(file).trimEnd().split('\n').length > LINES_MAX)).toEqual([])
  })

  test('have a name that says what they are for', () => {
    const vague = /^(?:utils?|helpers?|common|misc)(?:\.|$)/
    expect(files.filter((file) => file.split('/').some((part) => vague.test(part)))).toEqual([])
    expect(sources.filter((file) => !/^[a-z0-9-]+\.ts$/.test(basename(file)))).toEqual([])
  })
})

describe('words that must not be committed', () => {
  // Written so that this file does not find itself.
  const banned: readonly (readonly [string, RegExp])[] = [
    ['unfinished work', new RegExp(`(?:^|\\s)(?://|\\*|<!--)\\s*(?:TO${'DO'}|FIX${'ME'}|XX${'X'})\\b`)],
    ['a silenced compiler', new RegExp(`\\bas an${'y'}\\b|@ts-(?:ig${'nore'}|nocheck)`)],
    ['a test that hides the others', new RegExp(`\\b(?:test|it|describe)\\.on${'ly'}\\b`)],
    ['a path of one machine', new RegExp(`/(?:ho${'me'}|Us${'ers'})/[a-z]|/wo${'rk'}/|/ro${'ot'}/`)],
  ]
  const data = (file: string) => /^(?:test\/(?:golden|fixtures)|examples\/sample-project)\//.test(file)
  const read = files.filter((file) => /\.(?:ts|md|json|yaml|yml|svg|sh)$|^\.ci\//.test(file) && !data(file))

  test.each(banned)('%s', (_, pattern) => {
    const found = read.flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, at) =>
          pattern.test(line) ? [`${file}:${at + 1}: ${line.trim().slice(0, 100)}`] : [],
        ),
    )
    expect(found).toEqual([])
  })

  test('the lock file names no package host', () => {
    expect(textOf('package-lock.json')).not.toContain('"resolved"')
  })
})

describe('documents', () => {
  test('every dependency is explained', () => {
    const { dependencies, devDependencies, peerDependencies } = manifest
    const page = textOf('docs/dependencies.md')
    const names = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })
    expect(names.filter((name) => !page.includes(`| \`${name}\``))).toEqual([])
    const listed = [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, name = '']) => name)
    expect(listed.filter((name) => !names.includes(name))).toEqual([])
  })

  test('links between them lead somewhere', () => {
    const broken = files
      .filter(
        (file) => file.endsWith('.md') && !file.startsWith('test/') && !file.startsWith('examples/sample'),
      )
      .flatMap((file) =>
        [...textOf(file).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
          .map(([, to = '']) => join(dirname(file), to))
          .filter((to) => !existsSync(join(ROOT, to)))
          .map((to) => `${file} → ${to}`),
      )
    expect(broken).toEqual([])
  })
})
