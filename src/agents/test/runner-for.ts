import { readInside } from '../../files/files.ts'
import { languageOf } from '../../nodes/grammar.ts'
import { projectTests, requireTrust } from '../../trust/trust.ts'
import { pythonRunner } from './python-runner.ts'
import { noRunner, type Runner, type RunnerPlace } from './runner.ts'
import { scriptRunner } from './script-runner.ts'

/** The runner of a test file. What the file imports says most, then the manifest of its package, then the language. */
export async function runnerFor(place: RunnerPlace, testFile: string): Promise<Runner> {
  // To ask the project's Python for pytest is to run it.
  requireTrust(place, projectTests)
  const text = (await readInside(place.workspace, testFile)).toString()
  const language = languageOf(testFile)?.name
  if (language === undefined) throw noRunner(`nothing is known that runs ${testFile}`)
  return language === 'python' ? pythonRunner(place, testFile, text) : scriptRunner(place, testFile, text)
}
