/**
 * Random edits while several processes write the same index and are killed in between: afterwards it equals one made
 * from nothing.
 * 50 edits; TWOTRACK_EDITS=1000 for the long form, SEED=… to repeat one.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { openHub } from '../../src/hub/open.ts'
import { projectWith } from './project.ts'

const EDITS = Number(process.env['TWOTRACK_EDITS'] ?? 50)
const SEED = Number(process.env['SEED'] ?? 20_261_115)

/** Everything in an index but times and what only a hub that was there can know. */
const contentOf = (file: string): unknown => {
  const [, ...lines] = zstdDecompressSync(readFileSync(file)).toString().split('\n')
  const files = lines.map((line, at) => {
    if (at % 2 === 1) return JSON.parse(line).map((node: object) => ({ ...node, docstring_outdated: null }))
    const { row, mentions } = JSON.parse(line)
    const { ino, mtime_ms, ctime_ms, seen_ms, ...rest } = row
    return { ...rest, mentions }
  })
  const pairs = files.flatMap((seen, at) => (at % 2 === 0 ? [[seen, files[at + 1]]] : []))
  return pairs.toSorted(([one], [other]) => (one.path < other.path ? -1 : 1))
}

/** A small generator of numbers below a bound, the same for the same seed. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Without following links, which here lead in circles. */
const filesIn = (root: string, folder = ''): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const path = `${folder}${entry.name}`
      return entry.isDirectory() ? filesIn(root, `${path}/`) : entry.isFile() ? [path] : []
    })
    .sort()

const FOLDERS = ['', 'a/', 'b/', 'a/deep/', 'test/']

const editor = (root: string, random: (below: number) => number) => {
  const pick = <T>(list: readonly T[], otherwise: T): T => list[random(list.length)] ?? otherwise
  const broken = new Set<string>()
  const newPath = () => `${pick(FOLDERS, '')}m${random(25)}${pick(['.py', '.ts', '.py', '.js'], '.py')}`
  const files = () => filesIn(root).filter((path) => /\.(?:py|ts|js)$/.test(path))
  const source = (path: string): string => {
    const calls = Array.from({ length: random(4) }, () => `f${random(5)}`)
    const names = [...new Set(calls)].join(', ')
    const defines = Array.from({ length: 1 + random(3) }, () => random(5))
    if (path.endsWith('.py')) {
      const from = pick(['a', 'b', 'a.deep', ''], '')
      const module = `${from === '' ? '' : `${from}.`}m${random(25)}`
      const imports = names === '' ? `import ${module}` : `from ${module} import ${names}`
      const bodies = defines.map(
        (n) =>
          `def f${n}(x${random(3)}):\n    """Does ${random(3)}."""\n    ${calls.map((call) => `${call}()`).join('; ') || 'pass'}\n`,
      )
      return `${imports}\nclass C${random(2)}:\n    def m(self): self.n()\n    def n(self): pass\n${bodies.join('')}`
    }
    const up = path.includes('/') ? '../'.repeat(path.split('/').length - 1) : './'
    const target = `${up}${pick(FOLDERS, '')}m${random(25)}`
    const imports = `import { ${names} } from '${target}.ts'\nexport * from '${target}'\n`
    return (
      imports +
      defines
        .map(
          (n, at) =>
            `export ${at === 0 ? 'function' : 'async function'} f${n}_${at}() { ${calls.map((call) => `${call}()`).join(';')} }\nexport const f${n} = () => ${n}\n`,
        )
        .join('')
    )
  }
  const write = (path: string, text = source(path)) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    if (existsSync(join(root, path)) && statSync(join(root, path)).isDirectory()) return
    writeFileSync(join(root, path), text)
    broken.delete(path)
  }
  const edits: (() => void)[] = [
    () => write(newPath()),
    () => write(newPath()),
    () => write(pick(files(), newPath())),
    () => write(pick(files(), newPath())),
    () => rmSync(join(root, pick(files(), 'none')), { force: true }),
    () => {
      const from = pick(files(), '')
      if (from === '') return
      const to = newPath()
      mkdirSync(dirname(join(root, to)), { recursive: true })
      renameSync(join(root, from), join(root, to))
      if (broken.delete(from)) broken.add(to)
      else broken.delete(to)
    },
    () => {
      const path = pick(files(), newPath())
      write(`${path}.tmp`, source(path))
      renameSync(join(root, `${path}.tmp`), join(root, path))
      broken.delete(path)
    },
    () => {
      const path = pick(files(), '')
      if (path === '') return
      truncateSync(join(root, path))
      write(path)
    },
    () => {
      const path = pick(files(), newPath())
      write(path, 'def broken(:\n  export class {{{\n')
      broken.add(path)
    },
    () => {
      const path = pick(files(), '')
      if (path !== '') utimesSync(join(root, path), 1, random(1000))
    },
    () => rmSync(join(root, pick(['a/deep', 'b'], 'b')), { recursive: true, force: true }),
    () => {
      const [from, to] = random(2) === 0 ? ['a/deep', 'moved'] : ['moved', 'a/deep']
      if (!existsSync(join(root, from)) || existsSync(join(root, to))) return
      mkdirSync(dirname(join(root, to)), { recursive: true })
      renameSync(join(root, from), join(root, to))
      for (const path of [...broken]) if (path.startsWith(`${from}/`)) broken.add(path.replace(from, to))
    },
    () => {
      const path = join(root, 'a', `link${random(3)}.py`)
      rmSync(path, { force: true })
      mkdirSync(dirname(path), { recursive: true })
      symlinkSync(pick(['../m1.py', 'nowhere.py', '..'], '..'), path)
    },
    () => writeFileSync(join(root, '.gitignore'), pick(['', 'b/\n', 'm1*\n', 'a/*\n!a/deep\n'], '')),
  ]
  return {
    edit: () => pick(edits, () => {})(),
    /** What can't be parsed keeps its last good state, which an index made from nothing does not have. */
    repair: () => {
      for (const path of broken) if (existsSync(join(root, path))) write(path)
    },
  }
}

