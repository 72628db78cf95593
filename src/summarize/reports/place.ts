/** Where a diagnostic points, and what the line says after it. */
export interface Place {
  readonly path: string
  readonly line: number
  readonly column?: number
  /** Text after the place and its colon, untrimmed: `grep -n` and compilers differ in its first character. */
  readonly rest: string
  readonly indented: boolean
}

const PATH_CHARS_MAX = 400
const SPACE = 0x20
const TAB = 0x09

/**
 * Reads `path:line:`, `path:line:column:` and the same with a space or ` - ` for the last colon.
 * Windows drives and paths with spaces are understood; addresses, times and URLs are not paths.
 */
export function readPlace(text: string): Place | undefined {
  let start = 0
  while (start < text.length && isBlank(text.charCodeAt(start))) start++
  const colon = colonBeforeDigit(text, start)
  if (colon === -1) return undefined
  const path = text.slice(start, colon)
  if (!looksLikePath(path)) return undefined
  let at = endOfDigits(text, colon + 1)
  const line = Number(text.slice(colon + 1, at))
  let column: number | undefined
  if (text[at] === ':' && isDigit(text.charCodeAt(at + 1))) {
    const end = endOfDigits(text, at + 1)
    column = Number(text.slice(at + 1, end))
    at = text[end] === '-' && isDigit(text.charCodeAt(end + 1)) ? endOfDigits(text, end + 1) : end
  }
  const next = text[at]
  if (next !== undefined && next !== ':' && next !== ' ') return undefined
  const rest = next === ':' ? text.slice(at + 1) : text.slice(at)
  const indented = start > 0
  return column === undefined ? { path, line, rest, indented } : { path, line, column, rest, indented }
}

const BARE_NAMES = new Set(['Gemfile', 'Rakefile', 'Makefile', 'Dockerfile', 'Guardfile', 'Vagrantfile', '-'])

/** Characters that a sentence or code has and a path in a report has not. */
const NOT_IN_PATHS = '"\'`|=;,*?\t'
/** By their code, for all of ASCII: a set would be asked for every character of an output. */
const IN_NO_PATH = Array.from({ length: 128 }, (_, code) => NOT_IN_PATHS.includes(String.fromCharCode(code)))
const SPACES_MAX = 5

/** A file name with an extension, or something with a folder; no URL, no sentence. */
export function looksLikePath(path: string): boolean {
  if (path.length === 0 || path.length > PATH_CHARS_MAX) return false
  let slash = -1
  let dot = -1
  let spaces = 0
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i)
    if (code === 0x2f || code === 0x5c) slash = i
    else if (code === 0x2e) dot = i
    else if (code === SPACE) spaces += 1
    else if (IN_NO_PATH[code] === true) return false
  }
  const name = path.slice(slash + 1)
  if (BARE_NAMES.has(name)) return true
  if (name === '' || spaces > SPACES_MAX || path.includes('://') || ')]}!%&#'.includes(path[0] ?? ''))
    return false
  if (dot <= slash) return slash !== -1 && spaces === 0 && !path.endsWith(')')
  return path[dot - 1] !== ' ' && isExtension(path, dot + 1)
}

const EXTENSION_CHARS_MAX = 12

function isExtension(path: string, from: number): boolean {
  const length = path.length - from
  if (length < 1 || length > EXTENSION_CHARS_MAX || isDigit(path.charCodeAt(from))) return false
  for (let i = from; i < path.length; i++) {
    const code = path.charCodeAt(i) | 0x20
    const letter = code >= 0x61 && code <= 0x7a
    if (!letter && !isDigit(path.charCodeAt(i)) && !'_+->'.includes(path[i] ?? '')) return false
  }
  return true
}

function colonBeforeDigit(text: string, from: number): number {
  const limit = Math.min(text.length, from + PATH_CHARS_MAX)
  for (let i = text.indexOf(':', from); i !== -1 && i < limit; i = text.indexOf(':', i + 1)) {
    if (isDigit(text.charCodeAt(i + 1))) return i
    // `C:\x` and `D:/x` keep their drive; any other colon ends what could be a path.
    if (i !== from + 1 || (text[i + 1] !== '\\' && text[i + 1] !== '/')) return -1
  }
  return -1
}

function endOfDigits(text: string, from: number): number {
  let i = from
  while (i < text.length && i < from + 9 && isDigit(text.charCodeAt(i))) i++
  return i
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

/** Extension without its dot, in lower case; empty when there is none. */
export function extensionOf(path: string): string {
  const dot = path.lastIndexOf('.')
  if (dot === -1 || path.includes('/', dot) || path.includes('\\', dot)) return ''
  return path.slice(dot + 1).toLowerCase()
}
