import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { mkdir, readdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ownCopy } from '../../src/run/propose.ts'
import { Copies } from '../../src/workspace/copies.ts'
import { type Workspace, workspaceFor } from '../../src/workspace/workspace.ts'
import { ended, type Files, put, scratch, textAt } from './scratch.ts'

/** A project, and workspaces of it that share copies. */
async function sharing(files: Files, link: string[] = []) {
  const project = join(await scratch(), 'project')
  const folder = join(project, '.agentfs')
  await mkdir(folder, { recursive: true })
  await put(project, files)
  await sleep(30) // the system's clock for files is coarse: only files that are older than a tick are not copied again
  const told: string[] = []
  const copies = new Copies(folder, (line) => told.push(line))
  onTestFinished(() => copies.close())
  const begin = async (id: string) => {
    const workspace = await workspaceFor({ project, folder, id, link, copies })
    await workspace.complete()
    return workspace
  }
  return { project, folder, copies, begin, told }
}

const inPlace = (workspace: Workspace, script: string) =>
  execFileSync('sh', ['-c', script], { cwd: workspace.root })

/** Bytes of all files under a folder, as the disk has them. */
function bytesUnder(folder: string): number {
  let sum = 0
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) sum += lstatSync(join(entry.parentPath, entry.name)).size
  return sum
}

