import { existsSync, readFileSync } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { z } from 'zod'
import { TwotrackError } from '../errors.ts'
import { lstatOrAbsent, segmentsOf } from '../files/confine.ts'
import { readRegular } from '../files/files.ts'
import { WORKSPACE_FILE_BYTES_MAX } from '../limits.ts'
import { sha256 } from '../sha256.ts'

/** A project that was just cloned can bring a manifest of its own: none of its paths leads out. */
const path = z.string().refine((given) => {
  try {
    return segmentsOf(given).join('/') === given
  } catch {
    return false
  }
})

/** One file as it was copied. A link's content is the path it leads to. */
export const entrySchema = z.strictObject({
  path,
  bytes: z.int().nonnegative(),
  sha256: z.string(),
  mode: z.enum(['100644', '100755', '120000']),
})
export type Entry = z.infer<typeof entrySchema>

const manifestSchema = z.strictObject({
  v: z.literal(1),
  id: z.string(),
  /** Whether it holds changed files alone: `files` then has these, as they were before. */
  layer: z.boolean(),
  /** Top folders of the project that stand in the workspace as links, not as copies. */
  linked: z.array(path),
  ignore_files: z.array(
    z.strictObject({ folder: z.string(), prefix: z.string().optional(), text: z.string() }),
  ),
  skipped: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  files: z.array(entrySchema),
})
/** What was copied, exactly; what later changes and conflicts are measured against. */
export type Manifest = z.infer<typeof manifestSchema>

export async function readManifest(file: string, id: string): Promise<Manifest> {
  const manifest = findManifest(file, id)
  if (manifest) return manifest
  throw new TwotrackError('missing', `There is no workspace "${id}": it was never made, or was discarded.`)
}

/** The same; undefined where there is none. */
export function findManifest(file: string, id: string): Manifest | undefined {
  if (!existsSync(file)) return undefined
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new TwotrackError(
      'damaged',
      `The manifest of workspace "${id}" cannot be read (${file}). Discard the workspace and run again.`,
      { cause },
    )
  }
}

/** What is at `file` now, as an entry; undefined when nothing is, or something that is no file and no link. */
export async function entryAt(file: string, path: string): Promise<Entry | undefined> {
  const stats = await lstatOrAbsent(file)
  if (!stats) return undefined
  if (stats.isSymbolicLink()) {
    const target = await readlink(file)
    return { path, bytes: Buffer.byteLength(target), sha256: sha256(target), mode: '120000' }
  }
  if (!stats.isFile()) return undefined
  return {
    path,
    bytes: stats.size,
    // A file that grew past the limit is still a changed file: its size tells it apart from every copied one.
    sha256:
      stats.size > WORKSPACE_FILE_BYTES_MAX
        ? `over-limit:${stats.size}`
        : sha256(await readRegular(file, path)),
    mode: (stats.mode & 0o111) === 0 ? '100644' : '100755',
  }
}
