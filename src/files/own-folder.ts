import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a person's own decisions and keys are: outside every project. */
export function personFolder(env: Environment): string {
  const state = env['XDG_STATE_HOME'] ?? ''
  return join(isAbsolute(state) ? state : join(homedir(), '.local', 'state'), 'twotrack')
}

const KEY_BYTES = 32

/** A key of the person's own, made at its first use. Undefined where there is no place to keep one. */
export function personKey(env: Environment, name: string): Uint8Array | undefined {
  const file = join(personFolder(env), name)
  try {
    mkdirSync(personFolder(env), { recursive: true, mode: 0o700 })
    writeFileSync(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 })
  } catch {
    // It is there, or nobody can make it.
  }
  try {
    const key = readFileSync(file)
    return key.length === KEY_BYTES ? key : undefined
  } catch {
    return undefined
  }
}

/**
 * The file by which a folder of records shows that this person made it, here.
 * @internal
 */
export const OWN_MARK = 'made'
const MARK_CHARS = 64
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** What only this person's key gives, for this very folder: a copy of it, or one under the same name, is another. */
function markOf(folder: string): string | undefined {
  const key = personKey(process.env, 'records.key')
  if (key === undefined) return undefined
  const { ino, birthtimeNs } = statSync(folder, { bigint: true })
  return createHmac('sha256', key).update(`records ${ino} ${birthtimeNs}`).digest('hex')
}

/** Says in a folder that was just made that it is this person's. */
export function markOwn(folder: string): void {
  const mark = markOf(folder)
  if (mark !== undefined) writeFileSync(join(folder, OWN_MARK), mark, { mode: 0o600 })
}

/** Whether this person made the folder, on this machine, and it is theirs. */
export function isOwn(folder: string): boolean {
  if (process.getuid !== undefined && statSync(folder).uid !== process.getuid()) return false
  const mark = markOf(folder)
  let opened: number | undefined
  try {
    opened = openSync(join(folder, OWN_MARK), READ_FLAGS)
    const stats = fstatSync(opened)
    if (mark === undefined || !stats.isFile() || stats.size !== MARK_CHARS) return false
    return timingSafeEqual(readFileSync(opened), Buffer.from(mark))
  } catch {
    return false
  } finally {
    if (opened !== undefined) closeSync(opened)
  }
}
