import { readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import { tryParse } from '../../event/json.ts'
import { lstatOrAbsent } from '../../files/confine.ts'
import { foldersOf, noRunner, type Runner, type RunnerPlace, seenFrom, textIn } from './runner.ts'
import { type ScriptCommand, testCommands } from './script-command.ts'

type ScriptRunnerName = 'vitest' | 'jest' | 'mocha' | 'ava' | 'node:test'

/** What a test file imports, and what its runner is then. */
const IMPORTS: readonly [RegExp, ScriptRunnerName][] = [
  [/["']vitest["']/, 'vitest'],
  [/["']node:test["']/, 'node:test'],
  [/["']@jest\/globals["']/, 'jest'],
  [/["']ava["']/, 'ava'],
  [/["']mocha["']/, 'mocha'],
]
const PACKAGES = ['vitest', 'jest', 'ava', 'mocha'] as const
/** Known by name only, so that the reason can be given. */
const OTHERS = [
  'jasmine',
  'tap',
  'tape',
  'uvu',
  'bun',
  'deno',
  'karma',
  'qunit',
  'kcd-scripts',
  'react-scripts',
]

const manifestSchema = z.object({
  scripts: z.record(z.string(), z.unknown()).catch({}),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
})

export async function scriptRunner(place: RunnerPlace, testFile: string, text: string): Promise<Runner> {
  const { workspace } = place
  const { name, folder, command } = await choose(workspace, testFile, text)
  const rest = (files: readonly string[]) => files.map((file) => seenFrom(folder, file))
  const env = command?.env ?? {}
  const kept = command?.options ?? []
  if (name === 'node:test')
    return {
      name,
      folder,
      env,
      argv: (files) => [process.execPath, ...kept, '--test', '--test-reporter=tap', ...rest(files)],
    }
  const program = await programOf(workspace, folder, name)
  return {
    name,
    folder,
    env,
    argv: (files) => [process.execPath, program, ...FIXED[name], ...kept, ...EXACT[name], ...rest(files)],
  }
}

const FIXED: Readonly<Record<(typeof PACKAGES)[number], readonly string[]>> = {
  vitest: ['run', '--reporter=default'],
  jest: ['--ci', '--colors=false'],
  mocha: ['--reporter=tap'],
  ava: ['--tap'],
}
/** Jest takes patterns; exact paths need saying so. */
const EXACT = { vitest: [], jest: ['--runTestsByPath'], mocha: [], ava: [] }

interface Choice {
  readonly name: ScriptRunnerName
  readonly folder: string
  readonly command?: ScriptCommand | undefined
}

/** What the file imports decides; else the nearest package upwards that names a runner. It runs in that package. */
async function choose(workspace: string, testFile: string, text: string): Promise<Choice> {
  const imported = IMPORTS.find(([pattern]) => pattern.test(text))?.[1]
  let other: string | undefined
  let nearest: string | undefined
  for (const folder of foldersOf(testFile)) {
    const json = await textIn(workspace, folder, 'package.json')
    if (json === undefined) continue
    nearest ??= folder
    const { scripts, dependencies, devDependencies } = manifestSchema.safeParse(tryParse(json)).data ?? {}
    const commands = testCommands(scripts ?? {})
    const installed = Object.keys({ ...dependencies, ...devDependencies })
    const named = commands.map(({ runner }) => runner)
    const configured = await configuredIn(workspace, folder)
    const known = [...named, ...configured, ...PACKAGES.filter((name) => installed.includes(name))]
    const name = known.find((one) => imported === undefined || one === imported)
    if (name) return { name, folder, command: commands.find(({ runner }) => runner === name) }
    const words = [
      ...installed,
      ...Object.values(scripts ?? {}).flatMap((script) => String(script).split(/\s+/)),
    ]
    other ??= OTHERS.find((one) => words.includes(one))
  }
  if (imported) return { name: imported, folder: nearest ?? '' }
  throw noRunner(other ? `the tests are for ${other}` : 'neither the tests nor package.json name one')
}

async function configuredIn(workspace: string, folder: string): Promise<ScriptRunnerName[]> {
  const found: ScriptRunnerName[] = []
  for (const [name, files] of CONFIGURATIONS)
    for (const file of files)
      if (!found.includes(name) && (await lstatOrAbsent(join(workspace, folder, file)))) found.push(name)
  return found
}

const ENDINGS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts']
const CONFIGURATIONS: readonly [ScriptRunnerName, readonly string[]][] = [
  ['vitest', ['vitest.config', 'vitest.workspace'].flatMap((stem) => ENDINGS.map((end) => `${stem}.${end}`))],
  ['jest', [...ENDINGS, 'json'].map((end) => `jest.config.${end}`)],
  ['mocha', ['', '.json', '.jsonc', '.js', '.cjs', '.mjs', '.yaml', '.yml'].map((end) => `.mocharc${end}`)],
  ['ava', ['js', 'mjs', 'cjs'].map((end) => `ava.config.${end}`)],
]

const programSchema = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) })

/** The program of an installed package, as its manifest names it; found as Node finds packages. */
async function programOf(workspace: string, folder: string, name: string): Promise<string> {
  for (const at of foldersOf(posix.join(folder, 'x'))) {
    const home = join(workspace, at, 'node_modules', name)
    const manifest = await readFile(join(home, 'package.json'), 'utf8').catch(() => '')
    const { bin } = programSchema.safeParse(tryParse(manifest)).data ?? {}
    const file = typeof bin === 'string' ? bin : bin?.[name]
    if (file !== undefined) return join(home, file)
  }
  throw new TwotrackError(
    'missing',
    `The tests are for ${name}, which is not installed in the project's node_modules. Run its install command first.`,
  )
}
