import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultConfig } from '../config/config.ts'
import { renderConfig } from '../config/render.ts'
import { codeOf, messageOf, TwotrackError } from '../errors.ts'
import { lstatOrAbsent } from '../files/confine.ts'

/** What git is told to leave out. */
export const IGNORED = '.agentfs/'

/** Writes a commented twotrack.yaml and keeps the logs out of git. Changes nothing that is there. */
export async function initProject(
  folder: string,
): Promise<{ readonly file: string; readonly ignored: boolean }> {
  const file = join(folder, 'twotrack.yaml')
  try {
    await writeFile(file, renderConfig(defaultConfig, { keys: new Set() }), { flag: 'wx' })
  } catch (cause) {
    const there = codeOf(cause) === 'EEXIST'
    const message = there ? `${file} is there already` : `${file} can't be written (${messageOf(cause)})`
    throw new TwotrackError(there ? 'conflict' : 'io', `${message}. Nothing was changed.`, { cause })
  }
  return { file, ignored: await ignore(join(folder, '.gitignore')) }
}

async function ignore(file: string): Promise<boolean> {
  // A clone can bring a link that leads to a file of the person's.
  if ((await lstatOrAbsent(file))?.isSymbolicLink()) return false
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.split('\n').some((line) => line.trim() === IGNORED || line.trim() === '.agentfs')) return false
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${IGNORED}\n`)
  return true
}
