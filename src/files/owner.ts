import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Who holds a lock: a note for people and for other machines. Whether it still does is what the lock itself says. */
export interface Owner {
  /** Unique to one acquisition. */
  readonly token: string
  readonly pid: number
  readonly host: string
  readonly boot: string
  readonly since: string
}

export const thisProcess = (): Owner => ({
  token: randomBytes(6).toString('hex'),
  pid: process.pid,
  host: hostname(),
  boot: bootId(),
  since: new Date().toISOString(),
})

export function parseOwner(text: string): Owner | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { token, pid, host, boot, since } = Object(value)
  if (typeof token !== 'string' || !/^[0-9a-f]{12}$/.test(token) || typeof pid !== 'number') return undefined
  if (typeof host !== 'string' || typeof boot !== 'string' || typeof since !== 'string') return undefined
  return { token, pid, host, boot, since }
}

/** On another machine, whose locks need not reach this one. Containers on one machine share its boot. */
export const isElsewhere = ({ host, boot }: Owner): boolean =>
  host !== hostname() && (boot === '' || boot !== bootId())

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
