import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hideNothing } from '../../src/core/memory/hide.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { baseSchema, keepBase, layOut } from '../../src/workspace/base.ts'
import { contentsOf } from '../cli/run.ts'

/** A project below the top folder of a repository, a clone that a worker has, and a folder for what is laid out. */
function repository() {
  const folder = mkdtempSync(join(tmpdir(), 'tw-base-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const project = join(folder, 'repository/shop')
  mkdirSync(join(project, 'src'), { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: project,
      stdio: 'pipe',
    })
  git('init', '-q', '..')
  return {
    project,
    clone: join(folder, 'clone'),
    place: join(folder, 'place'),
    commit() {
      git('add', '-A')
      git('commit', '-qm', 'x')
      git('clone', '-q', '--bare', join(folder, 'repository'), join(folder, 'clone'))
    },
  }
}

const keep = (project: string, store: ReturnType<typeof memoryStore>, fromGit = true) =>
  keepBase({ project, folder: join(project, '.agentfs'), store, border: hideNothing, fromGit })

test('lays out what a clone has and what is stored, byte for byte, whatever the repository says of its archives', async () => {
  const { project, clone, place, commit } = repository()
  writeFileSync(
    join(project, '.gitattributes'),
    'left.py export-ignore\nsaid.py export-subst\nends.py eol=crlf text\n',
  )
  for (const [name, text] of Object.entries({
    'left.py': 'left = 1\n',
    'said.py': 'commit = "$Format:%H$"\n',
    'ends.py': 'ends = 1\n',
    'src/a file.py': 'a = 1\n',
    'changed.py': 'old = 1\n',
    'gone.py': 'gone = 1\n',
  }))
    writeFileSync(join(project, name), text)
  symlinkSync('left.py', join(project, 'link.py'))
  commit()
  writeFileSync(join(project, 'changed.py'), 'new = 1\n')
  writeFileSync(join(project, 'new.py'), 'new = 2\n')
  rmSync(join(project, 'gone.py'))
  const store = memoryStore()
  const { base, leftOut } = await keep(project, store)
  expect(leftOut).toEqual(new Map())
  await layOut(base, store, place, clone)
  rmSync(join(place, '.git'), { recursive: true })
  rmSync(join(project, '.agentfs'), { recursive: true, force: true })
  expect(contentsOf(place)).toEqual(contentsOf(project))
})

test('takes more from a clone than git gives with one answer', async () => {
  const { project, clone, place, commit } = repository()
  for (let n = 0; n < 7; n++) writeFileSync(join(project, `${n}.bin`), Buffer.alloc(10_000_000, n))
  commit()
  const store = memoryStore()
  const { base } = await keep(project, store)
  await layOut(base, store, place, clone)
  for (let n = 0; n < 7; n++)
    expect(readFileSync(join(place, `${n}.bin`)).equals(readFileSync(join(project, `${n}.bin`)))).toBe(true)
})

test('a project that was tampered with writes nothing through its links', () => {
  const entry = { bytes: 1, sha256: 'x' }
  const link = { ...entry, path: 'src/link', mode: '120000' }
  const isBase = (path: string) =>
    baseSchema.safeParse({ files: [{ ...entry, path, mode: '100644' }, link] }).success
  expect(['src/link/a.py', 'src/link/deep/a.py', 'src/a.py', 'src/link.py'].map(isBase)).toEqual([
    ...[false, false, true, true],
  ])
})
