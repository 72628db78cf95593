import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isObject, tryParse } from '../../event/json.ts'

/**
 * Who holds a lock: a process id alone is reused by the system, so the process's start and the boot it
 * belongs to are kept too. `token` tells two holders within one process apart.
 */
export interface Owner {
  readonly pid: number
  readonly start: string
  readonly boot: string
  readonly token: string
}

export const thisProcess = (): Owner => ({
  pid: process.pid,
  start: processState(process.pid).start,
  boot: bootId(),
  token: randomUUID(),
})

export function parseOwner(text: string): Owner | undefined {
  const value = tryParse(text)
  if (!isObject(value)) return undefined
  const { pid, start, boot, token } = value
  const complete =
    typeof pid === 'number' &&
    typeof start === 'string' &&
    typeof boot === 'string' &&
    typeof token === 'string'
  return complete ? { pid, start, boot, token } : undefined
}

/** Whether the process that wrote this lock still runs. An unreadable lock has no owner. */
export function isAlive(lock: string): boolean {
  const owner = parseOwner(lock)
  if (!owner || owner.boot !== bootId() || !exists(owner.pid)) return false
  const now = processState(owner.pid)
  return !now.ended && now.start === owner.start
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return isObject(thrown) && thrown['code'] === 'EPERM'
  }
}

/** From Linux's /proc; elsewhere the start is unknown, and the process id has to do. */
function processState(pid: number): { start: string; ended: boolean } {
  const stat = readOr(`/proc/${pid}/stat`, '')
  // The name in parentheses may hold anything, so fields are counted from its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { start: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' }
}

const bootId = () => readOr('/proc/sys/kernel/random/boot_id', '').trim()

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}
