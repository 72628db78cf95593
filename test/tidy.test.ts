import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import {
  againstPort,
  againstRules,
  cyclesIn,
  importsWithin,
  leadNowhere,
  type Port,
  partOf,
  partsWithoutRule,
  type Rules,
  unreached,
} from './tidy/imports.ts'
import { impuritiesIn, moduleStateIn } from './tidy/purity.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const LINES_MAX = 300

/** What git knows or would add: nothing ignored. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)))
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const sources = files.filter((file) => file.startsWith('src/') && /\.tsx?$/.test(file))
const tree = new Map(sources.map((file) => [file, textOf(file)]))
const imports = importsWithin(tree)

describe('imports go one way', () => {
  /** The tree from the ground up: a part imports itself and what stands before it, never back. */
  const order = [
    ...['node-version.ts', 'supported-node.ts', 'limits.ts', 'errors.ts', 'sha256.ts', 'version.ts'],
    ...['at-once.ts', 'in-time.ts', 'text', 'linear-pattern.ts'],
    ...['core/event', 'core/packet', 'core/tokens', 'core/view', 'core/store', 'core/memory'],
    ...['secrets', 'summarize', 'files', 'nodes', 'store', 'config', 'trust', 'tool', 'memory.ts'],
    ...['model', 'workspace', 'queue', 'hub', 'agent', 'agents', 'run', 'audit', 'import', 'hook'],
    ...['frameworks', 'testing', 'index.ts', 'api', 'app', 'inspect', 'mcp', 'serve', 'cli'],
  ]
  /** Parts that may import less than all before them. */
  const narrow: Rules = {
    text: [],
    'core/event': ['limits.ts', 'errors.ts', 'text'],
    'core/tokens': [],
    secrets: ['core/event', 'core/memory', 'text'],
    summarize: ['limits.ts', 'errors.ts', 'version.ts', 'text', 'core/event', 'core/packet', 'core/memory'],
    files: ['limits.ts', 'errors.ts'],
    store: ['limits.ts', 'errors.ts', 'sha256.ts', 'core/event', 'core/store', 'files'],
    nodes: ['limits.ts', 'errors.ts', 'sha256.ts', 'files'],
    workspace: ['limits.ts', 'errors.ts', 'sha256.ts', 'at-once.ts', 'core/event', 'core/store', 'files'],
  }
  const rules: Rules = Object.fromEntries(order.map((part, at) => [part, narrow[part] ?? order.slice(0, at)]))

  test('every folder has a rule', () => {
    expect(partsWithoutRule(tree, rules)).toEqual([])
  })

  test.each(order)('%s imports only what it may', (part) => {
    expect(againstRules(imports, rules).filter(([from]) => partOf(from) === part)).toEqual([])
  })

  test('no files import each other in a circle, not even for a type', () => {
    expect(cyclesIn(imports)).toEqual([])
  })

  const foldersIn = (folder: string) => [
    ...new Set(
      sources.flatMap((file) => {
        const [, part, name, rest] = file.split('/')
        return part === folder && name !== undefined && rest !== undefined ? [name] : []
      }),
    ),
  ]
  const ports: readonly Port[] = [
    {
      folder: 'store',
      neighbours: ['memory', ...foldersIn('store')],
      choosers: ['app', 'cli', 'api', 'testing', 'index.ts', 'frameworks', 'queue'],
    },
    {
      folder: 'model',
      neighbours: ['ai-sdk', 'first-candidate', 'scripted', 'recorded', 'functiongemma', 'openai'],
      choosers: ['app', 'api', 'model/formats.ts', 'frameworks'],
    },
    { folder: 'agents', neighbours: foldersIn('agents'), choosers: ['agents/built-in.ts'] },
    {
      folder: 'summarize',
      neighbours: [
        ...['edits', 'files', 'plan'],
        // `call` is what all of them read.
        ...foldersIn('summarize').filter((name) => name !== 'call'),
      ],
    },
    { folder: 'tool', neighbours: ['files', 'mcp', 'recall', 'run-command'] },
    { folder: 'frameworks', neighbours: ['ai-sdk', 'langchain', 'openai-agents'], choosers: ['api'] },
    {
      folder: 'import',
      neighbours: [
        ...['atif', 'chat', 'claude-code', 'codex', 'gemini', 'actions', 'mini-swe-agent', 'openhands'],
        ...['opencode', 'swe-agent'],
      ],
      choosers: ['import/formats.ts'],
    },
    {
      folder: 'hook',
      neighbours: ['told', 'opencode', 'opencode-plugin'],
      choosers: ['hook/harnesses.ts'],
    },
    {
      folder: 'hub',
      neighbours: ['open', 'join'],
      choosers: ['app', 'cli', 'api', 'agents/code.ts'],
    },
  ]
  test.each(ports)('what implements $folder does not know its neighbours', (port) => {
    expect(againstPort(imports, port)).toEqual([])
  })
})

