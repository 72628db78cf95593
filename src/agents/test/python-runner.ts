import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, posix } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { lstatOrAbsent } from '../../files/confine.ts'
import { collectCommand } from '../collect-command.ts'
import { fileTextIn, foldersOf, type Runner, type RunnerPlace, seenFrom } from './runner.ts'

const MANIFESTS = ['pyproject.toml', 'setup.py', 'setup.cfg']

export async function pythonRunner(place: RunnerPlace, testFile: string, text: string): Promise<Runner> {
  const { workspace } = place
  const python = await pythonOf(place)
  const folder = await packageOf(workspace, testFile)
  const shared = {
    folder,
    roots: await rootsOf(workspace, folder),
    // Commands have a home of their own; packages that were installed for the user are in the real one.
    env: { PYTHONUSERBASE: process.env['PYTHONUSERBASE'] ?? join(homedir(), '.local') },
  }
  const forPytest = /^[ \t]*(?:import [^\n]*\bpytest\b|from pytest\b)/m.test(text)
  const forUnittest = /^[ \t]*(?:import [^\n]*\bunittest\b|from unittest\b)/m.test(text)
  const chosen = forPytest || !forUnittest || (await isConfigured(workspace, folder))
  if (chosen && (await hasPytest(place, python, shared.env)))
    return {
      ...shared,
      name: 'pytest',
      argv: (files) => [
        python,
        ...['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--confcutdir=.'],
        ...files.map((file) => seenFrom(folder, file)),
      ],
    }
  if (chosen && !forUnittest)
    throw new TwotrackError(
      'missing',
      `The tests are for pytest, which ${python} does not have. Install it there, or in a .venv of the project.`,
    )
  return {
    ...shared,
    name: 'unittest',
    argv: (files) => [python, '-m', 'unittest', ...files.map((file) => posix.relative(folder, file))],
  }
}

/** The nearest folder upwards that is a package of its own. */
async function packageOf(workspace: string, testFile: string): Promise<string> {
  for (const folder of foldersOf(testFile))
    for (const name of MANIFESTS) if (await lstatOrAbsent(join(workspace, folder, name))) return folder
  return ''
}

/** Where the code under test is imported from, also where it is not installed: a package, and its `src`. */
async function rootsOf(workspace: string, folder: string): Promise<string[]> {
  const roots: string[] = []
  for (const root of new Set([folder, '']))
    for (const path of [posix.join(root, 'src'), root])
      if ((await lstatOrAbsent(join(workspace, path)))?.isDirectory()) roots.push(path)
  return roots
}

/** Whether the project says that its tests are for pytest. */
async function isConfigured(workspace: string, folder: string): Promise<boolean> {
  for (const [file, mark] of PYTEST_MARKS)
    if ((await fileTextIn(workspace, folder, file))?.includes(mark)) return true
  return false
}

const PYTEST_MARKS = [
  ['pytest.ini', ''],
  ['pyproject.toml', '[tool.pytest'],
  ['setup.cfg', '[tool:pytest]'],
  ['tox.ini', '[pytest]'],
] as const

/** The project's own environment when it is there, then the one that is active. */
async function pythonOf({ workspace, project = workspace }: RunnerPlace): Promise<string> {
  const active = process.env['VIRTUAL_ENV']
  const places = ['.venv', 'venv', 'env'].map((name) => join(project, name))
  for (const folder of [...places, ...(active === undefined ? [] : [active])]) {
    const python = join(folder, 'bin', 'python')
    const found = await access(join(folder, 'pyvenv.cfg'))
      .then(() => access(python))
      .then(
        () => true,
        () => false,
      )
    if (found) return python
  }
  return 'python3'
}

async function hasPytest(
  { workspace, signal }: RunnerPlace,
  python: string,
  env: Readonly<Record<string, string>>,
): Promise<boolean> {
  const asked = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("pytest") is None)'
  const found = await collectCommand([python, '-c', asked], {
    root: workspace,
    signal,
    allow: [{ program: python }],
    env,
  })
  return found.exit_code === 0
}