describe('copies that agents share', () => {
  it('say once what they do not have', async () => {
    const { project, begin, told } = await sharing({ 'a.txt': 'one' })
    await truncate(join(project, 'a.txt'), 11 * 1024 * 1024)
    for (let at = 0; at < 6; at++) await symlink('/etc', join(project, `out${at}`))
    await begin('first')
    await begin('second')
    expect(told).toHaveLength(6)
    expect(told[0]).toMatch(/a\.txt.*has 11534336 bytes/)
    expect(told.at(-1)).toBe('and 2 more')
  })

  it('give each agent the project, whatever the one before did to the copy', async () => {
    const files = {
      'a.txt': 'one',
      'b/c.txt': 'two',
      'run.sh': 'x',
      '.gitignore': 'out/\n',
      'd.txt': 'three',
    }
    const { project, folder, begin } = await sharing({ ...files, 'node_modules/p/i.js': 'p' }, [
      'node_modules',
    ])
    await symlink('a.txt', join(project, 'link'))
    const first = await begin('first')
    const { ino } = lstatSync(join(first.root, 'd.txt'))
    inPlace(
      first,
      `printf ONE > a.txt; touch -d @0 a.txt; rm -r b; mkdir b; echo n > b/new.txt; chmod -x run.sh
       mkdir -p out x/y; echo ignored > out/o; echo e > x/y/z; mkdir -p node_modules/.cache; echo c > node_modules/.cache/c
       ln -sf d.txt link; mkfifo pipe`,
    )
    const proposal = await ended(first, { project, folder })
    const second = await begin('second')
    expect(lstatSync(join(second.root, 'd.txt')).ino, 'the same copy').toBe(ino)
    expect(await second.changes()).toEqual([])
    expect(await second.files()).toEqual(['.gitignore', 'a.txt', 'b/c.txt', 'd.txt', 'link', 'run.sh'])
    for (const [path, text] of Object.entries(files)) expect(await textAt(second.root, path)).toBe(text)
    expect((await readdir(second.root)).sort()).toEqual(
      ['.gitignore', 'a.txt', 'b', 'd.txt', 'link', 'node_modules', 'run.sh'].sort(),
    )
    expect(await readdir(join(second.root, 'node_modules'))).toEqual(['p'])
    // Nothing of it reached the project, and what the first agent proposes is as it left it.
    for (const [path, text] of Object.entries(files)) expect(await textAt(project, path)).toBe(text)
    expect((await proposal.changes()).map(({ path, kind }) => [path, kind])).toEqual([
      ['a.txt', 'modified'],
      ['b/c.txt', 'removed'],
      ['b/new.txt', 'added'],
      ['link', 'modified'],
      ['run.sh', 'modified'],
      ['x/y/z', 'added'],
    ])
    await second.discard()
  })

  it('follow the project', async () => {
    const { project, begin } = await sharing({ 'a.txt': 'one', 'b.txt': 'b' })
    const first = await begin('first')
    await first.write('a.txt', 'agent')
    await first.discard()
    // The same size, and the time as it was: only the system knows.
    await writeFile(join(project, 'b.txt'), 'B')
    await utimes(join(project, 'b.txt'), 0, 0)
    await put(project, { 'c.txt': 'c' })
    const second = await begin('second')
    expect(await textAt(second.root, 'b.txt')).toBe('B')
    expect(await second.files()).toEqual(['a.txt', 'b.txt', 'c.txt'])
    expect(await second.changes()).toEqual([])
  })

  it('find a change that keeps size and time, right after the copy was made', async () => {
    const { begin } = await sharing({ 'a.txt': 'one' })
    const workspace = await begin('first')
    const { atime, mtime } = lstatSync(join(workspace.root, 'a.txt'))
    await writeFile(join(workspace.root, 'a.txt'), 'two')
    await utimes(join(workspace.root, 'a.txt'), atime, mtime)
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(['a.txt'])
  })

  it('let ten agents change a project of 60 MB on less than 100 MB of disk', async () => {
    const block = Buffer.alloc(6_000_000, 'x')
    const large = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`data/${at}.bin`, block]))
    const { project, folder, copies, begin } = await sharing({ ...large, 'a.txt': 'a\n', 'small.bin': 'xxx' })
    let most = 0
    const proposals = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const workspace = await begin(`agent-${at}`)
        // A tool that writes in place, as compilers and formatters do.
        inPlace(workspace, `printf ${at} >> a.txt; printf ${at} | dd of=small.bin conv=notrunc status=none`)
        await workspace.write(`${at}.txt`, String(at))
        most = Math.max(most, bytesUnder(folder))
        return ended(workspace, { project, folder })
      }),
    )
    await copies.close()
    expect(most).toBeLessThan(100_000_000)
    for (const [at, proposal] of proposals.entries()) {
      const changes = await proposal.changes()
      expect(changes.map(({ path }) => path)).toEqual([`${at}.txt`, 'a.txt', 'small.bin'].sort())
      expect(changes.find(({ path }) => path === 'a.txt')?.text).toContain(`\n+${at}\n`)
    }
    expect(await textAt(project, 'a.txt')).toBe('a\n')
  })

  it('are made anew where one is lost', async () => {
    const { folder, copies, begin } = await sharing({ 'a.txt': 'a' })
    const both = await Promise.all([begin('first'), begin('second')])
    await Promise.all(both.map((workspace) => workspace.discard()))
    for (const name of await readdir(join(folder, 'copies')))
      if (!name.endsWith('.held')) await rm(join(folder, 'copies', name), { recursive: true })
    const third = await begin('third')
    expect(await third.files()).toEqual(['a.txt'])
    await third.discard()
    await copies.close()
    expect(existsSync(join(folder, 'copies'))).toBe(false)
  })

  it('are removed when the run ends, and those of a killed one by the next', async () => {
    const { folder, copies, begin } = await sharing({ 'a.txt': 'a' })
    await mkdir(join(folder, 'copies', 'killed', '0'), { recursive: true })
    await writeFile(join(folder, 'copies', 'killed.held'), '')
    await (await begin('first')).discard()
    expect(existsSync(join(folder, 'copies', 'killed'))).toBe(false)
    expect(await readdir(join(folder, 'copies'))).toHaveLength(2)
    await copies.close()
    expect(existsSync(join(folder, 'copies'))).toBe(false)
    expect(await readdir(join(folder, 'workspaces'))).toEqual([])
  })
})

