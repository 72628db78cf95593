import { IGNORED, initProject } from '../../app/init.ts'
import type { CommandWords } from '../command.ts'
import { type Found, paint, self } from '../output.ts'

/** Writes a commented twotrack.yaml and keeps the logs out of git. Changes nothing that is there. */
async function initCommand(): Promise<Found> {
  const done = await initProject(process.cwd())
  return {
    json: done,
    lines: () => [
      `Wrote ${done.file}${done.ignored ? `, and ${IGNORED} to .gitignore` : ''}.`,
      paint('dim', `Next: ${self} doctor · ${self} run lint .`),
    ],
  }
}

export default { examples: ['init'], call: initCommand } satisfies CommandWords
