import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspaceFor } from '../../src/workspace/workspace.ts'
import { ended, put, scratch, textAt } from './scratch.ts'

describe('a workspace that costs what it changes', () => {
  async function layered(files: Record<string, string>) {
    const project = await scratch()
    const folder = join(project, '.agentfs')
    await put(project, files)
    await mkdir(folder, { recursive: true })
    const place = { project, folder, id: 'agent' }
    return { project, folder, place, workspace: await workspaceFor(place) }
  }

  it('reads the project, and leaves nothing behind when nothing was changed', async () => {
    const { folder, workspace } = await layered({ 'src/a.py': 'x = 1\n' })
    expect((await workspace.read('src/a.py')).toString()).toBe('x = 1\n')
    expect(await workspace.changes()).toEqual([])
    expect(existsSync(join(folder, 'workspaces'))).toBe(false)
    await workspace.discard()
    expect(existsSync(join(folder, 'workspaces'))).toBe(false)
  })

  it('has changed files alone, of which the mode stays', async () => {
    const { project, folder, workspace } = await layered({ 'run.sh': 'one\n', 'b.txt': 'b' })
    await chmod(join(project, 'run.sh'), 0o755)
    await workspace.write('run.sh', 'two\n')
    await workspace.write('new/c.txt', 'c')
    expect((await workspace.read('run.sh')).toString()).toBe('two\n')
    expect((await readdir(join(folder, 'workspaces'), { recursive: true })).sort()).toEqual(
      ['', '/changed', '/changed/new', '/changed/new/c.txt', '/changed/run.sh', '/manifest.json'].map(
        (path) => `agent${path}`,
      ),
    )
    const proposal = await ended(workspace, { project, folder })
    const changes = await proposal.changes()
    expect(changes.map(({ path, kind }) => `${kind} ${path}`)).toEqual(['added new/c.txt', 'modified run.sh'])
    expect(changes[1]?.text).not.toContain('mode')
    await proposal.accept()
    expect(await textAt(project, 'run.sh')).toBe('two\n')
  })

  it('is measured against what the agent read, not against what the project became', async () => {
    const { project, folder, workspace } = await layered({ 'a.txt': 'one\n' })
    await workspace.read('a.txt')
    await writeFile(join(project, 'a.txt'), 'other\n')
    await workspace.write('a.txt', 'two\n')
    const proposal = await ended(workspace, { project, folder })
    expect(await proposal.changes()).toMatchObject([{ path: 'a.txt', conflict: expect.any(String) }])
  })

  it('shows nothing that the project ignores', async () => {
    const { workspace } = await layered({
      '.gitignore': 'secret/\n',
      'secret/key': 'k',
      'node_modules/a.js': '',
    })
    await expect(workspace.read('secret/key')).rejects.toThrow(/secret/)
    await expect(workspace.read('node_modules/a.js')).rejects.toThrow(/node_modules/)
  })

  it('goes on as it was, with everything that was changed, and becomes complete for a command', async () => {
    const { place, workspace } = await layered({ 'a.txt': 'one\n', 'b.txt': 'b' })
    await workspace.write('a.txt', 'two\n')
    workspace.release()
    const again = await workspaceFor(place)
    expect((await again.read('a.txt')).toString()).toBe('two\n')
    const root = await again.complete()
    expect((await readdir(root)).sort()).toEqual(['a.txt', 'b.txt'])
    expect(await textAt(root, 'a.txt')).toBe('two\n')
    expect((await again.changes()).map(({ path }) => path)).toEqual(['a.txt'])
    again.release()
  })
})
