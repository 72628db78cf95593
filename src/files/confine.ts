import { lstatSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { codeOf, TwotrackError } from '../errors.ts'

/** A path that is given to a workspace. */
const WORKSPACE_PATH_CHARS_MAX = 1_024

/** What the common file systems take. */
const NAME_BYTES_MAX = 255
/** Names that hold a repository or Twotrack's own records; nothing an agent does may touch them. */
const RESERVED = new Set(['.git', '.agentfs', 'git~1', 'agentf~1'])
/** Code points that some disks ignore when they compare names. */
const IGNORABLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g

const CONTROL = /[\0-\x1f\x7f-\x9f\u2028\u2029]/

/** The parts of a relative path, normalised; throws `outside_workspace` for every path that could lead out. */
export function segmentsOf(path: string): string[] {
  if (path.length > WORKSPACE_PATH_CHARS_MAX) {
    throw new TwotrackError(
      'bad_argument',
      `A path of ${path.length} characters is over the limit of ${WORKSPACE_PATH_CHARS_MAX}; give a shorter one.`,
    )
  }
  // A name with line ends in it would stand in goals and reports as lines of their own.
  if (CONTROL.test(path)) throw outside(path, 'it holds a control character')
  if (path.includes('\\')) throw outside(path, 'it holds a backslash; parts are separated by /')
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) throw outside(path, 'it is absolute')
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(checked(segment, path))
    else if (segments.pop() === undefined) throw outside(path, '".." leads out of it')
  }
  return segments
}

function checked(segment: string, path: string): string {
  if (Buffer.byteLength(segment) > NAME_BYTES_MAX) {
    throw new TwotrackError(
      'bad_argument',
      `A name in "${path.slice(0, 40)}…" is over ${NAME_BYTES_MAX} bytes; give a shorter one.`,
    )
  }
  const folded = segment.normalize('NFKC').replace(IGNORABLE, '').toLowerCase()
  const name = withoutTrailing(folded.split(':', 1)[0] ?? folded)
  if (RESERVED.has(name)) throw outside(path, `"${segment}" belongs to the project's own records`)
  return segment
}

/** Some disks drop trailing dots and spaces of a name. */
function withoutTrailing(name: string): string {
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--
  return name.slice(0, end)
}

/**
 * The absolute path behind a relative one. Links on the way are followed and must end inside `root`; the file
 * itself need not exist. What it gives holds no link, so a caller can open it without following any.
 */
export const inside = async (root: string, path: string): Promise<string> => placeInside(root, path).target

/** The same, with `root` itself without links. Asked for without waiting: it takes microseconds, for each file that is read. */
export function placeInside(root: string, path: string): { readonly top: string; readonly target: string } {
  const segments = segmentsOf(path)
  const top = realpathSync.native(root)
  let target = top
  for (const [index, segment] of segments.entries()) {
    const next = join(target, segment)
    const found = lstatIfThere(next)
    if (!found) return { top, target: join(target, ...segments.slice(index)) }
    target = found.isSymbolicLink() ? followed(next, path) : next
    if (!isWithin(top, target)) throw outside(path, `the link "${segment}" leads out of it`)
  }
  return { top, target }
}

/** What is at a path, a link not followed; undefined where nothing is. */
export function lstatIfThere(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOTDIR') return undefined
    throw thrown
  }
}

function followed(link: string, path: string): string {
  try {
    return realpathSync.native(link)
  } catch (cause) {
    throw new TwotrackError(
      'outside_workspace',
      `"${path}" goes through a link that leads nowhere or in a circle; remove the link first.`,
      { cause },
    )
  }
}

export const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

export const lstatOrAbsent = async (path: string) => lstatIfThere(path)

const outside = (path: string, why: string): TwotrackError =>
  new TwotrackError(
    'outside_workspace',
    `${JSON.stringify(path.slice(0, 200))} cannot be used in a workspace: ${why}. Give a path relative to its top, such as "src/main.py".`,
  )
