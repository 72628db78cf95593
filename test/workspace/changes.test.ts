import { execFileSync } from 'node:child_process'
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readFile,
  readlink,
  rename,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unifiedDiff } from '../../src/workspace/diff.ts'
import { projectWith, put, scratch, textAt } from './scratch.ts'

describe('changes', () => {
  it('are added, modified and removed files, each with its diff', async () => {
    const { workspace, end } = await projectWith({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    await workspace.write('a.txt', 'one\n2\n')
    await workspace.remove('b.txt')
    await workspace.write('d/new.txt', 'new')
    const changes = await (await end()).changes()
    expect(
      changes.map(({ path, kind, lines_added, lines_removed }) => [path, kind, lines_added, lines_removed]),
    ).toEqual([
      ['a.txt', 'modified', 1, 1],
      ['b.txt', 'removed', 0, 1],
      ['d/new.txt', 'added', 1, 0],
    ])
    expect(changes[0]?.text).toBe(
      'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
    )
    expect(changes[2]?.text).toContain('--- /dev/null\n+++ b/d/new.txt\n@@ -0,0 +1,1 @@\n+new\n\\ No newline')
  })

  it('are found by content, not by time or size', async () => {
    const { workspace } = await projectWith({ 'a.txt': 'one', 'b.txt': 'b' })
    const file = join(workspace.root, 'a.txt')
    await writeFile(file, 'two')
    await utimes(file, 0, 0)
    await utimes(join(workspace.root, 'b.txt'), 0, 0)
    expect((await workspace.changes()).map(({ path }) => path)).toEqual(['a.txt'])
  })

  it('show binary files, modes and links as such', async () => {
    const { workspace, end } = await projectWith({
      'a.bin': new Uint8Array([0, 1]),
      'b.txt': 'b\n',
      'l.txt': 'l',
    })
    await workspace.write('a.bin', new Uint8Array([0, 2]))
    await chmod(join(workspace.root, 'b.txt'), 0o755)
    await symlink('b.txt', join(workspace.root, 'link'))
    const [binary, mode, link] = await (await end()).changes()
    expect(binary).toMatchObject({ path: 'a.bin', binary: true })
    expect(binary?.text).toContain('GIT binary patch\nliteral 2\n')
    expect(mode?.text).toBe('diff --git a/b.txt b/b.txt\nold mode 100644\nnew mode 100755\n')
    expect(link?.text).toContain('new file mode 120000')
  })

  it('cannot be hidden by editing the .gitignore, nor invented by it', async () => {
    const { workspace } = await projectWith({ '.gitignore': 'out/\n', 'src/a.txt': 'a' })
    await workspace.write('.gitignore', 'src/\nnew.txt\n')
    await workspace.write('src/a.txt', 'b')
    await workspace.write('new.txt', 'n')
    await put(workspace.root, { 'out/build.js': 'o', '__pycache__/x.pyc': 'c' })
    expect((await workspace.changes()).map(({ path }) => path)).toEqual([
      '.gitignore',
      'new.txt',
      'src/a.txt',
    ])
  })

  it('are a patch that git applies byte for byte, whatever the contents, kinds and names', async () => {
    const line = fc.constantFrom(
      'a',
      'b',
      '',
      'x\r',
      '--- a',
      '+++ b',
      '@@ -1 +1 @@',
      '\\ No newline',
      'é\u2028',
    )
    const text = fc
      .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
      .map(([lines, ended]) => Buffer.from(lines.join('\n') + (ended ? '\n' : '')))
    const binary = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from([0, ...bytes]))
    const latin = fc.constantFrom(Buffer.from('caf\u00e9\n', 'latin1'), Buffer.from('\ufeffx\r\ny'))
    const file = fc.record({
      content: fc.oneof(text, text, binary, latin),
      mode: fc.constantFrom('100644' as const, '100755' as const),
    })
    const link = fc
      .constantFrom('a', 'd/b')
      .map((to) => ({ content: Buffer.from(to), mode: '120000' as const }))
    const side = fc.option(fc.oneof(file, file, file, link), { nil: undefined, freq: 5 })
    const name = fc.constantFrom('a.txt', 'd/é "q".txt', 'sp ace ', 'tab\t', 'new\nline', 'b\\ck')
    const folder = await scratch()
    execFileSync('git', ['init', '-q', folder])
    let run = 0
    await fc.assert(
      fc.asyncProperty(side, side, name, async (before, after, name) => {
        if (JSON.stringify(before) === JSON.stringify(after)) return
        const path = `${run++}/${name}`
        if (before) await putSide(folder, path, before)
        const diff = unifiedDiff(path, before, after).text
        execFileSync('git', ['apply', '-'], { cwd: folder, input: diff, stdio: 'pipe' })
        expect(await sideOnDisk(folder, path)).toEqual(after)
      }),
      { seed: 20261115, numRuns: 150 },
    )
  })

  it('of a moved, a removed, a new and a newly executable file are one patch that leaves what accept leaves', async () => {
    const files = { 'a/x.txt': 'one\ntwo', 'gone.txt': 'g\n', 'run.sh': '#!/bin/sh\n', 'tool.py': 'x = 1\n' }
    const { project, workspace, end } = await projectWith(files)
    const copy = await scratch()
    await put(copy, files)
    await mkdir(join(workspace.root, 'b c'))
    await rename(join(workspace.root, 'a/x.txt'), join(workspace.root, 'b c/y.txt'))
    await workspace.remove('gone.txt')
    await chmod(join(workspace.root, 'run.sh'), 0o644)
    await chmod(join(workspace.root, 'tool.py'), 0o755)
    await put(workspace.root, { 'empty.txt': '', 'new.sh': 'echo "é"\r\n' })
    const proposal = await end()
    const changes = await proposal.changes()
    expect(changes.find(({ path }) => path === 'b c/y.txt')).toMatchObject({ renamed_from: 'a/x.txt' })
    const patch = changes.map(({ text }) => text).join('')
    execFileSync('git', ['apply', '-'], { cwd: copy, input: patch })
    await proposal.accept()
    for (const path of [...Object.keys(files), 'b c/y.txt', 'empty.txt', 'new.sh'])
      expect(await sideOnDisk(copy, path), path).toEqual(await sideOnDisk(project, path))
    expect(await sideOnDisk(copy, 'tool.py')).toMatchObject({ mode: '100755' })
    expect(await sideOnDisk(copy, 'a/x.txt')).toBeUndefined()
  })

  it('of files with little in common are shown whole, within bounds', async () => {
    const lines = (mark: string) => Array.from({ length: 20_000 }, (_, index) => `${mark}${index}\n`).join('')
    const diff = unifiedDiff('a', sideOf({ content: lines('a') }), sideOf({ content: lines('b') }))
    expect(diff).toMatchObject({ lines_added: 20_000, lines_removed: 20_000, binary: false })
    const folder = await scratch()
    await put(folder, { a: lines('a') })
    await mkdir(join(folder, 'sub'))
    await cp(join(folder, 'a'), join(folder, 'sub/a'))
    execFileSync('git', ['apply', '-'], { cwd: folder, input: diff.text })
    expect(await textAt(folder, 'a')).toBe(lines('b'))
  })
})

const sideOf = ({ content, executable = false }: { content: string; executable?: boolean }) => ({
  content: Buffer.from(content),
  mode: executable ? ('100755' as const) : ('100644' as const),
})

type Put = Readonly<{ content: Buffer; mode: '100644' | '100755' | '120000' }>

async function putSide(folder: string, path: string, { content, mode }: Put): Promise<void> {
  if (mode !== '120000') await put(folder, { [path]: content })
  else {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await symlink(content.toString(), join(folder, path))
  }
  if (mode === '100755') await chmod(join(folder, path), 0o755)
}

async function sideOnDisk(folder: string, path: string): Promise<Put | undefined> {
  const stats = await lstat(join(folder, path)).catch(() => undefined)
  if (!stats) return undefined
  if (stats.isSymbolicLink())
    return { content: Buffer.from(await readlink(join(folder, path))), mode: '120000' }
  return {
    content: await readFile(join(folder, path)),
    mode: (stats.mode & 0o111) === 0 ? '100644' : '100755',
  }
}
