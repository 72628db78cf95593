import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultConfig } from '../../config/config.ts'
import { renderConfig } from '../../config/render.ts'
import { codeOf, messageOf, TwotrackError } from '../../errors.ts'
import { lstatOrAbsent } from '../../files/confine.ts'
import type { CommandWords } from '../command.ts'
import { type Found, paint, self } from '../output.ts'

const IGNORED = '.agentfs/'

/** Writes a commented twotrack.yaml and keeps the logs out of git. Changes nothing that is there. */
async function initCommand(): Promise<Found> {
  const file = join(process.cwd(), 'twotrack.yaml')
  try {
    await writeFile(file, renderConfig(defaultConfig, { keys: new Set() }), { flag: 'wx' })
  } catch (cause) {
    const there = codeOf(cause) === 'EEXIST'
    const message = there ? `${file} is there already` : `${file} can't be written (${messageOf(cause)})`
    throw new TwotrackError(there ? 'conflict' : 'io', `${message}. Nothing was changed.`, { cause })
  }
  const ignored = await ignore(join(process.cwd(), '.gitignore'))
  return {
    json: { file, ignored },
    lines: () => [
      `Wrote ${file}${ignored ? `, and ${IGNORED} to .gitignore` : ''}.`,
      paint('dim', `Next: ${self} doctor · ${self} run lint .`),
    ],
  }
}

async function ignore(file: string): Promise<boolean> {
  // A clone can bring a link that leads to a file of the person's.
  if ((await lstatOrAbsent(file))?.isSymbolicLink()) return false
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.split('\n').some((line) => line.trim() === IGNORED || line.trim() === '.agentfs')) return false
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${IGNORED}\n`)
  return true
}

export default { examples: ['init'], call: initCommand } satisfies CommandWords