/** Asks about nodes without end, in a process of its own, until it is killed. */
const ASKING = `
import { openHub } from ${JSON.stringify(new URL('../../src/hub/open.ts', import.meta.url).href)}
const hub = openHub({ project: process.argv[1] })
for (let at = 0; ; at++) {
  const { note } = await hub.pull(['a/m' + (at % 25) + '.py', 'm' + (at % 25) + '.ts:f1'], undefined)
  await hub.graph()
  console.log(note ?? 'asked')
}
`

const askIn = async (root: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', ASKING, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((heard) => child.stdout?.once('data', heard))
  return child
}

const killed = async (child: ChildProcess) => {
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await gone
}

test(`${EDITS} random edits under processes that share the index and are killed now and then leave it true (SEED=${SEED})`, async () => {
  const random = numbers(SEED)
  const root = projectWith({ '.git/HEAD': '' })
  const { edit, repair } = editor(root, random)
  for (let at = 0; at < 60; at++) edit()
  const children = await Promise.all([askIn(root), askIn(root)])
  const notes: string[] = []
  const listen = (child: ChildProcess) =>
    child.stdout?.on('data', (text) => notes.push(...String(text).trim().split('\n')))
  children.forEach(listen)
  onTestFinished(async () => {
    await Promise.all(children.map(killed))
  })
  const own = openHub({ project: root })
  for (let at = 0; at < EDITS; at++) {
    edit()
    if (random(4) === 0) await wait(random(60))
    if (random(10) === 0) {
      const { states } = await own.pull([`a/m${random(25)}.py`, `m${random(25)}.ts`], undefined)
      expect(Array.isArray(states)).toBe(true)
    }
    if (random(40) === 0) {
      const which = random(2)
      const [child] = children.splice(which, 1)
      if (child) await killed(child)
      for (let more = random(5); more > 0; more--) edit()
      const next = await askIn(root)
      listen(next)
      children.push(next)
    }
  }
  repair()
  await own.graph()
  await own.close()
  await Promise.all(children.map(killed))
  const last = openHub({ project: root })
  await last.graph()
  await last.close()
  const cold = openHub({ project: root, folder: join(root, '.agentfs/cold') })
  await cold.graph()
  await cold.close()
  expect(contentOf(join(root, '.agentfs/hub.index'))).toEqual(
    contentOf(join(root, '.agentfs/cold/hub.index')),
  )
  expect(new Set(notes)).toEqual(new Set(['asked']))
}, 600_000)
