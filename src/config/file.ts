import { closeSync, fstatSync, lstatSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { messageOf, TwotrackError } from '../errors.ts'
import { CONFIG_BYTES_MAX } from '../limits.ts'

const FILE_NAMES = ['twotrack.yaml', 'twotrack.yml']

/** The configuration file of a folder: its own or its nearest parent's, not above the root of its git repository. */
export function findConfigFile(cwd: string): string | undefined {
  let folder = resolve(cwd)
  for (;;) {
    const found = FILE_NAMES.map((name) => join(folder, name)).filter(isThere)
    if (found.length > 1) {
      throw new TwotrackError('bad_config', `${found.join(' and ')} both exist; remove one of them.`, {
        details: { file: found[0] },
      })
    }
    const parent = dirname(folder)
    if (found.length === 1 || isThere(join(folder, '.git')) || parent === folder) return found[0]
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

/** The text of a configuration file; never reads more than the limit. */
export function readConfigFile(file: string): string {
  const bytes = readBounded(file)
  if (bytes.length > CONFIG_BYTES_MAX) {
    throw new TwotrackError(
      'bad_config',
      `${file} is larger than ${CONFIG_BYTES_MAX} bytes, the most a configuration may have. Is it the right file?`,
      { details: { file } },
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new TwotrackError('bad_config', `${file} is not UTF-8 text; save it as UTF-8.`, {
      cause,
      details: { file },
    })
  }
}

function readBounded(file: string): Uint8Array {
  const details = { file }
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (stat === undefined) {
      throw new TwotrackError('missing', `There is no configuration file ${file}.`, { details })
    }
    if (!stat.isFile()) {
      throw new TwotrackError('bad_config', `${file} is not a regular file; give one with YAML in it.`, {
        details,
      })
    }
    return readUpTo(file, CONFIG_BYTES_MAX + 1)
  } catch (cause) {
    if (cause instanceof TwotrackError) throw cause
    throw new TwotrackError('io', `${file} cannot be read: ${messageOf(cause)}`, { cause, details })
  }
}

function readUpTo(file: string, bytesMax: number): Uint8Array {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(Math.min(bytesMax, fstatSync(descriptor).size))
    let length = 0
    while (length < buffer.length) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null)
      if (read === 0) break
      length += read
    }
    return buffer.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}
