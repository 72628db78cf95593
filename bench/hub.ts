/**
 * What the hub costs beside merely reading and hashing the same files, in the same run:
 *
 *     npx node bench/hub.ts [--files 10000] [--json]
 *     npx node bench/hub.ts --project PATH --node src/app.py:App.run     # a checkout of one's own; an index is left there
 *
 * The first question of the first process (everything parsed and linked), the first of the next with nothing changed,
 * and one edit to a fresh answer (body only; a new function; in a file that fifty others import).
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { openHub } from '../src/hub/open.ts'
import { sha256 } from '../src/sha256.ts'

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    json: { type: 'boolean', default: false },
    project: { type: 'string' },
    node: { type: 'string', default: '' },
  },
})
const FILES = Number(values.files)
const EDITS = 30

const timed = async <T>(work: () => T | Promise<T>): Promise<[number, T]> => {
  const start = performance.now()
  const result = await work()
  return [performance.now() - start, result]
}

/** All files are looked at, as long as it takes, and a node is asked for. */
const ask = async (project: string, node: string) => {
  const hub = openHub({ project })
  const [ms, graph] = await timed(() => hub.graph())
  const { states } = await hub.pull([node], undefined)
  const nodes = graph.files().reduce((sum, path) => sum + (graph.file(path)?.named.size ?? 0), 0)
  await hub.close()
  return { ms, files: graph.files().length, nodes, states }
}

if (values.project !== undefined) {
  for (const what of ['first', 'next']) {
    const { ms, files, nodes, states } = await ask(values.project, values.node)
    console.log(`${what} process: ${ms.toFixed(0)} ms for ${files} files, ${nodes} nodes`)
    for (const { key, callers, tests } of states)
      console.log(`  ${key}: ${callers?.length} callers, ${tests?.length} tests`)
  }
  process.exit()
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** Half Python, half TypeScript, a hundred files a folder; each imports from three others, all from their folder's first. */
const pathOf = (at: number): string => `p${Math.floor(at / 100)}/m${at}.${at % 2 === 0 ? 'py' : 'ts'}`

const sourceOf = (at: number): string => {
  const hundred = Math.floor(at / 100) * 100
  const language = at % 2
  const others = [hundred + language, (at * 7 + 2) % FILES, (at * 13 + 4) % FILES].map(
    (n) => n - (n % 2) + language,
  )
  const lines = Array.from({ length: 8 }, (_, n) => {
    const callee = `f${others[n % 3]}`
    return language === 0
      ? `def f${n === 0 ? at : `${at}_${n}`}(value: int, scale: int = 1) -> int:\n    """Gives value ${n}, scaled."""\n    if value > ${n} and scale:\n        return ${callee}(value - 1) + scale\n    return value\n\n`
      : `/** Gives value ${n}, scaled. */\nexport function f${n === 0 ? at : `${at}_${n}`}(value: number, scale = 1): number {\n  if (value > ${n} && scale) return ${callee}(value - 1) + scale\n  return value\n}\n\n`
  })
  const imports = [...new Set(others)]
    .filter((other) => other !== at)
    .map((other) =>
      language === 0
        ? `from p${Math.floor(other / 100)}.m${other} import f${other}\n`
        : `import { f${other} } from '../p${Math.floor(other / 100)}/m${other}.ts'\n`,
    )
  return `${imports.join('')}\n${lines.join('')}`
}

const project = realpathSync(mkdtempSync(join(tmpdir(), 'twotrack-bench-hub-')))
const paths = Array.from({ length: FILES }, (_, at) => pathOf(at))
let bytes = 0
for (const [at, path] of paths.entries()) {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  const text = sourceOf(at)
  bytes += text.length
  writeFileSync(join(project, path), text)
}

const readAndHash = () => {
  for (const path of paths) sha256(readFileSync(join(project, path)))
}
const statAll = () => {
  for (const path of paths) statSync(join(project, path))
}

const rows: { what: string; ms: number; ratio: number }[] = []
readAndHash()
const [reading] = await timed(readAndHash)
const row = (what: string, ms: number) => rows.push({ what, ms, ratio: ms / reading })
row('read and hash all files', reading)
row('stat all files', (await timed(statAll))[0])

const NODE = `${pathOf(0)}:f0`
try {
  const { ms: cold, nodes } = await ask(project, NODE)
  row('the first process, until all is known', cold)
  const indexBytes = statSync(join(project, '.agentfs/hub.index')).size
  await new Promise((done) => setTimeout(done, 500))
  await ask(project, NODE) // files that were changed just before they were read are hashed once more
  row('the next process, nothing changed', (await ask(project, NODE)).ms)

  const client = openHub({ project })
  await client.graph()
  const answers = async (
    what: string,
    path: string,
    edit: (text: string, n: number) => string,
    key: string,
  ) => {
    const original = readFileSync(join(project, path), 'utf8')
    const costs: number[] = []
    for (let n = 0; n < EDITS; n++) {
      writeFileSync(join(project, path), edit(original, n))
      costs.push((await timed(() => client.pull([key], undefined)))[0])
    }
    writeFileSync(join(project, path), original)
    await client.pull([key], undefined)
    row(what, median(costs))
  }
  const [file, hot] = [pathOf(FILES - 2), pathOf(0)]
  row('an answer, nothing changed', median(await repeated(() => client.pull([NODE], undefined))))
  await answers(
    'one edit of a body to a fresh answer',
    file,
    (text, n) => `${text}# ${n}\n`,
    `${file}:f${FILES - 2}`,
  )
  await answers(
    'one new function to a fresh answer',
    file,
    (text, n) => `${text}def new${n}(): pass\n`,
    `${file}:f${FILES - 2}`,
  )
  await answers(
    'the same where others import it',
    hot,
    (text, n) => `${text}def new${n}(): pass\n`,
    `${hot}:f0`,
  )
  await client.close()

  if (values.json) console.log(JSON.stringify({ files: FILES, bytes, nodes, index_bytes: indexBytes, rows }))
  else {
    const mb = (size: number) => (size / 1e6).toFixed(1)
    console.log(`${FILES} files, ${mb(bytes)} MB, ${nodes} nodes; index ${mb(indexBytes)} MB`)
    for (const { what, ms, ratio } of rows)
      console.log(
        `${what.padEnd(42)} ${ms.toFixed(ms < 100 ? 2 : 0).padStart(9)} ms  ${ratio.toFixed(3).padStart(8)}`,
      )
  }
} finally {
  rmSync(project, { recursive: true, force: true })
}

async function repeated(work: () => Promise<unknown>): Promise<number[]> {
  const costs: number[] = []
  for (let n = 0; n < EDITS; n++) costs.push((await timed(work))[0])
  return costs
}
