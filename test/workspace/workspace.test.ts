import { execFileSync } from 'node:child_process'
import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWorkspace, openWorkspace } from '../../src/workspace/workspace.ts'
import { projectWith, put, scratch, textAt } from './scratch.ts'

describe('a workspace is a copy', () => {
  it('leaves out records, packages and what git ignores, nested rules and exceptions included', async () => {
    const { workspace } = await projectWith({
      'a.py': 'a',
      'src/b.ts': 'b',
      'src/gen/.gitignore': '*\n!keep.ts\n',
      'src/gen/x.ts': 'x',
      'src/gen/keep.ts': 'k',
      'node_modules/p/index.js': 'p',
      'build/out.js': 'o',
      'Build.md': 'not build',
      '.git/config': 'secret',
      '.env': 'TOKEN=1',
      '.gitignore': 'build/\n.env\n',
    })
    expect(await workspace.files()).toEqual(['.gitignore', 'Build.md', 'a.py', 'src/b.ts', 'src/gen/keep.ts'])
    expect(await workspace.changes()).toEqual([])
  })

  it('never shares bytes with the project, not even through a hard link in the project', async () => {
    const project = join(await scratch(), 'project')
    await put(project, { 'a.txt': 'one', '.agentfs/x': '' })
    await link(join(project, 'a.txt'), join(project, 'b.txt'))
    const workspace = await createWorkspace({ project, folder: join(project, '.agentfs'), id: 'x' })
    // A tool that writes in place, as compilers and formatters do.
    execFileSync('sh', ['-c', 'printf two > a.txt'], { cwd: workspace.root })
    expect(await textAt(project, 'a.txt')).toBe('one')
    expect(await textAt(workspace.root, 'b.txt')).toBe('one')
  })

  it('keeps modes and inner links, and shows what it skipped', async () => {
    const project = join(await scratch(), 'project')
    await put(project, { 'run.sh': '#!/bin/sh', 'docs/a.md': 'a', '.agentfs/x': '' })
    await writeFile(join(project, 'big.bin'), Buffer.alloc(10 * 1024 * 1024 + 1))
    await symlink('docs/a.md', join(project, 'README.md'))
    await symlink('/etc/passwd', join(project, 'out'))
    await symlink('../../elsewhere', join(project, 'up'))
    const workspace = await createWorkspace({ project, folder: join(project, '.agentfs'), id: 'x' })
    expect((await stat(join(workspace.root, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect(Buffer.from(await workspace.read('README.md')).toString()).toBe('a')
    expect(workspace.skipped.map(({ path }) => path).sort()).toEqual(['big.bin', 'out', 'up'])
    expect(await workspace.changes()).toEqual([])
  })

  it('links packages so that what tools add there stays in the workspace', async () => {
    const { project, workspace } = await projectWith(
      { 'a.js': '1', 'node_modules/p/index.js': 'p', 'node_modules/.cache/c': 'c' },
      { link: ['node_modules', '.venv'] },
    )
    expect(await textAt(workspace.root, 'node_modules/p/index.js')).toBe('p')
    await put(workspace.root, { 'node_modules/.cache/new': 'n', 'node_modules/.vite/deps': 'd' })
    expect(await readdir(join(project, 'node_modules/.cache'))).toEqual(['c'])
    expect(await readdir(join(project, 'node_modules'))).toEqual(['.cache', 'p'])
    expect(await workspace.changes()).toEqual([])
    await expect(workspace.write('node_modules/p/index.js', 'bad')).rejects.toMatchObject({
      code: 'outside_workspace',
    })
    expect(await textAt(project, 'node_modules/p/index.js')).toBe('p')
  })

  it('is complete or absent, is not made twice, can be opened later and discarded', async () => {
    const { project, folder, workspace } = await projectWith({ 'a.txt': 'a' }, { id: 'lint:src/A.py:../x' })
    await workspace.write('b.txt', 'b')
    const place = { project, folder, id: 'lint:src/A.py:../x' }
    await expect(createWorkspace(place)).rejects.toMatchObject({ code: 'conflict' })
    const again = await openWorkspace(place)
    expect((await again.changes()).map(({ path, kind }) => [path, kind])).toEqual([['b.txt', 'added']])
    expect(await readdir(join(folder, 'workspaces'))).toHaveLength(1)
    await again.discard()
    await again.discard()
    await expect(openWorkspace(place)).rejects.toMatchObject({ code: 'missing' })
    // What a crash in the middle of a copy leaves does not stand in the way.
    await mkdir(join(folder, 'workspaces', 'new', 'files'), { recursive: true })
    await createWorkspace({ project, folder, id: 'new' })
    expect(await readdir(join(folder, 'workspaces'))).toEqual(['new'])
  })

  it('says that a damaged manifest is damaged', async () => {
    const { project, folder } = await projectWith({ 'a.txt': 'a' })
    await writeFile(join(folder, 'workspaces/agent/manifest.json'), '{"v":1')
    await expect(openWorkspace({ project, folder, id: 'agent' })).rejects.toMatchObject({ code: 'damaged' })
  })
})

describe('files of a workspace', () => {
  it('are read, written, listed and removed', async () => {
    const { project, workspace } = await projectWith({ 'src/a.txt': 'a' })
    await workspace.write('./src/new/b.txt', 'b')
    await workspace.write('src/a.txt', new Uint8Array([0, 255]))
    expect(await workspace.read('src/../src/a.txt')).toEqual(Buffer.from([0, 255]))
    expect(await workspace.list('src')).toEqual([
      { name: 'a.txt', kind: 'file' },
      { name: 'new', kind: 'folder' },
    ])
    await workspace.remove('src/a.txt')
    await expect(workspace.read('src/a.txt')).rejects.toMatchObject({ code: 'missing' })
    await expect(workspace.remove('src/a.txt')).rejects.toMatchObject({ code: 'missing' })
    await expect(workspace.list('nowhere')).rejects.toMatchObject({ code: 'missing' })
    await expect(workspace.remove('src')).rejects.toMatchObject({ code: 'bad_argument' })
    await expect(workspace.read('src')).rejects.toMatchObject({ code: 'bad_argument' })
    await expect(workspace.write('.', 'x')).rejects.toMatchObject({ code: 'bad_argument' })
    expect(await readdir(join(workspace.root, 'src'))).toEqual(['new'])
    expect(await textAt(project, 'src/a.txt')).toBe('a')
  })

  it('are at most 10 MB', async () => {
    const { workspace, end } = await projectWith({ 'a.txt': 'a' })
    const big = Buffer.alloc(10 * 1024 * 1024 + 1)
    await expect(workspace.write('big', big)).rejects.toMatchObject({ code: 'limit' })
    await writeFile(join(workspace.root, 'big'), big)
    await expect(workspace.read('big')).rejects.toMatchObject({ code: 'limit' })
    const [change] = await (await end()).changes()
    expect(change?.conflict).toContain('size')
  })

  it('does not wait for a pipe', async () => {
    const { workspace } = await projectWith({ 'a.txt': 'a' })
    execFileSync('mkfifo', [join(workspace.root, 'pipe')])
    await expect(workspace.read('pipe')).rejects.toMatchObject({ code: 'bad_argument' })
    await expect(workspace.write('pipe', 'x')).rejects.toMatchObject({ code: 'bad_argument' })
    expect(await readFile(join(workspace.root, 'a.txt'), 'utf8')).toBe('a')
  })
})
