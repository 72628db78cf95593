import { rm, utimes, writeFile } from 'node:fs/promises'
import { LEASE_MS } from '../../src/files/lease.ts'
import { thisProcess } from '../../src/files/lock.ts'

/** What is left of a lease when its holder, on another machine, ended a while ago: the note, and no lock that reaches here. */
export async function abandonLease(note: string): Promise<void> {
  await rm(`${note}.held`)
  await writeFile(note, JSON.stringify({ ...thisProcess(), boot: 'another boot', host: 'elsewhere' }))
  const then = (Date.now() - LEASE_MS) / 1000 - 1
  await utimes(note, then, then)
}
