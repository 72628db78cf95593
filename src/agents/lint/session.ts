import { type Discovery, discovery } from './discover.ts'
import { type Group, type Linted, lintGroup, type SourceFile } from './group.ts'
import type { Where } from './programs.ts'
import { Tree } from './tree.ts'

/** A file of the tree, with another text than it has there where one is given. */
interface Given {
  readonly path: string
  readonly text?: string
}

export interface NotLinted extends Given {
  readonly failed: unknown
}

/**
 * The project's linters and formatter at work in a tree. One call serves many files: each tool runs once for all of
 * them. The tree is as before at the end. Calls wait for each other, since they write the same tree.
 */
export class LintSession {
  readonly #tree: Tree
  readonly #discovery: Discovery
  #last: Promise<unknown> = Promise.resolve()

  /** The tools are looked for in the project; the tree may be a copy of it. */
  constructor(where: Where, root: string) {
    this.#tree = new Tree(root, where.signal)
    this.#discovery = discovery(where)
  }

  /** Linters that are configured for files of this session and could not be asked. */
  get absent(): readonly string[] {
    return [...this.#discovery.absent]
  }

  /** One result for each file; where its linter can't run, why. */
  lint(files: readonly Given[]): Promise<(Linted | NotLinted)[]> {
    return this.#inTurn(async () => {
      const groups: (Group & { files: SourceFile[] })[] = []
      const results: (Linted | NotLinted)[] = []
      for (const file of files)
        try {
          const linters = await this.#discovery.linters(file.path)
          const formatter = await this.#discovery.formatter(file.path)
          const known = groups.find((one) => one.linters === linters && one.formatter === formatter)
          const group = known ?? { linters, formatter, files: [] }
          group.files.push(await this.#begun(file))
          if (!known) groups.push(group)
        } catch (failed) {
          results.push({ ...file, failed })
        }
      for (const group of groups)
        try {
          results.push(...(await lintGroup(this.#tree, group)))
        } catch (failed) {
          results.push(...group.files.map((file) => ({ ...file, failed })))
        } finally {
          for (const { path, text } of group.files) this.#tree.write(path, text)
        }
      return results
    })
  }

  async #begun({ path, text }: Given): Promise<SourceFile> {
    const own = await this.#tree.read(path)
    this.#tree.write(path, text ?? own)
    return { path, text: text ?? own }
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#last.then(work).finally(() => this.#tree.restore())
    this.#last = next.catch(() => {})
    return next
  }
}
