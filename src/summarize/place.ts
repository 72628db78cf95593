const PATH_CHARS_MAX = 400
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
