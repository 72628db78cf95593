import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Store } from '../../src/core/store/store.ts'
import { Memory } from '../../src/memory.ts'
import { type AcceptOptions, acceptProposal } from '../../src/run/accept.ts'
import { readProposal } from '../../src/run/proposal.ts'
import { propose } from '../../src/run/propose.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { changeOf, merge } from '../../src/workspace/merged.ts'
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
): Promise<{ project: string; folder: string; workspace: Workspace; end: () => Promise<Ended> }> {
  const project = join(await scratch(), 'project')
  await mkdir(project)
  await put(project, files)
  const folder = join(project, '.agentfs')
  await mkdir(folder)
  const workspace = await createWorkspace({ project, folder, id: options.id ?? 'agent', ...options })
  return { project, folder, workspace, end: () => ended(workspace, { project, folder }) }
}

type Ended = Awaited<ReturnType<typeof ended>>

/** An agent's work is over: its log proposes what the workspace changed, and the workspace is gone. */
export async function ended(
  workspace: Workspace,
  place: { readonly project: string; readonly folder: string },
  store: Store = memoryStore(),
) {
  const agent_id = workspace.id
  const log = { ...place, store, agentId: agent_id }
  const memory = await Memory.open({ store, agentId: agent_id, goal: 'change files', secrets: {} })
  await propose(memory, store, { workspace, pending: new Map() })
  await memory.close()
  await workspace.discard()
  const pending = async () => (await readProposal(store, agent_id)).pending
  const merged = async () => merge(log, (await pending()).values())
  return {
    log,
    merged,
    changes: async () => (await merged()).map(changeOf),
    /** What is accepted follows from what was proposed, every time. */
    async accept(options?: AcceptOptions) {
      const report = await acceptProposal(log, options)
      expect((await verifyLog(store, agent_id)).findings).toEqual([])
      return report
    },
  }
}

export const textAt = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8')
