import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { splitOf, withEdit } from '../../src/workspace/split.ts'
import { createWorkspace } from '../../src/workspace/workspace.ts'
import { ended, projectWith, put, scratch, textAt } from './scratch.ts'

const lines = (from: number, to: number, other: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${other[from + at] ?? `line ${from + at}`}\n`).join('')

describe('two changes of one file', () => {
  it('are merged where they are in different places, also after the agent has ended', async () => {
    const {
      project,
      folder,
      workspace: one,
      end,
    } = await projectWith({ 'a.txt': lines(1, 20) }, { id: 'one' })
    const two = await createWorkspace({ project, folder, id: 'two' })
    await one.write('a.txt', lines(1, 20, { 3: 'first agent' }))
    await two.write('a.txt', lines(1, 20, { 15: 'second agent' }))
    const [first, later] = [await end(), await ended(two, { project, folder })]
    expect((await first.accept()).accepted).toEqual(['a.txt'])
    const [change] = await later.changes()
    expect(change).toMatchObject({ merged: true, lines_added: 1, lines_removed: 1 })
    expect(change).not.toHaveProperty('conflict')
    expect(await later.accept()).toEqual({ accepted: ['a.txt'], conflicts: [] })
    expect(await textAt(project, 'a.txt')).toBe(lines(1, 20, { 3: 'first agent', 15: 'second agent' }))
    expect(await later.changes()).toEqual([])
  })

  it('are a conflict where they are in the same place: shown with both, and nothing is written', async () => {
    const { project, workspace, end } = await projectWith({ 'a.txt': lines(1, 9) })
    await workspace.write('a.txt', lines(1, 9, { 5: 'agent' }))
    const proposal = await end()
    await put(project, { 'a.txt': lines(1, 9, { 5: 'person' }) })
    const [change] = await proposal.changes()
    expect(change?.conflict).toContain('it changed in the project')
    expect(change?.text).toContain('+<<<<<<< the project\n person\n+=======\n+agent\n+>>>>>>> agent\n')
    expect((await proposal.accept()).conflicts.map(({ path }) => path)).toEqual(['a.txt'])
    expect(await textAt(project, 'a.txt')).toBe(lines(1, 9, { 5: 'person' }))
  })

  it('are merged with the last commit as the base when a person edited while the agent worked', async () => {
    const { project, workspace, end } = await projectWith({ 'a.txt': lines(1, 20) })
    for (const args of [
      ['init', '-q'],
      ['add', 'a.txt'],
      ['commit', '-q', '-m', 'x'],
    ])
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], { cwd: project })
    await workspace.write('a.txt', lines(1, 20, { 3: 'agent' }))
    await put(project, { 'a.txt': lines(1, 20, { 18: 'person' }) })
    const proposal = await end()
    expect((await proposal.accept()).accepted).toEqual(['a.txt'])
    expect(await textAt(project, 'a.txt')).toBe(lines(1, 20, { 3: 'agent', 18: 'person' }))
  })

  it('of contents that are no text, or a removal of what changed, stay a conflict', async () => {
    const { project, workspace, end } = await projectWith({ 'a.bin': new Uint8Array([0, 1]), 'b.txt': 'b\n' })
    await workspace.write('a.bin', new Uint8Array([0, 2]))
    await workspace.remove('b.txt')
    const proposal = await end()
    await put(project, { 'a.bin': new Uint8Array([0, 3]), 'b.txt': 'person\n' })
    expect((await proposal.accept({ partial: true })).accepted).toEqual([])
    expect((await proposal.changes()).map(({ conflict }) => conflict !== undefined)).toEqual([true, true])
  })

  it('keep the executable bit that either of them set', async () => {
    const { project, workspace, end } = await projectWith({ 'a.txt': lines(1, 20), 'b.txt': lines(1, 20) })
    await workspace.write('a.txt', lines(1, 20, { 3: 'agent' }))
    await chmod(join(workspace.root, 'b.txt'), 0o755)
    const proposal = await end()
    await chmod(join(project, 'a.txt'), 0o755)
    await put(project, { 'b.txt': lines(1, 20, { 3: 'person' }) })
    expect((await proposal.accept()).accepted).toEqual(['a.txt', 'b.txt'])
    execFileSync('test', ['-x', join(project, 'a.txt'), '-a', '-x', join(project, 'b.txt')])
    expect(await textAt(project, 'b.txt')).toBe(lines(1, 20, { 3: 'person' }))
  })
})

describe('what a person made of a change', () => {
  it('is written instead of it, and the rest stays proposed', async () => {
    const { project, workspace, end } = await projectWith({ 'a.txt': lines(1, 20) })
    await workspace.write('a.txt', lines(1, 20, { 3: 'good', 15: 'later' }))
    const proposal = await end()
    const [whole] = await proposal.merged()
    const part = whole && splitOf(whole)?.take(new Set([0]))
    if (!part) throw new Error('there are two places')
    expect((await proposal.accept({ files: [part] })).accepted).toEqual(['a.txt'])
    expect(await textAt(project, 'a.txt')).toBe(lines(1, 20, { 3: 'good' }))
    expect(await proposal.changes()).toMatchObject([{ lines_added: 1, lines_removed: 1, merged: false }])
    await put(project, { 'a.txt': lines(1, 20, { 1: 'person', 3: 'good' }) })
    expect((await proposal.accept()).accepted).toEqual(['a.txt'])
    expect(await textAt(project, 'a.txt')).toBe(lines(1, 20, { 1: 'person', 3: 'good', 15: 'later' }))
  })

  it('is stored as an edit where the person wrote it, also over a conflict', async () => {
    const { project, workspace, end } = await projectWith({ 'a.txt': lines(1, 9) })
    await workspace.write('a.txt', lines(1, 9, { 5: 'agent' }))
    const proposal = await end()
    await put(project, { 'a.txt': lines(1, 9, { 5: 'person' }) })
    const [conflict] = await proposal.merged()
    if (!conflict) throw new Error('there is a change')
    const files = [withEdit(conflict, Buffer.from(lines(1, 9, { 5: 'both' })))]
    expect(await proposal.accept({ files })).toEqual({ accepted: ['a.txt'], conflicts: [] })
    expect(await textAt(project, 'a.txt')).toBe(lines(1, 9, { 5: 'both' }))
    for await (const { type, data } of proposal.log.store.read('agent'))
      if (type === 'accepted') expect(data).toMatchObject({ files: [{ path: 'a.txt', how: 'edited' }] })
  })

  it('is not written over a file that changed while the person looked at it', async () => {
    const { project, workspace, end } = await projectWith({ 'a.txt': 'a\n' })
    await workspace.write('a.txt', 'b\n')
    const proposal = await end()
    const files = await proposal.merged()
    await put(project, { 'a.txt': 'saved meanwhile\n' })
    expect((await proposal.accept({ files })).accepted).toEqual([])
    expect(await textAt(project, 'a.txt')).toBe('saved meanwhile\n')
  })
})

const SEED = 20261116
const FILES = 50
/** 50 edits; `TWOTRACK_EDITS=1000` for more. */
const PROJECTS = Math.ceil(Number(process.env['TWOTRACK_EDITS'] ?? 50) / FILES)

it(`${PROJECTS * FILES} edits of two agents, accepted one after the other, are what git merge-file makes of them`, async () => {
  const random = randomOf(SEED)
  const counts = { merged: 0, conflicts: 0 }
  for (let round = 0; round < PROJECTS; round++) {
    const names = Array.from({ length: FILES }, (_, at) => `${at}.py`)
    const base = new Map(names.map((name) => [name, program(random)]))
    const {
      project,
      folder,
      workspace: one,
      end,
    } = await projectWith(Object.fromEntries(base), { id: 'one' })
    const two = await createWorkspace({ project, folder, id: 'two' })
    const edits = [one, two].map(
      () => new Map(names.map((name) => [name, edited(base.get(name) ?? '', random)])),
    )
    for (const [at, workspace] of [one, two].entries())
      for (const [name, text] of edits[at] ?? []) await writeFile(join(workspace.root, name), text)
    const [first, second] = [await end(), await ended(two, { project, folder })]
    await first.accept()
    const { conflicts } = await second.accept({ partial: true })
    const inConflict = new Set(conflicts.map(({ path }) => path))
    const oracle = await scratch()
    for (const name of names) {
      const [first = '', second = ''] = edits.map((texts) => texts.get(name))
      const git = await mergeByGit(oracle, base.get(name) ?? '', first, second)
      counts[git === undefined ? 'conflicts' : 'merged']++
      expect(inConflict.has(name), `seed ${SEED}, round ${round}, ${name}`).toBe(git === undefined)
      expect(await textAt(project, name), `seed ${SEED}, round ${round}, ${name}`).toBe(git ?? first)
    }
    await rm(project, { recursive: true })
  }
  expect(counts.merged).toBeGreaterThan(PROJECTS * FILES * 0.5)
  expect(counts.conflicts).toBeGreaterThan(PROJECTS * FILES * 0.05)
})

/** What git makes of it; undefined for a conflict. */
async function mergeByGit(folder: string, base: string, first: string, second: string) {
  await writeFile(join(folder, 'base'), base)
  await writeFile(join(folder, 'first'), first)
  await writeFile(join(folder, 'second'), second)
  const { status, stdout } = spawnSync('git', ['merge-file', '-p', 'first', 'base', 'second'], {
    cwd: folder,
  })
  return status === 0 ? stdout.toString() : undefined
}

type Random = (below: number) => number

function randomOf(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const LINES = [
  '',
  'import os',
  'def run(x):',
  '    return x',
  '    x = 1',
  '# é',
  '@cached',
  'class A:',
  'x\r',
]

const someLine = (random: Random): string =>
  `${LINES[random(LINES.length)]}${random(3) === 0 ? random(9) : ''}\n`

function program(random: Random): string {
  const text = Array.from({ length: 4 + random(60) }, () => someLine(random)).join('')
  return random(4) === 0 ? text.slice(0, -1) : text
}

/** Lines are inserted, removed, replaced, doubled, moved; sometimes the last one loses or gets its end. */
function edited(text: string, random: Random): string {
  const out = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  for (let times = 1 + random(4); times > 0; times--) {
    const at = random(out.length + 1)
    const kind = random(5)
    if (kind === 0) out.splice(at, 1 + random(3))
    else if (kind === 1) out.splice(at, 0, someLine(random))
    else if (kind === 2) out.splice(at, 1, someLine(random))
    else if (kind === 3) out.splice(at, 0, ...out.slice(at, at + 1 + random(2)))
    else out.splice(random(out.length + 1), 0, ...out.splice(at, 1))
  }
  const joined = out
    .map((line, at) => (line.endsWith('\n') || at === out.length - 1 ? line : `${line}\n`))
    .join('')
  return random(8) === 0 ? joined.replace(/\n$/, '') : joined
}
