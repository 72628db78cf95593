import { existsSync } from 'node:fs'
import { TwotrackError } from '../errors.ts'
import { git, ownFilters } from '../files/git.ts'

/** Lines that changed, counted from 1, both ends included. */
type Lines = readonly (readonly [from: number, to: number])[]

/** What git says changed in a project. */
export interface Changed {
  readonly files: readonly string[]
  /** Undefined for a file that is new as a whole. */
  linesOf(file: string): Promise<Lines | undefined>
}

/** The files of a project that differ from `base` (the last commit unless given) in the working tree, new ones too. */
export async function changedSince(project: string, base: string | undefined): Promise<Changed> {
  const filters = await ownFilters(project)
  const ask = async (...args: string[]): Promise<string | undefined> => {
    const answer = await git(project, args, { without: filters })
    return answer?.code === 0 ? answer.stdout.toString() : undefined
  }
  const names = (text: string | undefined) => (text ?? '').split('\0').filter((name) => name !== '')
  if ((await ask('rev-parse', '--is-inside-work-tree')) === undefined)
    throw new TwotrackError('bad_argument', `--changed asks git, and ${project} is no repository of git.`)
  const from = await startOf(base, ask)
  const own = '--no-ext-diff --no-textconv --no-renames --no-color --ignore-submodules'
  const diff = ['diff', '--relative', ...own.split(' ')]
  const isNew = new Set(names(await ask('ls-files', '-z', '--others', '--exclude-standard')))
  const old = from === undefined ? names(await ask('ls-files', '-z')) : []
  const changed = from && names(await ask(...diff, '--name-only', '-z', '--diff-filter=d', from, '--', '.'))
  return {
    files: [...isNew, ...old, ...(changed ?? [])],
    async linesOf(file) {
      if (isNew.has(file) || from === undefined) return undefined
      return hunksIn((await ask(...diff, '-U0', from, '--', `:(literal)${file}`)) ?? '')
    },
  }
}

/** Asks git for the commit that a revision names. */
const commitOf = (revision: string): string[] => [
  ...['rev-parse', '--verify', '--quiet', '--end-of-options'],
  `${revision}^{commit}`,
]

/** Where a branch left the base; undefined in a repository without a commit. */
async function startOf(
  base: string | undefined,
  ask: (...args: string[]) => Promise<string | undefined>,
): Promise<string | undefined> {
  const commit = await ask(...commitOf(base ?? 'HEAD'))
  if (commit === undefined && base !== undefined)
    throw new TwotrackError(
      'bad_argument',
      `git knows no revision "${base}". Write --changed, or --changed=BASE.`,
    )
  if (commit === undefined || base === undefined) return commit?.trim()
  return ((await ask('merge-base', commit.trim(), 'HEAD')) ?? commit).trim()
}

function hunksIn(diff: string): Lines {
  return [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, start, lines = '1']) => {
    const [from, count] = [Number(start), Number(lines)]
    // Where lines went, those around count as changed.
    return count === 0 ? [from, from + 1] : [from, from + count - 1]
  })
}

/** `--changed src/` has taken a path for the base. What is a path and no revision was meant as a path. */
export async function baseOrPath(
  given: string | true,
  project: string,
): Promise<{ base?: string; path?: string }> {
  if (given === true) return {}
  const answer = await git(project, commitOf(given))
  return answer?.code !== 0 && existsSync(given) ? { path: given } : { base: given }
}
