import { readInside, writeInside } from '../../files/files.ts'
import { utf8Text } from '../../nodes/node-file.ts'

interface Held {
  readonly original: Buffer
  /** What it is to hold, and what it holds on disk; undefined for what a command may have written. */
  text: string | undefined
  disk: string | undefined
}

/**
 * A complete copy of the project that tools may write. What they are to find in a file is held in memory, and is put on
 * disk when a command needs it there; at the end every file is as it was.
 */
export class Tree {
  /** Absolute. */
  readonly root: string
  readonly signal: AbortSignal
  readonly #held = new Map<string, Held>()

  constructor(root: string, signal: AbortSignal) {
    this.root = root
    this.signal = signal
  }

  /** Throws where the file is no text. */
  async read(path: string): Promise<string> {
    const known = this.#held.get(path)
    if (known?.text !== undefined) return known.text
    const bytes = await readInside(this.root, path)
    const text = utf8Text(path, bytes)
    this.#held.set(path, { original: known?.original ?? bytes, text, disk: text })
    return text
  }

  /** Of a file that was read before. */
  write(path: string, text: string): void {
    const held = this.#held.get(path)
    if (held) held.text = text
  }

  /** Before a command runs: everything that it may read is on disk. */
  async settle(): Promise<void> {
    for (const [path, held] of this.#held) {
      if (held.text === undefined || held.text === held.disk) continue
      await writeInside(this.root, path, held.text)
      held.disk = held.text
    }
  }

  /** After a command that writes these files. */
  written(paths: readonly string[]): void {
    for (const path of paths) Object.assign(this.#held.get(path) ?? {}, { text: undefined, disk: undefined })
  }

  async restore(): Promise<void> {
    for (const [path, { original, disk }] of this.#held)
      if (disk !== original.toString() && !original.equals(await readInside(this.root, path)))
        await writeInside(this.root, path, original)
    this.#held.clear()
  }
}
