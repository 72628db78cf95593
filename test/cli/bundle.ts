/**
 * The command, and what tests start and kill many times, in a few files, made of `src` before the tests run: loading 300
 * small files takes three times as long as most of what they are asked for. That the command starts from `src` and from
 * the package as well is tested by `start.test.ts`, `read.test.ts`, `examples.test.ts` and `pack.test.ts`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { TestProject } from 'vitest/node'
import manifest from '../../package.json' with { type: 'json' }

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = join(ROOT, '.cache/command')
const ENTRIES = {
  start: 'src/cli/start.ts',
  'accept-child': 'test/workspace/accept-child.ts',
  'append-child': 'test/store/jsonl/append-child.ts',
  'audit-kill': 'test/audit/kill/child.ts',
  'killed-child': 'test/frameworks/killed-child.ts',
}

export const bundled = (entry: keyof typeof ENTRIES): string => join(FOLDER, `${entry}.mjs`)
export const BUNDLE = bundled('start')

export default async function setup(project: TestProject): Promise<void> {
  // What commands of earlier tests kept outside of projects that are gone.
  rmSync(join(ROOT, 'node_modules/.cache/state/twotrack/heads'), { recursive: true, force: true })
  await writeBundle()
  project.onTestsRerun(writeBundle)
}

async function writeBundle(): Promise<void> {
  const { rolldown } = await import('rolldown') // not in the processes of the tests, which only need the path
  const bundle = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(ROOT, file)])),
    platform: 'node',
    treeshake: false, // package.json says that no module does anything by itself, and this one does
    external: Object.keys(manifest.peerDependencies),
    plugins: [{ name: 'files stay where they are', transform: inItsPlace }],
  })
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  })
  await bundle.close()
  mkdirSync(FOLDER, { recursive: true })
  for (const chunk of output) if (chunk.type === 'chunk') replace(join(FOLDER, chunk.fileName), chunk.code)
}

/** In one step, and only what changed: another run of the tests may be using it. */
function replace(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  writeFileSync(`${file}.${process.pid}`, text)
  renameSync(`${file}.${process.pid}`, file)
}

/** What stands beside a module (definitions, workers) is looked for beside its source. */
const inItsPlace = (code: string, file: string) =>
  code.includes('import.meta')
    ? code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(file)))
    : null
