import { copyFile, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Files that tools read and whose own place counts for them: copied, not linked. */
const CONFIGURATION =
  /^(?:\.oxlintrc\.jsonc?|oxlint\.config\.[cm]?[jt]s|tsconfig[^/]*\.json|package\.json|\.\w+ignore)$/

/**
 * Calls `use` with a folder that looks like the workspace and is not: one file in it is a copy with the given text,
 * everything else on the way to it is linked. So a program can edit that file while it finds all its configuration.
 */
export async function withMirror<Value>(
  { workspace, path, text }: { readonly workspace: string; readonly path: string; readonly text: string },
  use: (folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'twotrack-mirror-'))
  try {
    const parts = path.split('/')
    for (const [depth, part] of parts.entries()) {
      const [from, to] = [workspace, folder].map((top) => join(top, ...parts.slice(0, depth)))
      if (from === undefined || to === undefined) continue
      await mkdir(to, { recursive: true })
      for (const entry of await readdir(from, { withFileTypes: true })) {
        if (entry.name === part) continue
        const [here, there] = [join(from, entry.name), join(to, entry.name)]
        if (entry.isFile() && CONFIGURATION.test(entry.name)) await copyFile(here, there)
        else await symlink(here, there)
      }
    }
    await writeFile(join(folder, path), text)
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
