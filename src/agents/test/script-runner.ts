import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { tryParse } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import { fileTextIn, foldersOf, noRunner, type Runner, type RunnerPlace, seenFrom } from './runner.ts'

/** How a test runner for JavaScript and TypeScript is recognised and called. */
interface ScriptRunner {
  readonly name: 'vitest' | 'jest' | 'mocha' | 'ava' | 'node:test'
  readonly imports: RegExp
  readonly configured?: RegExp
  readonly starts: readonly string[]
  /** What says that exact paths follow, where it takes patterns. */
  readonly exact?: readonly string[]
  /** Options of the project's script that decide how tests are loaded. */
  readonly kept: RegExp
}

/** One row for each; of several that a package names the first counts. */
const RUNNERS: readonly ScriptRunner[] = [
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

/** Known by name only, so that the reason can be given. */
const OTHERS = 'jasmine tap tape uvu bun deno karma qunit kcd-scripts react-scripts'.split(' ')

/** Whether it is a package of its own; node:test is a part of Node. */
const isPackage = ({ name }: ScriptRunner): boolean => name !== 'node:test'

const names = z.record(z.string(), z.unknown()).catch({})
const manifestSchema = z.object({ scripts: names, dependencies: names, devDependencies: names })

export async function scriptRunner(
  { workspace }: RunnerPlace,
  testFile: string,
  text: string,
): Promise<Runner> {
  const { runner, folder, command } = await choose(workspace, testFile, text)
  const { name, starts, exact = [] } = runner
  const kept = command?.options ?? []
  const own = isPackage(runner)
    ? [await packageProgram(workspace, folder, name), ...starts, ...kept]
    : [...kept, ...starts]
  const argv = (files: readonly string[]) => [
    ...[process.execPath, ...own, ...exact],
    ...files.map((file) => seenFrom(folder, file)),
  ]
  return { name, folder, env: command?.env ?? {}, argv }
}

interface Choice {
  readonly runner: ScriptRunner
  readonly folder: string
  readonly command?: ScriptCommand | undefined
}

/** What the file imports decides; else the nearest package upwards that names a runner. It runs in that package. */
async function choose(workspace: string, testFile: string, text: string): Promise<Choice> {
  const imported = RUNNERS.find(({ imports }) => imports.test(text))
  let other: string | undefined
  let nearest: string | undefined
  for (const folder of foldersOf(testFile)) {
    const manifest = manifestSchema.safeParse(
      tryParse((await fileTextIn(workspace, folder, 'package.json')) ?? ''),
    )
    if (!manifest.success) continue
    nearest ??= folder
    const { scripts, dependencies, devDependencies } = manifest.data
    const commands = testCommands(scripts)
    const installed = Object.keys({ ...dependencies, ...devDependencies })
    const files = await readdir(join(workspace, folder))
    const known = [
      ...commands.map(({ runner }) => runner),
      ...RUNNERS.filter(({ configured }) => files.some((one) => configured?.test(one))),
      ...RUNNERS.filter((one) => isPackage(one) && installed.includes(one.name)),
    ]
    const runner = known.find((one) => imported === undefined || one === imported)
    if (runner) return { runner, folder, command: commands.find((one) => one.runner === runner) }
    const words = Object.values(scripts).flatMap((script) => String(script).split(/\s+/))
    other ??= OTHERS.find((one) => [...installed, ...words].includes(one))
  }
  if (imported) return { runner: imported, folder: nearest ?? '' }
  throw noRunner(other ? `the tests are for ${other}` : 'neither the tests nor package.json name one')
}

const programSchema = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) })

/** The program of an installed package, as its manifest names it; found as Node finds packages. */
async function packageProgram(workspace: string, folder: string, name: string): Promise<string> {
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

/** How a script of package.json starts a test runner. */
interface ScriptCommand {
  readonly runner: ScriptRunner
  readonly env: Readonly<Record<string, string>>
  /** Options without which the tests do not run as the project means them. */
  readonly options: readonly string[]
}

/** Other options take their value as the next word. */
const WITHOUT_VALUE = /^(?:--check-leaks|--exit|--serial|-s|--experimental-.*)$/

/** The test runners that the scripts start, those of `test` first. */
function testCommands(scripts: Readonly<Record<string, unknown>>): ScriptCommand[] {
  const named = Object.entries(scripts).filter(([name]) =>
    /(?:^|[:-])(?:test|tests|unit)(?:$|[:-])/.test(name),
  )
  const first = named.toSorted(([one], [other]) => Number(other === 'test') - Number(one === 'test'))
  const parts = first.flatMap(([, script]) => String(script).split(/&&|\|\||[;|]/))
  return parts.flatMap((command) => runnerCommand(commandWords(command)) ?? [])
}

const commandWords = (command: string): string[] =>
  (command.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replace(/["']/g, ''))

function runnerCommand(words: readonly string[]): ScriptCommand | undefined {
  const at = words.findIndex((word) => /^(?:vitest|jest|mocha|ava|node|tsx)$/.test(posix.basename(word)))
  const program = posix.basename(words[at] ?? '')
  const args = words.slice(at + 1)
  if (at === -1) return undefined
  const isNode = program === 'node' || program === 'tsx'
  if (isNode && !args.includes('--test')) return runnerCommand(args)
  const runner = RUNNERS.find(({ name }) => name === (isNode ? 'node:test' : program))
  if (!runner) return undefined
  return {
    runner,
    env: Object.fromEntries(words.slice(0, at).flatMap(assignment)),
    options: [...(program === 'tsx' ? ['--import=tsx'] : []), ...keptOf(args, runner.kept)],
  }
}

const assignment = (word: string): [string, string][] => {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? []
  // Where programs are is for the run to say.
  return name === undefined || value === undefined || name === 'PATH' ? [] : [[name, value]]
}

const keptOf = (args: readonly string[], kept: RegExp): string[] =>
  args.flatMap((arg, at) => {
    const [option = '', value] = arg.split(/=(.*)/s)
    if (!option.startsWith('-') || !kept.test(option)) return []
    return value !== undefined || WITHOUT_VALUE.test(option) ? [arg] : [arg, args[at + 1] ?? '']
  })
