import { access, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import { tryParse } from '../../event/json.ts'
import { readInside } from '../../files/files.ts'
import { languageOf } from '../../nodes/grammar.ts'
import { projectTests, requireTrust, type Trusts } from '../../trust/trust.ts'
import { collectCommand } from '../collect-command.ts'

type RunnerName = 'node:test' | 'vitest' | 'jest' | 'pytest' | 'unittest'

/** How to run test files: a command without a shell, and the folders that its programs may be in. */
export interface Runner {
  readonly name: RunnerName
  readonly argv: (files: readonly string[]) => string[]
}

interface Place {
  readonly workspace: string
  readonly signal: AbortSignal
  readonly trusts?: Trusts
}

/** The runner of a test file. What the file imports says most, then the project's manifest, then the language. */
export async function runnerFor(place: Place, testFile: string): Promise<Runner> {
  // To ask the project's Python for pytest is to run it.
  requireTrust(place, projectTests)
  const text = (await readInside(place.workspace, testFile)).toString()
  if (languageOf(testFile)?.name === 'python') return pythonRunner(place, text)
  const name = await scriptRunnerName(place.workspace, text)
  if (name === 'node:test')
    return {
      name,
      argv: (files) => [process.execPath, '--test', '--test-reporter=tap', ...files.map(asPath)],
    }
  const program = programOf(place.workspace, name)
  const options = name === 'vitest' ? ['run', '--reporter=default'] : ['--ci', '--colors=false']
  // Jest takes patterns; exact paths need saying so.
  const exact = name === 'jest' ? ['--runTestsByPath'] : []
  return { name, argv: (files) => [process.execPath, program, ...options, ...exact, ...files.map(asPath)] }
}

/** A name that begins with a dash would be an option. */
const asPath = (file: string): string => `./${file}`

const manifestSchema = z.object({
  scripts: z.record(z.string(), z.unknown()).catch({}),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
})

/**
 * Which of the three a JavaScript or TypeScript test is for.
 * @internal
 */
export async function scriptRunnerName(
  workspace: string,
  testText: string,
): Promise<'node:test' | 'vitest' | 'jest'> {
  if (/["']vitest["']/.test(testText)) return 'vitest'
  if (/["']node:test["']/.test(testText)) return 'node:test'
  if (/["']@jest\/globals["']/.test(testText)) return 'jest'
  const text = await readInside(workspace, 'package.json').catch(() => Buffer.from('{}'))
  const manifest = manifestSchema.safeParse(tryParse(text.toString()))
  const { scripts, dependencies, devDependencies } = manifest.data ?? {}
  const words = String(scripts?.['test'] ?? '').split(/\s+/)
  const names = [...words, ...Object.keys({ ...dependencies, ...devDependencies })]
  if (names.includes('vitest')) return 'vitest'
  if (names.includes('jest')) return 'jest'
  if (words.includes('--test')) return 'node:test'
  const other = OTHERS.find((name) => names.includes(name))
  throw new TwotrackError(
    'missing',
    `No supported runner: ${other ? `the tests are for ${other}` : 'neither the tests nor package.json name one'}. ` +
      'Supported are node:test, vitest, jest, pytest and unittest.',
  )
}

/** Known by name only, so that the reason can be given. */
const OTHERS = ['mocha', 'ava', 'jasmine', 'tap', 'tape', 'uvu', 'bun', 'deno', 'karma', 'qunit']

function programOf(workspace: string, name: 'vitest' | 'jest'): string {
  const require = createRequire(join(workspace, 'package.json'))
  try {
    const manifest = require.resolve(`${name}/package.json`)
    return join(manifest, '..', name === 'vitest' ? 'vitest.mjs' : 'bin/jest.js')
  } catch (cause) {
    throw new TwotrackError(
      'missing',
      `The tests are for ${name}, which is not installed in the project's node_modules. Run its install command first.`,
      { cause },
    )
  }
}

async function pythonRunner(place: Place, text: string): Promise<Runner> {
  const python = await pythonOf(place.workspace)
  const forPytest = /^\s*(?:import|from) pytest\b/m.test(text)
  const forUnittest = /^\s*(?:import|from) unittest\b/m.test(text)
  const chosen = forPytest || !forUnittest || (await isConfigured(place.workspace))
  if (chosen && (await hasPytest(place, python)))
    return {
      name: 'pytest',
      argv: (files) => [python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...files.map(asPath)],
    }
  if (forPytest)
    throw new TwotrackError(
      'missing',
      `The tests are for pytest, which ${python} does not have. Install it there, or in a .venv of the project.`,
    )
  return { name: 'unittest', argv: (files) => [python, '-m', 'unittest', ...files] }
}

/** Whether the project says that its tests are for pytest. */
async function isConfigured(workspace: string): Promise<boolean> {
  for (const [file, mark] of PYTEST_MARKS) {
    const text = await readInside(workspace, file).catch(() => undefined)
    if (text?.toString().includes(mark)) return true
  }
  return false
}

const PYTEST_MARKS = [
  ['pytest.ini', ''],
  ['pyproject.toml', '[tool.pytest'],
  ['setup.cfg', '[tool:pytest]'],
  ['tox.ini', '[pytest]'],
] as const

/** The project's own environment when it is there. */
async function pythonOf(workspace: string): Promise<string> {
  const own = join(workspace, '.venv', 'bin', 'python')
  try {
    await access(own)
    return join(await realpath(join(workspace, '.venv')), 'bin', 'python')
  } catch {
    return 'python3'
  }
}

async function hasPytest({ workspace, signal }: Place, python: string): Promise<boolean> {
  const found = await collectCommand([python, '-c', 'import pytest'], {
    root: workspace,
    signal,
    allow: [{ program: python }],
  })
  return found.exit_code === 0
}
