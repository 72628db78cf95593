import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Files that need a process of their own: they replace a module, or look at the processes beside them. */
const ALONE = ['test/run/tokenizer.test.ts', 'test/tool/sandbox/attacks.test.ts', 'test/pack.test.ts']

const source = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url))

export default defineConfig({
  // For examples that a test imports: they name the package as its users do.
  resolve: {
    alias: [
      { find: /^twotrack$/, replacement: source('index.ts') },
      { find: /^twotrack\/(audit|store)$/, replacement: source('api/$1.ts') },
      { find: /^twotrack\/store\/postgres$/, replacement: source('api/postgres.ts') },
    ],
  },
  test: {
    projects: [
      // The others share one for each core: a third of their time was loading the same modules again.
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: ALONE,
          isolate: false,
          globalSetup: './test/cli/bundle.ts',
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    // Only to end what hangs: a machine that is busy with other work must not make a test fail.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // One more than the cores of a small machine: many tests wait for a database, a browser or a process of their own.
    maxWorkers: 3,
    // WASM (parsers, linters) is compiled once: doing it again for speed costs more than tests gain.
    execArgv: ['--liftoff-only'],
    // Processes that tests start need not compile the same sources again: 0.3 s instead of 0.8 s for each command.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/node', import.meta.url)),
      // Keys of nobody, and no decisions: those of the person who runs the tests are not used.
      XDG_STATE_HOME: fileURLToPath(new URL('node_modules/.cache/state', import.meta.url)),
    },
    coverage: {
      provider: 'v8',
      include: ['src/{text,core,summarize}/**/*.ts'],
      reporter: ['text', 'text-summary'],
    },
  },
})