describe('an agent that has ended', () => {
  const files = { 'a.txt': 'one\n', 'dir/b.txt': 'b', 'dir/c.txt': 'c', 'gone.txt': 'g', file: 'f' }

  async function ending() {
    const made = await sharing(files)
    const workspace = await made.begin('agent')
    inPlace(
      workspace,
      'printf "two\\n" > a.txt; rm gone.txt; rm dir/b.txt; rm file; mkdir file; echo i > file/inner',
    )
    await symlink('dir/c.txt', join(workspace.root, 'link'))
    const before = await workspace.changes()
    return { ...made, before, proposal: await ended(workspace, made) }
  }

  it('leaves no workspace, and a log that proposes all that it changed', async () => {
    const { project, folder, before, proposal } = await ending()
    expect(await readdir(join(folder, 'workspaces'))).toEqual([])
    expect((await proposal.changes()).map(({ path, kind }) => [path, kind])).toEqual(
      before.map(({ path, kind }) => [path, kind]),
    )
    await put(project, { 'a.txt': 'person\n' })
    expect((await proposal.accept()).conflicts.map(({ path }) => path)).toEqual(['a.txt'])
    await put(project, { 'a.txt': 'one\n' })
    expect((await proposal.accept()).conflicts).toEqual([])
    expect(await proposal.changes()).toEqual([])
    expect((await readdir(project)).sort()).toEqual(['.agentfs', 'a.txt', 'dir', 'file', 'link'])
    expect(await textAt(project, 'a.txt')).toBe('two\n')
    expect(await readdir(join(project, 'dir'))).toEqual(['c.txt'])
  })

  it('goes on from what its log proposes, and a conflict stays one', async () => {
    const { project, folder, before, proposal } = await ending()
    await put(project, { 'a.txt': 'person\n', 'new.txt': 'n' })
    const copy = await ownCopy({ ...proposal.log, id: 'agent' }, proposal.log.store, false)
    await copy.workspace.complete()
    expect(await copy.workspace.files()).toEqual(['a.txt', 'dir/c.txt', 'file/inner', 'link', 'new.txt'])
    expect(await copy.workspace.changes()).toEqual(before)
    await copy.workspace.write('dir/c.txt', 'more')
    const again = await ended(copy.workspace, { project, folder }, proposal.log.store)
    const changes = await again.changes()
    expect(changes.map(({ path }) => path)).toContain('dir/c.txt')
    expect(changes.filter(({ conflict }) => conflict).map(({ path }) => path)).toEqual(['a.txt'])
  })

  it('proposes no link that leads out through a link of the project', async () => {
    const { project, folder, begin } = await sharing({ 'a.txt': 'a' })
    await symlink('..', join(project, 'up'))
    const workspace = await begin('agent')
    await symlink('up/elsewhere', join(workspace.root, 'sly'))
    const proposal = await ended(workspace, { project, folder })
    await mkdir(join(project, '..', 'elsewhere'))
    expect((await proposal.accept()).conflicts.map(({ path }) => path)).toEqual(['sly'])
  })

  it('lead from installed packages that are the project itself to its own copy', async () => {
    const { project, begin } = await sharing(
      {
        'packages/core/package.json': '{}',
        'packages/core/index.js': 'core',
        'packages/app/package.json': '{}',
        'packages/app/node_modules/own/index.js': 'own',
        'node_modules/other/index.js': 'other',
        'node_modules/@shop/third/index.js': 'third',
      },
      ['node_modules'],
    )
    await symlink('../../packages/core', join(project, 'node_modules/@shop/core'))
    await symlink('../../core', join(project, 'packages/app/node_modules/core'))
    for (const id of ['first', 'second']) {
      const workspace = await begin(id)
      await workspace.write('packages/core/index.js', 'changed')
      for (const path of ['node_modules/@shop/core', 'packages/app/node_modules/core'])
        expect(await textAt(workspace.root, `${path}/index.js`), path).toBe('changed')
      expect(await textAt(workspace.root, 'node_modules/@shop/third/index.js')).toBe('third')
      expect(await textAt(workspace.root, 'packages/app/node_modules/own/index.js')).toBe('own')
      expect((await workspace.changes()).map(({ path }) => path)).toEqual(['packages/core/index.js'])
      await workspace.discard()
    }
  })
})
