import { messageOf } from '../../errors.ts'
import { readInside, writeInside } from '../../files/files.ts'
import { Discovery } from './discover.ts'
import { type Group, type Linted, lintGroup, namedWith, type SourceFile, write } from './group.ts'
import type { Problem, Tree, Wanted } from './linter.ts'
import type { Where } from './programs.ts'

interface LintOptions {
  readonly wanted?: Wanted
  /** The texts are those of the tree. */
  readonly inTree?: boolean
}

export interface NotLinted extends SourceFile {
  readonly failed: string
}

/** What type checkers found, in whichever file. */
export interface Typed {
  readonly found: readonly Problem[]
  /** Empty where the project has none. */
  readonly by: string
}

/**
 * The project's linters and formatter at work in a tree. One call serves many files: each tool runs once for all of
 * them. The tree is as before at the end. Calls wait for each other, since they write the same tree.
 */
export class LintSession {
  readonly #tree: Tree
  readonly #discovery: Discovery
  readonly #typed = new Map<string, Typed>()
  #last: Promise<unknown> = Promise.resolve()

  /** The tools are looked for in the project; the tree may be a copy of it. */
  constructor(where: Where, root: string) {
    this.#tree = { root, signal: where.signal, touched: new Set() }
    this.#discovery = new Discovery(where)
  }

  /** One result for each file; where its linter can't run, why. */
  lint(files: readonly SourceFile[], options: LintOptions = {}): Promise<(Linted | NotLinted)[]> {
    return this.#inTurn(() => this.#lint(files, options))
  }

  /** What the project's type checkers say while the tree has this file. Throws when they can't run. */
  types(file: SourceFile): Promise<Typed> {
    return this.#inTurn(() => this.#types(file))
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#last.then(work)
    this.#last = next.catch(() => {})
    return next
  }

  async #types({ path, text }: SourceFile): Promise<Typed> {
    const checkers = await this.#discovery.typeCheckers(path)
    const { root } = this.#tree
    const original = await readInside(root, path)
    // All files as they were are looked at once, by those that look at all of them.
    const about =
      original.toString() === text && checkers.every(({ whole }) => whole) ? '' : `${path} ${text}`
    const key = `${checkers.map(({ config }) => config).join()} ${about}`
    const known = this.#typed.get(key)
    if (known) return known
    try {
      await writeInside(root, path, text)
      const found: Problem[] = []
      for (const checker of checkers)
        for (const [at, problems] of await checker.check(this.#tree, [path]))
          found.push(...problems.map((one) => ({ ...one, message: `${one.message} (${at})` })))
      const typed = { found, by: checkers.map(namedWith).join(', ') }
      this.#typed.set(key, typed)
      return typed
    } finally {
      await writeInside(root, path, original)
    }
  }

  async #lint(files: readonly SourceFile[], options: LintOptions = {}): Promise<(Linted | NotLinted)[]> {
    const results: (Linted | NotLinted)[] = []
    const groups: (Group & { files: SourceFile[] })[] = []
    const fail = (file: SourceFile, thrown: unknown) => results.push({ ...file, failed: messageOf(thrown) })
    for (const file of files)
      try {
        const linters = await this.#discovery.linters(file.path)
        const formatter = await this.#discovery.formatter(file.path)
        const known = groups.find((one) => one.linters === linters && one.formatter === formatter)
        if (known) known.files.push(file)
        else groups.push({ linters, formatter, files: [file] })
      } catch (thrown) {
        fail(file, thrown)
      }
    for (const group of groups)
      try {
        results.push(...(await this.#restored(group, options)))
      } catch (thrown) {
        for (const file of group.files) fail(file, thrown)
      }
    return results
  }

  async #restored(group: Group, { wanted, inTree }: LintOptions): Promise<Linted[]> {
    const { root, touched } = this.#tree
    const originals = new Map<string, Buffer>()
    for (const { path, text } of group.files)
      originals.set(path, inTree ? Buffer.from(text) : await readInside(root, path))
    try {
      if (!inTree) await write(this.#tree, group.files)
      return await lintGroup(this.#tree, group, wanted)
    } finally {
      for (const path of touched) {
        const bytes = originals.get(path)
        if (bytes && !bytes.equals(await readInside(root, path))) await writeInside(root, path, bytes)
      }
      touched.clear()
    }
  }
}
