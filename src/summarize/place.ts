/** Where a diagnostic points, and what the line says after it. */
export interface LinePlace {
  readonly path: string
  readonly line: number
  readonly column?: number
  /** Text after the place and its colon, untrimmed: `grep -n` and compilers differ in its first character. */
  readonly rest: string
  readonly indented: boolean
}

const PATH_CHARS_MAX = 400
/** What follows the colon behind a path; the column may be a range. */
const NUMBERS = /^(\d{1,9})(?::(\d{1,9})(?:-\d{1,9})?)?(?=[: ]|$):?/

/**
 * Reads `path:line:`, `path:line:column:` and the same with a space or ` - ` for the last colon.
 * Windows drives and paths with spaces are understood; addresses, times and URLs are not paths.
 */
export function readPlace(text: string): LinePlace | undefined {
  const start = text.length - text.trimStart().length
  const colon = colonAfterPath(text, start)
  const numbers = colon === -1 ? null : NUMBERS.exec(text.slice(colon + 1, colon + 40))
  const path = text.slice(start, colon)
  if (numbers === null || !looksLikePath(path)) return undefined
  const [whole, line, column] = numbers
  return {
    path,
    line: Number(line),
    ...(column === undefined ? {} : { column: Number(column) }),
    rest: text.slice(colon + 1 + whole.length),
    indented: start > 0,
  }
}

/** The first colon that does not belong to a drive letter. */
const colonAfterPath = (text: string, start: number): number =>
  text.indexOf(':', /^[A-Za-z]:[\\/]/.test(text.slice(start, start + 3)) ? start + 2 : start)

const BARE_NAME = /^(?:Gemfile|Rakefile|Makefile|Dockerfile|Guardfile|Vagrantfile|-)$/
/** Characters that a sentence or code has and a path in a report has not. */
const IN_NO_PATH = /["'`|=;,*?\t]|:\/\/|^[)\]}!%&#]/
const EXTENSION = /^[A-Za-z_+>-][\w+>-]{0,11}$/
const SPACES_MAX = 5

/** A file name with an extension, or something with a folder; no URL, no sentence. */
export function looksLikePath(path: string): boolean {
  if (path === '' || path.length > PATH_CHARS_MAX || IN_NO_PATH.test(path)) return false
  const slash = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  const name = path.slice(slash + 1)
  if (BARE_NAME.test(name)) return true
  if (name === '' || (path.includes(' ') && path.split(' ').length > SPACES_MAX + 1)) return false
  const dot = name.lastIndexOf('.')
  if (dot === -1) return slash !== -1 && !path.includes(' ') && !path.endsWith(')')
  return path[slash + dot] !== ' ' && EXTENSION.test(name.slice(dot + 1))
}

/** The path that an address of a file means: stacks name ES modules so. */
export function plainPath(path: string): string {
  if (!path.startsWith('file://')) return path
  const plain = path.slice('file://'.length)
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}
