import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findFiles, findNodes } from '../../src/nodes/find.ts'
import type { ParsedFile } from '../../src/nodes/parse.ts'
import { SOURCE_BYTES_MAX } from '../../src/nodes/parse.ts'

let folder: string
let root: string

const write = (files: Record<string, string>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
const found = async (...paths: string[]) => (await findFiles(root, paths)).files.map((file) => file.path)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'twotrack-find-'))
  root = join(folder, 'project')
  mkdirSync(root)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('finds source files of every ending, sorted, each once', async () => {
  write({ 'b/z.py': '', 'b/a.tsx': '', 'c.mjs': '', 'd.d.cts': '', 'e.txt': '', '.py': '' })
  expect(await found('.', 'b', 'b/z.py')).toEqual(['b/a.tsx', 'b/z.py', 'c.mjs', 'd.d.cts'])
})

it('respects .gitignore, nested and negated, and a repository around the root', async () => {
  mkdirSync(join(folder, '.git'))
  writeFileSync(join(folder, '.gitignore'), 'outer.ts\n')
  write({
    '.gitignore': '*.gen.ts\n/dist/\n',
    'a.ts': '',
    'a.gen.ts': '',
    'outer.ts': '',
    'dist/b.ts': '',
    'src/dist/b.ts': '',
    'src/.gitignore': '!keep.gen.ts\n',
    'src/keep.gen.ts': '',
    'src/drop.gen.ts': '',
  })
  expect(await found('.')).toEqual(['a.ts', 'src/dist/b.ts', 'src/keep.gen.ts'])
})

it('takes a path that is named itself, even when it is ignored', async () => {
  mkdirSync(join(root, '.git'))
  write({ '.gitignore': 'dist/\n', 'dist/b.ts': '', 'dist/sub/c.ts': '' })
  expect(await found('dist')).toEqual(['dist/b.ts', 'dist/sub/c.ts'])
  expect(await found('dist/b.ts')).toEqual(['dist/b.ts'])
})

it('skips the folders that hold no source of the project', async () => {
  write({
    'a.ts': '',
    'node_modules/x/a.ts': '',
    'sub/node_modules/x.js': '',
    '.agentfs/a.py': '',
    '.venv/lib/a.py': '',
  })
  expect(await found('.')).toEqual(['a.ts'])
})

it('follows no symbolic link, and refuses a path that leads out', async () => {
  mkdirSync(join(folder, 'outside'))
  writeFileSync(join(folder, 'outside/secret.ts'), '')
  write({ 'in/a.ts': '' })
  symlinkSync(join(folder, 'outside'), join(root, 'link'))
  symlinkSync(join(root, 'in'), join(root, 'in/loop'))
  symlinkSync(join(folder, 'outside/secret.ts'), join(root, 'secret.ts'))
  expect(await found('.')).toEqual(['in/a.ts'])
  await expect(found('link')).rejects.toMatchObject({ code: 'outside_workspace' })
  await expect(found('secret.ts')).rejects.toMatchObject({ code: 'outside_workspace' })
  await expect(found('..')).rejects.toMatchObject({ code: 'outside_workspace' })
  await expect(found('gone')).rejects.toMatchObject({ code: 'missing' })
})

it('refuses more files than the limit instead of leaving some out', async () => {
  write({ 'a.ts': '', 'b.ts': '', 'c.ts': '' })
  await expect(findFiles(root, ['.'], { files_max: 2 })).rejects.toMatchObject({ code: 'limit' })
})

it('yields the nodes of each file, and refused files with the reason', async () => {
  write({
    'a.py': 'def f(): pass\n',
    'big.ts': 'x'.repeat(SOURCE_BYTES_MAX + 1),
    'src/b.ts': 'class C { m() {} }\n',
  })
  const files: ParsedFile[] = []
  for await (const file of findNodes(root, ['.'])) files.push(file)
  expect(
    files.map(({ nodes, errors }) => [
      ...nodes.map((node) => node.key),
      ...errors.map((error) => error.code),
    ]),
  ).toEqual([['a.py', 'a.py:f'], ['too_large'], ['src/b.ts', 'src/b.ts:C', 'src/b.ts:C.m']])
})
