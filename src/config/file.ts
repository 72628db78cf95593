import { readFileSync, statSync } from 'node:fs'
import { type ErrorCode, messageOf, TwotrackError } from '../errors.ts'
import { CONFIG_BYTES_MAX } from '../limits.ts'
import { type FoundProject, projectOf } from './project.ts'

/** The configuration file of a folder and its project's top (project.ts). */
export function findProject(cwd: string): { readonly file?: string; readonly root: string } {
  let found: FoundProject
  try {
    found = projectOf(cwd)
  } catch (cause) {
    throw new TwotrackError('io', `${cwd} and what is above it cannot be looked at: ${messageOf(cause)}`, {
      cause,
    })
  }
  const { files, root } = found
  const [file] = files
  if (files.length > 1)
    throw new TwotrackError('bad_config', `${files.join(' and ')} both exist; remove one of them.`, {
      details: { file },
    })
  return { root, ...(file === undefined ? {} : { file }) }
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
