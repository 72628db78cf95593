import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { z } from 'zod'
import { TwotrackError } from '../../errors.ts'
import { tryParse } from '../../event/json.ts'
import { foldersOf, noRunner, type Runner, type RunnerPlace, seenFrom, textIn } from './runner.ts'
import { type ScriptCommand, testCommands } from './script-command.ts'
import { isPackage, SCRIPT_RUNNERS, type ScriptRunner } from './script-runners.ts'

/** Known by name only, so that the reason can be given. */
const OTHERS = 'jasmine tap tape uvu bun deno karma qunit kcd-scripts react-scripts'.split(' ')

const manifestSchema = z.object({
  scripts: z.record(z.string(), z.unknown()).catch({}),
  dependencies: z.record(z.string(), z.unknown()).catch({}),
  devDependencies: z.record(z.string(), z.unknown()).catch({}),
})

export async function scriptRunner(place: RunnerPlace, testFile: string, text: string): Promise<Runner> {
  const { workspace } = place
  const { runner, folder, command } = await choose(workspace, testFile, text)
  const { name, starts, exact = [] } = runner
  const kept = command?.options ?? []
  const own = isPackage(runner)
    ? [await programOf(workspace, folder, name), ...starts, ...kept]
    : [...kept, ...starts]
  const argv = (files: readonly string[]) => [
    process.execPath,
    ...own,
    ...exact,
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
  const imported = SCRIPT_RUNNERS.find(({ imports }) => imports.test(text))
  let other: string | undefined
  let nearest: string | undefined
  for (const folder of foldersOf(testFile)) {
    const json = await textIn(workspace, folder, 'package.json')
    if (json === undefined) continue
    nearest ??= folder
    const { scripts, dependencies, devDependencies } = manifestSchema.safeParse(tryParse(json)).data ?? {}
    const commands = testCommands(scripts ?? {})
    const installed = Object.keys({ ...dependencies, ...devDependencies })
    const names = await readdir(join(workspace, folder))
    const known = [
      ...commands.map(({ runner }) => runner),
      ...SCRIPT_RUNNERS.filter(({ configured }) => names.some((one) => configured?.test(one))),
      ...SCRIPT_RUNNERS.filter((one) => isPackage(one) && installed.includes(one.name)),
    ]
    const runner = known.find((one) => imported === undefined || one === imported)
    if (runner) return { runner, folder, command: commands.find((one) => one.runner === runner) }
    const words = [
      ...installed,
      ...Object.values(scripts ?? {}).flatMap((script) => String(script).split(/\s+/)),
    ]
    other ??= OTHERS.find((one) => words.includes(one))
  }
  if (imported) return { runner: imported, folder: nearest ?? '' }
  throw noRunner(other ? `the tests are for ${other}` : 'neither the tests nor package.json name one')
}

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
