import { randomBytes } from 'node:crypto'
import type { Identity } from '../event/line.ts'

/** What an event's commitments are made with. */
export function newNonces(): Identity['nonces'] {
  const bits = randomBytes(32).toString('hex')
  return { payload: bits.slice(0, 32), raw: bits.slice(32) }
}
