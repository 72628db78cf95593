import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { isObject, tryParse } from '../../event/json.ts'
import { systemCode } from '../disk.ts'

/** Who holds a lock. The start time tells a process from a later one that was given the same pid. */
export interface Owner {
  /** Unique to one acquisition. */
  readonly token: string
  readonly pid: number
  readonly started: string
  readonly boot: string
  readonly host: string
  readonly since: string
}

export function thisProcess(token: string): Owner {
  const started = startOf(process.pid) ?? ''
  return {
    token,
    pid: process.pid,
    started,
    boot: bootId(),
    host: hostname(),
    since: new Date().toISOString(),
  }
}

export function parseOwner(text: string): Owner | undefined {
  const value = tryParse(text)
  if (!isObject(value)) return undefined
  const { token, pid, started, boot, host, since } = value
  if (typeof token !== 'string' || !/^[0-9a-f]{12}$/.test(token) || typeof pid !== 'number') return undefined
  if (typeof started !== 'string' || typeof boot !== 'string' || typeof host !== 'string') return undefined
  return { token, pid, started, boot, host, since: typeof since === 'string' ? since : 'an unknown time' }
}

/** True only when it is certain: a process of another machine cannot be asked, so it counts as alive. */
export function isGone(owner: Owner): boolean {
  if (owner.host !== hostname()) return false
  if (owner.boot !== bootId()) return true
  try {
    process.kill(owner.pid, 0)
  } catch (thrown) {
    if (systemCode(thrown) === 'ESRCH') return true
  }
  const started = startOf(owner.pid)
  return started !== undefined && started !== owner.started
}

/** When a process started, in the system's own words; empty for a zombie, undefined when it can't be known. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold anything: the fields begin after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : fields[19]
  } catch {
    return undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
