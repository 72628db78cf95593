/** How a test runner for JavaScript and TypeScript is recognised and called. */
export interface ScriptRunner {
  readonly name: 'vitest' | 'jest' | 'mocha' | 'ava' | 'node:test'
  /** What a test file that is written for it imports. */
  readonly imports: RegExp
  /** Names of files that configure it. */
  readonly configured?: RegExp
  readonly starts: readonly string[]
  /** What says that exact paths follow, where it takes patterns. */
  readonly exact?: readonly string[]
  /** Options of the project's script that decide how tests are loaded. */
  readonly kept: RegExp
}

/** One row for each; of several that a package names the first counts. */
export const SCRIPT_RUNNERS: readonly ScriptRunner[] = [
  {
    name: 'vitest',
    imports: /["']vitest["']/,
    configured: /^vitest\.(?:config|workspace)\.[cm]?[jt]s$/,
    starts: ['run', '--reporter=default'],
    kept: /^(?:-c|--config|--project|--root|--environment)$/,
  },
  {
    name: 'node:test',
    imports: /["']node:test["']/,
    starts: ['--test', '--test-reporter=tap'],
    kept: /^(?:-r|--require|--import|--loader|-C|--conditions|--env-file|--experimental-.*|--test-[a-z-]*isolation.*)$/,
  },
  {
    name: 'jest',
    imports: /["']@jest\/globals["']/,
    configured: /^jest\.config\.(?:[cm]?[jt]s|json)$/,
    starts: ['--ci', '--colors=false'],
    exact: ['--runTestsByPath'],
    kept: /^(?:-c|--config|--env)$/,
  },
  {
    name: 'ava',
    imports: /["']ava["']/,
    configured: /^ava\.config\.[cm]?js$/,
    starts: ['--tap'],
    kept: /^(?:--config|--node-arguments|--serial|-s)$/,
  },
  {
    name: 'mocha',
    imports: /["']mocha["']/,
    configured: /^\.mocharc(?:\.(?:jsonc?|[cm]?js|ya?ml))?$/,
    starts: ['--reporter=tap'],
    kept: /^(?:-r|--require|--import|--loader|--config|--ui|-u|--timeout|-t|--file|--check-leaks|--exit)$/,
  },
]

/** Whether it is a package of its own; node:test is a part of Node. */
export const isPackage = ({ name }: ScriptRunner): boolean => name !== 'node:test'
