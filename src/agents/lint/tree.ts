import { readInside, writeInside } from '../../files/files.ts'

/**
 * A complete copy of the project that tools may write. What they are to find in a file is held in memory, and is put on
 * disk when a command needs it there; at the end every file is as it was.
 */
export class Tree {
  /** Absolute. */
  readonly root: string
  readonly signal: AbortSignal
  /** What files are to hold, as far as it is known. */
  readonly #texts = new Map<string, string>()
  /** As they were, of the files that are worked on. */
  readonly #originals = new Map<string, Buffer>()
  /** What files hold on disk; undefined for what a command may have written. */
  readonly #onDisk = new Map<string, string | undefined>()

  constructor(root: string, signal: AbortSignal) {
    this.root = root
    this.signal = signal
  }

  async read(path: string): Promise<string> {
    const text = this.#texts.get(path) ?? (await readInside(this.root, path)).toString()
    this.#texts.set(path, text)
    return text
  }

  write(path: string, text: string): void {
    this.#texts.set(path, text)
  }

  /** The files to work on, with the text that they are to have; `inTree`: they have it already. */
  async begin(files: readonly { readonly path: string; readonly text: string }[], inTree: boolean) {
    for (const { path, text } of files) {
      const original = inTree ? Buffer.from(text) : await readInside(this.root, path)
      this.#originals.set(path, original)
      this.#onDisk.set(path, original.toString())
      this.#texts.set(path, text)
    }
  }

  /** Before a command runs: everything that it may read is on disk. */
  async settle(): Promise<void> {
    for (const [path, text] of this.#texts) {
      if (!this.#onDisk.has(path) || this.#onDisk.get(path) === text) continue
      await writeInside(this.root, path, text)
      this.#onDisk.set(path, text)
    }
  }

  /** After a command that writes these files. */
  written(paths: readonly string[]): void {
    for (const path of paths) {
      this.#texts.delete(path)
      this.#onDisk.set(path, undefined)
    }
  }

  /** Puts every file back. */
  async restore(): Promise<void> {
    for (const [path, original] of this.#originals)
      if (
        this.#onDisk.get(path) !== original.toString() &&
        !original.equals(await readInside(this.root, path))
      )
        await writeInside(this.root, path, original)
    for (const held of [this.#texts, this.#originals, this.#onDisk]) held.clear()
  }
}
