import { lstatSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type ErrorCode, messageOf, TwotrackError } from '../errors.ts'
import { CONFIG_BYTES_MAX } from '../limits.ts'

const FILE_NAMES = ['twotrack.yaml', 'twotrack.yml']

/**
 * The configuration file of a folder and its project's top: the file is its own or its nearest parent's, not above the
 * root of its git repository. Without one that root is the top, unless it is the person's home; else the folder itself.
 */
export function findProject(cwd: string): { readonly file?: string; readonly root: string } {
  let folder = resolve(cwd)
  for (;;) {
    const found = FILE_NAMES.map((name) => join(folder, name)).filter(isThere)
    if (found.length > 1) {
      throw new TwotrackError('bad_config', `${found.join(' and ')} both exist; remove one of them.`, {
        details: { file: found[0] },
      })
    }
    const [file] = found
    if (file !== undefined) return { file, root: folder }
    if (isThere(join(folder, '.git'))) return { root: folder === homedir() ? resolve(cwd) : folder }
    const parent = dirname(folder)
    if (parent === folder) return { root: resolve(cwd) }
    folder = parent
  }
}

// A dangling link counts as there: reading it then says what is wrong, instead of silently using defaults.
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    throw new TwotrackError('io', `${path} cannot be looked at: ${messageOf(cause)}`, { cause })
  }
}

/** The text of a configuration file. */
export function readConfigFile(file: string): string {
  const refuse = (code: ErrorCode, message: string, cause?: unknown) =>
    new TwotrackError(code, message, { cause, details: { file } })
  let bytes: Uint8Array
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat === undefined) throw refuse('missing', `There is no configuration file ${file}.`)
    if (!stat.isFile()) throw refuse('bad_config', `${file} is not a regular file; give one with YAML in it.`)
    if (stat.size > CONFIG_BYTES_MAX) {
      const most = `larger than ${CONFIG_BYTES_MAX} bytes, the most a configuration may have`
      throw refuse('bad_config', `${file} is ${most}. Is it the right file?`)
    }
    bytes = readFileSync(file)
  } catch (cause) {
    if (cause instanceof TwotrackError) throw cause
    throw refuse('io', `${file} cannot be read: ${messageOf(cause)}`, cause)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw refuse('bad_config', `${file} is not UTF-8 text; save it as UTF-8.`, cause)
  }
}
