import { readdir } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { TwotrackError } from '../errors.ts'
import { lstatOrAbsent } from '../files/confine.ts'
import { readInside } from '../files/files.ts'
import { TRUST_FILES_MAX, TRUST_SHOWN_CHARS_MAX } from '../limits.ts'
import { sha256 } from '../sha256.ts'

/** What a path may be left without. */
const FILES = ['.js', '.cjs', '.mjs', '.ts', '.cts', '.mts', '.json', '.node']
/** A text in quotes: a path may be in it. */
const QUOTED = /["'`]([^"'`\n]{1,300})["'`]/g
const ENDINGS = ['', ...['', '/index'].flatMap((start) => FILES.map((end) => start + end)), '/package.json']

/**
 * The text of files of a project, and of all files of it that they name and that these name: a configuration, its
 * plugin, what the plugin imports. Packages are not followed.
 */
export async function filesText(root: string, paths: readonly string[]): Promise<string> {
  const seen = new Set(paths)
  let text = ''
  for (const path of seen) {
    const bytes = await readInside(root, path).catch(() => undefined)
    text += bytes ? shownOf(path, bytes) : `--- ${path}: no file of this project\n`
    if (text.length > TRUST_SHOWN_CHARS_MAX || seen.size > TRUST_FILES_MAX) throw tooLarge(paths[0] ?? root)
    for (const next of bytes ? await namedIn(root, path, bytes.toString()) : []) seen.add(next)
  }
  return text
}

/** All files under a folder, sorted; links and other things too, so that they are seen. */
export async function filesUnder(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

async function namedIn(root: string, path: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const name of new Set([...unescaped(text).matchAll(QUOTED)].map(([, quoted = '']) => quoted)))
    for (const ending of ENDINGS) {
      const next = join(dirname(path), name + ending)
        .split(sep)
        .join('/')
      if (await isFile(root, next)) found.push(next)
    }
  return found
}

/** As JSON and scripts read their texts: letters can be hidden as escapes. */
export const unescaped = (text: string): string =>
  text
    .replace(/\\(?:u\{([0-9a-f]{1,5})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, ...codes: string[]) =>
      String.fromCodePoint(Number.parseInt(codes.find(Boolean) ?? '0', 16)),
    )
    .replace(/\\([/.])/g, '$1')

const isFile = async (root: string, path: string): Promise<boolean> =>
  (await lstatOrAbsent(join(root, path)).catch(() => undefined)) !== undefined &&
  readInside(root, path).then(
    () => true,
    () => false,
  )

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
