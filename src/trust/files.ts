import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { readInside } from '../files/files.ts'
import { sha256 } from '../sha256.ts'
import { byWord, commandWords, computedIn, finderIn, namedIn } from './named.ts'

/** What a person is shown before they trust it, in characters, and the files that it may come from. */
const TRUST_SHOWN_CHARS_MAX = 1_000_000
const TRUST_FILES_MAX = 200

/** So many lines are named of one file. */
const LINES_MAX = 20

/**
 * The text of files of a project, and of all files of it that they name and that these name: a configuration, the script
 * that its command runs, what that imports. What can't be known is said: packages are not followed, and code may compute
 * what it loads.
 */
export async function filesText(root: string, paths: readonly string[]): Promise<string> {
  const seen = new Set(paths)
  const find = finderIn(root)
  const computed: string[] = []
  let text = ''
  for (const path of seen) {
    const bytes = await readInside(root, path).catch(() => undefined)
    text += bytes ? shownOf(path, bytes) : `--- ${path}: no file of this project\n`
    if (text.length > TRUST_SHOWN_CHARS_MAX || seen.size > TRUST_FILES_MAX) throw tooLarge(paths[0] ?? root)
    if (!bytes) continue
    const content = bytes.toString()
    for (const next of await namedIn(root, find, path, content)) seen.add(next)
    const lines = computedIn(path, content)
    if (lines.length > 0) computed.push(`${path} line ${lines.slice(0, LINES_MAX).join(', ')}`)
  }
  const also = computed.map((one) => `; what is computed in ${one}`).join('')
  return `${text}--- not covered: installed packages, and what programs find by themselves${also}\n`
}

/** The same of files that the words of commands name; empty where they name none. */
export async function commandsText(root: string, value: unknown): Promise<string> {
  const find = finderIn(root)
  const named = commandWords(value).flatMap((word) => byWord(find, '.', word))
  return named.length === 0 ? '' : filesText(root, [...new Set(named)])
}

/** All files under a folder, sorted; links and other things too, so that they are seen. */
export async function filesUnder(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

function shownOf(path: string, bytes: Buffer): string {
  const text = bytes.toString()
  if (!Buffer.from(text).equals(bytes) || text.includes('\0'))
    return `--- ${path}: ${bytes.length} bytes that are no text, sha256 ${sha256(bytes)}\n`
  return `--- ${path}\n${text}${text.endsWith('\n') ? '' : '\n'}`
}

const tooLarge = (path: string): TwotrackError =>
  new TwotrackError(
    'limit',
    `${path} and the files it names are more than ${TRUST_FILES_MAX} or have more than ${TRUST_SHOWN_CHARS_MAX} ` +
      'characters, more than anybody reads before they trust it. Move generated files elsewhere.',
  )
