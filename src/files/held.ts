import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { codeOf, TwotrackError } from '../errors.ts'
import { placeInside, segmentsOf } from './confine.ts'

/** Linux gives every open folder a path of its own, which leads there whatever is renamed or linked meanwhile. */
const HELD = '/proc/self/fd'
const canHold = existsSync(HELD)
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

interface HeldOptions {
  /** Makes the folders on the way. */
  readonly make?: boolean
}

/**
 * Runs `work` with a path to the file at `path`, whose folders are opened one after the other without following a link
 * and held until the end: a folder that is swapped for a link after it was looked at leads nowhere else. Links on the way
 * that stay inside `root` are resolved before; a link in the file's own place is left to `work`. Undefined where a folder
 * on the way is not there. Throws `outside_workspace`.
 */
export async function atFile<T>(
  root: string,
  path: string,
  work: (file: string) => Promise<T>,
  options: HeldOptions = {},
): Promise<T | undefined> {
  const segments = segmentsOf(path)
  const name = segments.pop()
  if (name === undefined) throw new TwotrackError('bad_argument', `"${path}" names no file.`)
  const { top, target } = placeInside(root, segments.join('/'))
  return inFolder(top, target, path, (held) => work(join(held, name)), options)
}

/**
 * The same for a folder, given as `inside` gives it: absolute and without links, as `top` is. A system that can't hold a
 * folder is asked about each one on the way instead; there a swap at the last moment is not noticed.
 */
export async function inFolder<T>(
  top: string,
  folder: string,
  path: string,
  work: (folder: string) => Promise<T>,
  { make = false }: HeldOptions = {},
): Promise<T | undefined> {
  const names = folder === top ? [] : relative(top, folder).split(sep)
  let held = canHold ? openSync(top, FOLDER) : undefined
  let way = held === undefined ? top : `${HELD}/${held}`
  try {
    for (const name of names) {
      const next = join(way, name)
      if (!isFolder(next, path, make)) return undefined
      if (held === undefined) way = next
      else {
        const deeper = openSync(next, FOLDER)
        closeSync(held)
        held = deeper
        way = `${HELD}/${held}`
      }
    }
    return await work(way)
  } catch (thrown) {
    throw isSwapped(thrown) ? swapped(path, thrown) : thrown
  } finally {
    if (held !== undefined) closeSync(held)
  }
}

/** Whether a folder is there, or was made; false for what is no folder. Throws for a link. */
function isFolder(folder: string, path: string, make: boolean): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) throw swapped(path)
  if (found === undefined && make) mkdirSync(folder)
  if (make && found?.isDirectory() === false)
    throw Object.assign(new Error('a file is where a folder should be'), { code: 'ENOTDIR' })
  return found?.isDirectory() ?? make
}

/** What opening a link without following it, or what is below it, gives. */
const isSwapped = (thrown: unknown): boolean =>
  thrown instanceof Error &&
  'syscall' in thrown &&
  thrown.syscall === 'open' &&
  ['ELOOP', 'ENOTDIR'].includes(codeOf(thrown) ?? '')

const swapped = (path: string, cause?: unknown): TwotrackError =>
  new TwotrackError('outside_workspace', `"${path}" became a link while it was opened.`, { cause })
