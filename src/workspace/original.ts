import { ownMessage } from '../errors.ts'
import { git } from '../files/git.ts'
import { sha256 } from '../sha256.ts'
import type { Side } from './diff.ts'
import type { Entry } from './manifest.ts'
import { sideAt } from './merged.ts'

/**
 * The content that an entry of the manifest stands for: in the project itself while it is unchanged there, or in its last
 * commit. Undefined where it is in neither: then the file can't be merged with what the project has.
 */
export async function originalOf(project: string, entry: Entry): Promise<Side | undefined> {
  const { path, mode } = entry
  const isOf = (content: Uint8Array) => sha256(content) === entry.sha256
  const now = await sideAt(project, path).catch(ownMessage)
  if (typeof now === 'object' && (now.mode === '120000') === (mode === '120000') && isOf(now.content))
    return { ...now, mode }
  const committed = await git(project, ['cat-file', 'blob', `HEAD:./${path}`])
  return committed?.code === 0 && isOf(committed.stdout) ? { content: committed.stdout, mode } : undefined
}
