import { type Discovery, discovery } from './discover.ts'
import { type Group, type Linted, lintGroup, namedWith, type SourceFile } from './group.ts'
import type { Problem, Wanted } from './linter.ts'
import type { Where } from './programs.ts'
import { Tree } from './tree.ts'

interface LintOptions {
  readonly wanted?: Wanted
  /** The texts are those of the tree. */
  readonly inTree?: boolean
}

export interface NotLinted extends SourceFile {
  readonly failed: unknown
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
    this.#tree = new Tree(root, where.signal)
    this.#discovery = discovery(where)
  }

  /** Linters that are configured for files of this session and could not be asked. */
  get absent(): readonly string[] {
    return [...this.#discovery.absent]
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

  async #types(file: SourceFile): Promise<Typed> {
    const { path, text } = file
    const checkers = await this.#discovery.typeCheckers(path)
    // All files as they were are looked at once, by those that look at all of them.
    const isOriginal = (await this.#tree.read(path)) === text
    const about = isOriginal && checkers.every(({ isWhole }) => isWhole) ? '' : `${path} ${text}`
    const key = `${checkers.map(({ config }) => config).join()} ${about}`
    const known = this.#typed.get(key)
    if (known) return known
    try {
      await this.#tree.begin([file], false)
      const found: Problem[] = []
      for (const checker of checkers)
        for (const [at, problems] of await checker.check(this.#tree, [path]))
          found.push(...problems.map((one) => ({ ...one, message: `${one.message} (${at})` })))
      const typed = { found, by: checkers.map(namedWith).join(', ') }
      this.#typed.set(key, typed)
      return typed
    } finally {
      await this.#tree.restore()
    }
  }

  async #lint(files: readonly SourceFile[], options: LintOptions = {}): Promise<(Linted | NotLinted)[]> {
    const results: (Linted | NotLinted)[] = []
    const groups: (Group & { files: SourceFile[] })[] = []
    const fail = (file: SourceFile, failed: unknown) => results.push({ ...file, failed })
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

  async #restored(group: Group, { wanted, inTree = false }: LintOptions): Promise<Linted[]> {
    try {
      await this.#tree.begin(group.files, inTree)
      return await lintGroup(this.#tree, group, wanted)
    } finally {
      await this.#tree.restore()
    }
  }
}
