import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Tests of what has no state share a process: half of their time was loading the same modules again. */
const TOGETHER = [
  'agent',
  'audit',
  'config',
  'event',
  'files',
  'import',
  'packet',
  'summarize',
  'text',
  'view',
].map((folder) => `test/${folder}/**/*.test.ts`)

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'together', include: TOGETHER, isolate: false } },
      { extends: true, test: { name: 'alone', include: ['test/**/*.test.ts'], exclude: TOGETHER } },
    ],
    // Generous: a machine that is busy with other work must not make a test fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // WASM (parsers, linters) is compiled once: doing it again for speed costs more than tests gain.
    execArgv: ['--liftoff-only'],
    // Processes that tests start need not compile the same sources again: 0.3 s instead of 0.8 s for each command.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)) },
    coverage: {
      provider: 'v8',
      include: ['src/{text,event,packet,view,prompt,summarize}/**/*.ts'],
      reporter: ['text', 'text-summary'],
    },
  },
})
