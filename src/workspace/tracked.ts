import { createHash } from 'node:crypto'
import { TwotrackError } from '../errors.ts'
import { GIT_BYTES_MAX, git } from '../files/git.ts'
import { sha256 } from '../sha256.ts'
import type { Side } from './diff.ts'
import type { Entry } from './manifest.ts'

/** What a commit has of a folder. */
export interface Tracked {
  /** What git calls it: `<commit>:<folder>`. */
  readonly tree: string
  readonly files: ReadonlyMap<string, { readonly mode: string; readonly id: string; readonly bytes: number }>
}

/** What the last commit has of a folder. Throws `bad_argument` where git knows no commit. */
export async function trackedIn(project: string): Promise<Tracked> {
  const ask = async (...args: string[]) =>
    (await git(project, ['rev-parse', ...args]))?.stdout.toString().trim()
  const tracked = await treeIn(project, `${await ask('--verify', 'HEAD')}:${await ask('--show-prefix')}`)
  if (tracked) return tracked
  throw new TwotrackError('bad_argument', `git knows no commit of ${project}: leave out --from-git.`)
}

/** The same of a clone, which asks where it came from if it has no such commit; undefined where that has none either. */
export async function trackedInClone(clone: string, tree: string): Promise<Tracked | undefined> {
  const found = await treeIn(clone, tree, '-l')
  if (found) return found
  await git(clone, ['fetch', '--quiet', '--all'])
  return treeIn(clone, tree, '-l')
}

async function treeIn(repository: string, tree: string, ...more: string[]): Promise<Tracked | undefined> {
  const answer = await git(repository, ['ls-tree', '-r', '-z', '--full-tree', ...more, tree])
  if (answer?.code !== 0) return undefined
  const lines = answer.stdout.toString().split('\0').slice(0, -1)
  const files = lines.map((line) => {
    const [facts = '', path = ''] = line.split('\t')
    const [mode = '', , id = '', bytes] = facts.split(/ +/)
    return [path, { mode, id, bytes: Number(bytes) }] as const
  })
  return { tree, files: new Map(files) }
}

/** Whether the commit has a file just as it is. */
export function isTracked({ files }: Tracked, path: string, { content, mode }: Side): boolean {
  const known = files.get(path)
  if (known?.mode !== mode) return false
  const hash = createHash(known.id.length === 64 ? 'sha256' : 'sha1')
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex') === known.id
}

/** What git says of a file before its content, in bytes; more than it is. */
const HEADER_BYTES = 128

/** Files in their order, in portions that git can answer at once. */
export function portions(files: readonly Entry[]): Entry[][] {
  const all: Entry[][] = [[]]
  let bytes = 0
  for (const file of files) {
    bytes += file.bytes + HEADER_BYTES
    if (bytes > GIT_BYTES_MAX) {
      all.push([])
      bytes = file.bytes + HEADER_BYTES
    }
    all.at(-1)?.push(file)
  }
  return all
}

/** The contents by path, of those of a portion that the commit has. Not by `git archive`: a repository can say that it leaves files out. */
export async function contentsIn(
  clone: string,
  { files }: Tracked,
  portion: readonly Entry[],
): Promise<ReadonlyMap<string, Buffer>> {
  const contents = new Map<string, Buffer>()
  const wanted = portion.filter(({ path, bytes }) => files.get(path)?.bytes === bytes)
  const input = wanted.map(({ path }) => `${files.get(path)?.id}\n`).join('')
  const answer = await git(clone, ['cat-file', '--batch'], { input })
  if (answer?.code !== 0) return contents
  let rest = answer.stdout
  for (const { path, sha256: digest, bytes } of wanted) {
    const from = rest.indexOf('\n') + 1
    const content = rest.subarray(from, from + bytes)
    rest = rest.subarray(from + bytes + 1)
    if (sha256(content) === digest) contents.set(path, content)
  }
  return contents
}
