import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { makeFolder, namesIn } from '../files/disk.ts'
import { type Held, holdFile, isHeld } from '../files/lock.ts'
import { type Copy, ownFolders, updateCopy } from './copy.ts'
import type { Manifest } from './manifest.ts'

/** What the copies of a project that one run makes take together, in bytes; a single one may take more. */
const WORKSPACE_COPIES_BYTES_MAX = 80_000_000

/** Files left out of copies that are told of by name. */
const TOLD_MAX = 5

const HELD_ENDING = '.held'
/** A project that was just cloned may bring files of other names, and lead a removal elsewhere with them. */
const OWN_NAME = /^[\w-]+\.held$/

/**
 * The copies of a project that the agents of one run use one after another. A copy belongs to one agent at a time and is
 * brought up to date for the next one. There are as many as fit into a bounded space, one in any case; on a disk that
 * shares the bytes of equal files as many as are asked for.
 */
export class Copies {
  readonly #records: string
  readonly #folder: string
  readonly #name = randomUUID()
  readonly #tell: (line: string) => void
  readonly #told = new Set<string>()
  readonly #free: Copy[] = []
  readonly #waiting: (() => void)[] = []
  #held: Held | undefined
  #count = 0
  /** What one copy takes; undefined until the first is made. */
  #bytes: number | undefined
  #given = 0
  #tree: Promise<string> | undefined

  /** `folder` is where Twotrack keeps its records; `tell` is told once of each file that copies do not have. */
  constructor(folder: string, tell: (line: string) => void = () => {}) {
    this.#records = folder
    this.#tell = tell
    this.#folder = join(resolve(folder), 'copies')
  }

  /** A copy that was used before, or a new one at `root`; waits for one where there is no space for more. */
  async take(root: string): Promise<Copy> {
    for (;;) {
      const free = this.#free.pop()
      if (free && (await moved(free, root))) return free
      if (free) await this.drop(free)
      if (this.#count === 0 || this.#hasSpace()) {
        this.#count++
        await mkdir(root, { recursive: true })
        return { root, files: new Map() }
      }
      await new Promise<void>((wake) => this.#waiting.push(wake))
    }
  }

  /** To be told once a copy is complete. */
  async complete({ root, files }: Copy, { skipped }: Pick<Manifest, 'skipped'>): Promise<void> {
    const fresh = skipped.filter(({ path }) => !this.#told.has(path))
    for (const { path, reason } of fresh.slice(0, TOLD_MAX))
      this.#tell(`Left out of copies of the project: ${path} (${reason})`)
    if (fresh.length > TOLD_MAX) this.#tell(`and ${fresh.length - TOLD_MAX} more`)
    for (const { path } of fresh) this.#told.add(path)
    if (this.#bytes !== undefined) return
    const entries = [...files.values()].map(({ entry }) => entry)
    this.#bytes = (await sharesBytes(root)) ? 0 : entries.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#wake()
  }

  /** Takes a copy back. If that fails it is simply made anew. */
  async give(copy: Copy): Promise<void> {
    const root = join(this.#folder, this.#name, String(this.#given++))
    try {
      await this.#open()
    } catch {
      return this.drop(copy)
    }
    if (!(await moved(copy, root))) return this.drop(copy)
    this.#free.push(copy)
    this.#wake()
  }

  /** Removes a copy. */
  async drop(copy: Copy): Promise<void> {
    this.forget()
    await rm(copy.root, { recursive: true, force: true })
  }

  /** Leaves a copy where it is: it is no longer one of these. */
  forget(): void {
    this.#count--
    this.#wake()
  }

  /** One more copy, for commands of all agents together; it is made once, and is there until these are closed. */
  tree(project: string, link: readonly string[]): Promise<string> {
    this.#tree ??= this.#makeTree(project, link)
    return this.#tree
  }

  async #makeTree(project: string, link: readonly string[]): Promise<string> {
    await this.#open()
    const root = join(this.#folder, this.#name, 'tree')
    await mkdir(root, { recursive: true })
    const leaveOut = await ownFolders({ project, folder: this.#records })
    await updateCopy({ root, files: new Map() }, resolve(project), { id: 'tree', link, leaveOut })
    return root
  }

  async close(): Promise<void> {
    for (const copy of this.#free.splice(0)) await this.drop(copy)
    await rm(join(this.#folder, this.#name), { recursive: true, force: true })
    this.#held?.release()
    this.#held = undefined
    await rmdir(this.#folder).catch(() => {}) // others may have copies there
  }

  #hasSpace(): boolean {
    return this.#bytes !== undefined && (this.#count + 1) * this.#bytes <= WORKSPACE_COPIES_BYTES_MAX
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  async #open(): Promise<void> {
    if (this.#held) return
    // The first of a run to write beside the project: its folder has to say whose it is.
    makeFolder(join(this.#folder, this.#name))
    this.#held ??= holdFile(join(this.#folder, this.#name + HELD_ENDING))
    for (const { remove } of await copiesIn(this.#records)) await remove()
  }
}

/** False when that can't be done: then it is simply made anew. */
async function moved(copy: Copy, root: string): Promise<boolean> {
  try {
    await rename(copy.root, root)
    copy.root = root
    return true
  } catch {
    return false
  }
}

/** The copies that processes left which were killed, under the folder of Twotrack's records. */
export async function copiesIn(
  folder: string,
): Promise<{ name: string; path: string; remove: () => Promise<void> }[]> {
  const all = join(resolve(folder), 'copies')
  const names = (await namesIn(all)).filter((name) => OWN_NAME.test(name))
  const left = names.filter((name) => !isHeld(join(all, name)))
  return left.map((file) => {
    const name = file.slice(0, -HELD_ENDING.length)
    const path = join(all, name)
    const remove = async () => {
      const held = holdFile(join(all, file))
      if (held) await rm(path, { recursive: true, force: true })
      held?.release()
      await rmdir(all).catch(() => {}) // others may have copies there
    }
    return { name, path, remove }
  })
}

/** Whether the disk copies a file without taking space for it. */
async function sharesBytes(folder: string): Promise<boolean> {
  const [one, other] = [join(folder, '.twotrack-shared-1.tmp'), join(folder, '.twotrack-shared-2.tmp')]
  try {
    await writeFile(one, 'x')
    await copyFile(one, other, constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch {
    return false
  } finally {
    await rm(one, { force: true })
    await rm(other, { force: true })
  }
}
