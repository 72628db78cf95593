/**
 * How far nodes agree with Python's ast and with the TypeScript compiler, on code that nobody here wrote, and how long
 * finding them takes beside merely reading and hashing the same files. `npx node bench/nodes.ts [--all-differences]`
 */

import { globSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { parseNodes } from '../src/nodes/parse.ts'
import { sha256 } from '../src/sha256.ts'
import { type Comparison, share } from '../test/nodes/truth.ts'
import { comparePython, pythonLibrary } from '../test/nodes/truth-python.ts'
import { compareTypeScript } from '../test/nodes/truth-typescript.ts'

const SHOWN = process.argv.includes('--all-differences') ? Number.POSITIVE_INFINITY : 20

const print = (title: string, comparison: Comparison & { files: number }) => {
  const percent = (share(comparison) * 100).toFixed(3)
  console.log(
    `${title}: ${comparison.files} files, ${comparison.definitions} definitions, ${percent} % agree`,
  )
  const kinds = Object.groupBy(comparison.differences, (difference) => difference.field)
  for (const [field, list] of Object.entries(kinds)) console.log(`  ${field}: ${list?.length ?? 0}`)
  for (const { path, name, field, ours, theirs } of comparison.differences.slice(0, SHOWN))
    console.log(`    ${path}:${name} ${field}: ${JSON.stringify(ours)} beside ${JSON.stringify(theirs)}`)
}

const time = async (title: string, paths: readonly string[]) => {
  const start = performance.now()
  let bytes = 0
  for (const path of paths) {
    const file = readFileSync(path)
    bytes += file.length
    sha256(file)
  }
  const read = performance.now()
  let nodes = 0
  for (const path of paths) nodes += (await parseNodes(path, readFileSync(path))).nodes.length
  const parsed = performance.now()
  const ratio = ((parsed - read) / (read - start)).toFixed(1)
  console.log(
    `${title}: ${paths.length} files, ${(bytes / 1e6).toFixed(1)} MB, ${nodes} nodes in ${(parsed - read).toFixed(0)} ms; ` +
      `read and hashed in ${(read - start).toFixed(0)} ms, ratio ${ratio}`,
  )
}

const library = pythonLibrary()
if (library === null) console.log('python: no library found under /usr/lib, left out')
else {
  const paths = globSync(`${library}/**/*.py`).sort()
  print('python', await comparePython(paths))
  await time('python', paths)
}
const typed = globSync('node_modules/**/*.{ts,mts,cts,tsx}').sort()
print('typescript', await compareTypeScript(typed))
await time('typescript', typed)
const plain = globSync(
  'node_modules/{zod,commander,yaml,ignore,chokidar,diff,vitest}/**/*.{js,mjs,cjs,jsx}',
).sort()
print('javascript', await compareTypeScript(plain))
await time('javascript', plain)
