import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  type Held,
  holdFile,
  isElsewhere,
  isHeld,
  LEASE_MS,
  parseOwner,
  thisProcess,
} from '../../files/lock.ts'

/**
 * The stores that write to one database. Each holds a file of its own beside it for as long as it is open; what it
 * owns in the database names that file by its token. On other machines, where such files say nothing, it counts when an
 * owner was last heard of.
 */
export class Owners {
  readonly #file: string
  /** What is written to a row that this store owns. */
  readonly self: string
  readonly #token: string
  #held: Held | undefined

  constructor(file: string) {
    const owner = thisProcess()
    this.#file = file
    this.#token = owner.token
    this.self = JSON.stringify(owner)
  }

  /** To be called before the first row that this store owns is committed. */
  hold(): void {
    if (this.#held !== undefined) return
    this.#clear()
    this.#held = holdFile(this.#lockOf(this.#token))
  }

  /** Whether whoever wrote this into a row is still there. What can't be read has no owner. */
  isAlive(text: string, heard_ms: number): boolean {
    const owner = parseOwner(text)
    if (owner === undefined) return false
    return isElsewhere(owner) ? Date.now() - heard_ms < LEASE_MS : isHeld(this.#lockOf(owner.token))
  }

  release(): void {
    this.#held?.release()
    this.#held = undefined
  }

  /** Removes the files of processes that were killed. */
  #clear(): void {
    const start = basename(this.#lockOf(''))
    const folder = dirname(this.#file)
    for (const name of readdirSync(folder)) {
      if (name.startsWith(start)) holdFile(join(folder, name))?.release()
    }
  }

  readonly #lockOf = (token: string): string => `${this.#file}-writer-${token}`
}
