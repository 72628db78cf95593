import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createWorkspace, type Workspace } from '../../src/workspace/workspace.ts'

/** Others' data, where it is. */
export const shared = process.env['TWOTRACK_SHARED'] ?? join(import.meta.dirname, '../../../shared')
export const hasShared = existsSync(join(shared, 'corpora/paths'))

export async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'twotrack-workspace-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export type Files = Readonly<Record<string, string | Uint8Array>>

export async function put(folder: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
    if (path.endsWith('.sh')) await chmod(join(folder, path), 0o755)
  }
}

/** A project with these files inside a folder of its own, and an agent's workspace of it. */
export async function projectWith(
  files: Files,
  options: { link?: string[]; id?: string } = {},
): Promise<{ project: string; folder: string; workspace: Workspace }> {
  const project = join(await scratch(), 'project')
  await mkdir(project)
  await put(project, files)
  const folder = join(project, '.agentfs')
  await mkdir(folder)
  const workspace = await createWorkspace({ project, folder, id: options.id ?? 'agent', ...options })
  return { project, folder, workspace }
}

export const textAt = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8')
