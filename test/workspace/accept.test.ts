import { chmod, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWorkspace } from '../../src/workspace/workspace.ts'
import { ended, projectWith, put, scratch, textAt } from './scratch.ts'

describe('accept', () => {
  it('brings every change into the project, keeps modes, and leaves nothing behind', async () => {
    const { project, workspace, end } = await projectWith({
      'run.sh': 'old',
      'gone/x.txt': 'x',
      'a.txt': 'a',
    })
    await chmod(join(project, 'a.txt'), 0o640)
    await workspace.write('run.sh', 'new')
    await workspace.write('a.txt', 'b')
    await workspace.write('deep/er/n.txt', 'n')
    await workspace.remove('gone/x.txt')
    const proposal = await end()
    expect(await proposal.accept()).toEqual({
      accepted: ['a.txt', 'deep/er/n.txt', 'run.sh', 'gone/x.txt'],
      conflicts: [],
    })
    expect(await textAt(project, 'run.sh')).toBe('new')
    expect((await stat(join(project, 'run.sh'))).mode & 0o777).toBe(0o755)
    expect((await stat(join(project, 'a.txt'))).mode & 0o777).toBe(0o640)
    expect((await readdir(project)).sort()).toEqual(['.agentfs', 'a.txt', 'deep', 'run.sh'])
    expect(await proposal.changes()).toEqual([])
    expect(await proposal.accept()).toEqual({ accepted: [], conflicts: [] })
  })

  it('changes nothing when one file conflicts, and says why for each', async () => {
    const { project, workspace, end } = await projectWith({
      'a.txt': 'a',
      'b.txt': 'b',
      'c.txt': 'c',
      'd.txt': 'd',
    })
    for (const name of ['a', 'b', 'c']) await workspace.write(`${name}.txt`, 'agent')
    await workspace.write('new.txt', 'agent')
    await workspace.remove('d.txt')
    const proposal = await end()
    await put(project, { 'a.txt': 'person', 'new.txt': 'person', 'd.txt': 'person' })
    await rm(join(project, 'b.txt'))
    const report = await proposal.accept()
    expect(report.accepted).toEqual([])
    expect(report.conflicts.map(({ path }) => path)).toEqual(['a.txt', 'b.txt', 'd.txt', 'new.txt'])
    expect(await textAt(project, 'c.txt')).toBe('c')
    const marked = (await proposal.changes()).filter(({ conflict }) => conflict).map(({ path }) => path)
    expect(marked).toEqual(['a.txt', 'b.txt', 'd.txt', 'new.txt'])

    const partly = await proposal.accept({ partial: true })
    expect(partly.accepted).toEqual(['c.txt'])
    expect(await textAt(project, 'c.txt')).toBe('agent')
    for (const name of ['a', 'd', 'new']) expect(await textAt(project, `${name}.txt`)).toBe('person')
  })

  it('takes only the paths it is given, and the others later', async () => {
    const { project, workspace, end } = await projectWith({ 'a.txt': 'a', 'b.txt': 'b' })
    await workspace.write('a.txt', 'A')
    await workspace.write('b.txt', 'B')
    const proposal = await end()
    expect((await proposal.accept({ paths: ['./a.txt'] })).accepted).toEqual(['a.txt'])
    expect(await textAt(project, 'b.txt')).toBe('b')
    expect((await proposal.accept()).accepted).toEqual(['b.txt'])
    await expect(proposal.accept({ paths: ['nope.txt'] })).rejects.toMatchObject({ code: 'missing' })
  })

  it('is no conflict where the project already has the new content: an acceptance that was cut off completes', async () => {
    const { project, workspace, end } = await projectWith({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' })
    await workspace.write('a.txt', 'A')
    await workspace.write('b.txt', 'B')
    await workspace.remove('c.txt')
    const proposal = await end()
    // As after a crash between two renames, the event not yet recorded.
    await put(project, { 'a.txt': 'A' })
    await rm(join(project, 'c.txt'))
    expect(await proposal.accept()).toEqual({ accepted: ['a.txt', 'b.txt', 'c.txt'], conflicts: [] })
    expect(await proposal.changes()).toEqual([])
  })

  it('turns files into folders and folders into files', async () => {
    const { project, workspace, end } = await projectWith({ file: 'f', 'folder/x': 'x', 'folder/y': 'y' })
    await workspace.remove('file')
    await workspace.write('file/inner', 'i')
    await rm(join(workspace.root, 'folder'), { recursive: true })
    await workspace.write('folder', 'now a file')
    expect((await (await end()).accept()).conflicts).toEqual([])
    expect(await textAt(project, 'file/inner')).toBe('i')
    expect(await textAt(project, 'folder')).toBe('now a file')
  })

  it('does not write through a folder that is a link out of the project', async () => {
    const outer = await scratch()
    const project = join(outer, 'project')
    await put(project, { 'a.txt': 'a', '.agentfs/x': '' })
    await mkdir(join(outer, 'elsewhere'))
    await symlink('../elsewhere', join(project, 'out'))
    const place = { project, folder: join(project, '.agentfs') }
    const workspace = await createWorkspace({ ...place, id: 'x' })
    await workspace.write('out/evil.txt', 'evil')
    const report = await (await ended(workspace, place)).accept()
    expect(report.conflicts.map(({ path }) => path)).toEqual(['out/evil.txt'])
    expect(await readdir(join(outer, 'elsewhere'))).toEqual([])
  })

  it('takes links that stay inside and refuses those that lead out', async () => {
    const { project, workspace, end } = await projectWith({ 'docs/a.md': 'a' })
    await symlink('docs/a.md', join(workspace.root, 'README.md'))
    await symlink('/etc/passwd', join(workspace.root, 'passwd'))
    await symlink('../../..', join(workspace.root, 'docs/up'))
    // Up through another new link: the text of either alone stays inside.
    await symlink('.', join(workspace.root, 'here'))
    await symlink('here/../elsewhere', join(workspace.root, 'sly'))
    const report = await (await end()).accept({ partial: true })
    expect(report.accepted).toEqual(['README.md', 'here'])
    expect(report.conflicts.map(({ path }) => path)).toEqual(['docs/up', 'passwd', 'sly'])
    expect(await readlink(join(project, 'README.md'))).toBe('docs/a.md')
  })

  it('never overwrites what a person changed, and loses nothing else: any mix of edits', async () => {
    const name = fc.constantFrom('a', 'b', 'd/c', 'd/e')
    const edit = fc.record({ name, content: fc.option(fc.constantFrom('1', '2', '3'), { nil: undefined }) })
    const edits = fc.array(edit, { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(edits, edits, fc.boolean(), async (byAgent, byPerson, partial) => {
        const { project, workspace, end } = await projectWith({ a: '0', 'd/c': '0' })
        await apply(workspace.root, byAgent)
        const wanted = await contents(workspace.root)
        const proposal = await end()
        await apply(project, byPerson)
        const before = await contents(project)
        const { accepted, conflicts } = await proposal.accept({ partial })
        const after = await contents(project)
        for (const path of ['a', 'b', 'd/c', 'd/e']) {
          const copied = path === 'a' || path === 'd/c' ? '0' : undefined
          if (accepted.includes(path)) expect(after.get(path)).toBe(wanted.get(path))
          else expect(after.get(path)).toBe(before.get(path))
          const bothChanged = before.get(path) !== copied && wanted.get(path) !== copied
          if (bothChanged && before.get(path) !== wanted.get(path))
            expect(conflicts.map((one) => one.path)).toContain(path)
        }
        if (conflicts.length > 0 && !partial) expect(accepted).toEqual([])
      }),
      { seed: 20261115, numRuns: 40 },
    )
  })
})

async function apply(folder: string, edits: readonly { name: string; content: string | undefined }[]) {
  for (const { name, content } of edits) {
    if (content === undefined) await rm(join(folder, name), { force: true })
    else await writeFile(join(folder, name), content)
  }
}

async function contents(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const path of ['a', 'b', 'd/c', 'd/e']) {
    const text = await readFile(join(folder, path), 'utf8').catch(() => undefined)
    if (text !== undefined) found.set(path, text)
  }
  return found
}