describe('a front only shows', () => {
  /** What a front may call besides the app: pure words, and pictures of what the app found. */
  const words = [
    ...['text', 'errors.ts', 'limits.ts', 'core/event', 'audit/visible.ts', 'audit/transcript.ts'],
    ...['audit/report/markdown.ts', 'audit/blindspots/spot.ts', 'run/agent-summary.ts'],
    ...[
      'workspace/diff.ts',
      'workspace/merged.ts',
      'workspace/patch.ts',
      'workspace/split.ts',
      'config/render.ts',
    ],
  ]
  /** The command line serves the page and the two protocols. */
  const others: Readonly<Record<string, readonly string[]>> = {
    cli: ['inspect/server.ts', 'mcp/server.ts', 'serve/rpc.ts', 'serve/session.ts'],
  }
  const fronts = ['cli', 'inspect']

  test.each(fronts)('%s calls the app, and what puts things into words', (front) => {
    const called = sources
      .filter((file) => file.startsWith(`src/${front}/`))
      .flatMap((file) =>
        [...textOf(file).matchAll(/^import (?!type )(?:\{([^}]*)\} |[^'{}]*)from '(\.[^']+)'/gm)]
          .filter(([, names]) => !names?.split(',').every((name) => /^\s*(?:type |$)/.test(name)))
          .map(([, , path = '']) => [file, join(dirname(file), path).replace(/^src\//, '')] as const),
      )
    expect(called.length).toBeGreaterThan(20)
    const allowed = [front, 'app', ...(others[front] ?? []), ...words]
    expect(called.filter(([, to]) => !allowed.some((one) => to === one || to.startsWith(`${one}/`)))).toEqual(
      [],
    )
  })
})

describe('the core is pure', () => {
  const pure = ['text', 'core/event', 'core/packet', 'core/view', 'core/tokens', 'summarize']
  const core = [...tree].filter(([file]) => pure.includes(partOf(file)))

  test('no system, no clock, no randomness, nothing asynchronous', () => {
    expect(core.flatMap(([file, text]) => impuritiesIn(text).map((found) => [file, found]))).toEqual([])
  })

  test('nothing in it remembers: no variable, cache or counter of a module', () => {
    expect(core.flatMap(([file, text]) => moduleStateIn(text).map((found) => [file, found]))).toEqual([])
  })
})

describe('no dead files', () => {
  const built = [...Object.values(manifest.exports), ...Object.values(manifest.bin)].map((to) =>
    typeof to === 'string' ? to : to.default,
  )
  const entries = [
    ...built
      .filter((to) => to.endsWith('.js'))
      .map((to) => to.replace(/^(?:\.\/)?dist\//, 'src/').replace(/\.js$/, '.ts')),
    // Makes schema/event.schema.json.
    // Started as a process of its own: by a sandbox, by a harness at each step.
    'src/tool/sandbox/child.ts',
    'src/app/hook-process.ts',
    // Loaded by OpenCode.
    'src/hook/opencode-plugin.ts',
    // What a browser runs.
    'src/inspect/page/main.tsx',
  ]

  test('every source file is reached from an entry, and every import leads to a file', () => {
    expect(unreached(tree, imports, entries)).toEqual([])
    expect(leadNowhere(tree, imports)).toEqual([])
    expect(entries.filter((file) => !tree.has(file))).toEqual([])
  })
})

describe('files', () => {
  const typescript = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('test/fixtures/'))

  test(`have at most ${LINES_MAX} lines`, () => {
    expect(typescript.filter((file) => textOf(file).trimEnd().split('\n').length > LINES_MAX)).toEqual([])
  })

  test('state the environment of every process that they start: it may hold keys', () => {
    const starting = sources.filter((file) => textOf(file).includes("from 'node:child_process'"))
    expect(starting.length).toBeGreaterThan(3)
    expect(starting.filter((file) => !/^\s*env[:,]|[{,] env[:, ]/m.test(textOf(file)))).toEqual([])
  })

  test('have no pattern of a line that runs over its end: it would read blank lines again and again', () => {
    const running = /\/\^\\s[*+][^\n]*\/[dgisuvy]*m[dgisuvy]*\b/
    expect('/^\\s*Ran/m.test(text)').toMatch(running)
    expect(sources.filter((file) => running.test(textOf(file)))).toEqual([])
  })

  test('have a name that says what they are for', () => {
    const vague = /^(?:utils?|helpers?|common|misc)(?:\.|$)/
    expect(files.filter((file) => file.split('/').some((part) => vague.test(part)))).toEqual([])
    expect(sources.filter((file) => !/^[a-z0-9-]+\.tsx?$/.test(basename(file)))).toEqual([])
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

test('the version that is recorded is that of the package', () => {
  expect(textOf('src/version.ts')).toContain(`VERSION = '${manifest.version}'`)
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

  test('links between them lead somewhere, also to the heading that they name', () => {
    const pages = files.filter(
      (file) => file.endsWith('.md') && !file.startsWith('test/') && !file.startsWith('examples/sample'),
    )
    const broken = pages.flatMap((file) =>
      [...textOf(file).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
        .map(([, to = '', heading]) => ({ to: to === '' ? file : join(dirname(file), to), heading }))
        .filter(
          ({ to, heading }) =>
            !existsSync(join(ROOT, to)) || (heading !== undefined && !headingsOf(to).includes(heading)),
        )
        .map(({ to, heading = '' }) => `${file} → ${to}#${heading}`),
    )
    expect(broken).toEqual([])
  })
})

/** The headings of a page, as links write them. */
const headingsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
