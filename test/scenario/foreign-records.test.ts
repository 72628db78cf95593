import { execFileSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../../src/files/disk.ts'
import { openWorkspace } from '../../src/workspace/workspace.ts'
import { contentsOf, folderWith, TRAJECTORY, twotrack } from '../cli/run.ts'
import { PYTHON } from './project.ts'

/** A project whose records this person made. */
function ownRecords(files: Readonly<Record<string, string>>): string {
  const cwd = folderWith(files)
  makeFolder(join(cwd, '.agentfs'))
  return cwd
}

/** Decisions and keys of a person, for one test. */
const home = () => ({ env: { XDG_STATE_HOME: folderWith({}) } })

/** Each command that reads or writes records, once. */
const EVERY_USE: readonly (readonly string[])[] = [
  ['run', 'lint', '--no-hub'],
  ['hub', 'app.py'],
  ['compact', '--apply'],
  ['compact', '--older-than', '0d', '--archive-older-than', '0d', '--apply'],
  ['redact', '--secrets', '--yes'],
  ['import', TRAJECTORY],
  ['runs'],
  ['verify'],
  ['changes'],
  ['accept', '--last'],
  ['reject', '--last'],
  ['resume', '--last'],
  ['show', '--last'],
  ['export', '--last'],
]

describe('a clone’s own settings', () => {
  test.each(['..', '../other', '/', 'src', '.git', '.agentfs/../../other'])(
    'do not say where records are: %s',
    async (folder) => {
      const above = folderWith({
        'workspaces/mine/files/a.py': 'mine\n',
        'traces/x': '',
        '.env': 'KEY=AKIAQ3EGUZJ5RHJN7KXD\n',
        'other/workspaces/mine/b.py': 'mine\n',
        'clone/src/workspaces/mine/c.py': 'mine\n',
        'clone/app.py': PYTHON,
        'clone/twotrack.yaml': `runner: { memory: { folder: ${JSON.stringify(folder)} } }\n`,
      })
      const cwd = join(above, 'clone')
      mkdirSync(join(cwd, '.git'))
      const before = contentsOf(above)
      for (const args of EVERY_USE) {
        const { code, stderr } = await twotrack(cwd, args)
        expect(code, args.join(' ')).toBe(2)
        expect(stderr).toContain('settings twotrack.yaml')
      }
      expect(contentsOf(above)).toEqual(before)
    },
  )

  test.each([
    'secrets: off',
    'retention: { raw_days: 0 }',
    'trace_store: memory',
    'enabled: false',
    'durability: { interval_ms: 60000 }',
  ])('do not say what becomes of records: %s', async (setting) => {
    const cwd = folderWith({ 'app.py': PYTHON, 'twotrack.yaml': `runner: { memory: { ${setting} } }\n` })
    for (const args of EVERY_USE) {
      const { code, stderr } = await twotrack(cwd, args)
      expect(code, args.join(' ')).toBe(2)
      expect(stderr).toContain('settings twotrack.yaml')
    }
  })
})

describe('records that a clone brings', () => {
  test.each([
    '.agentfs',
    '.agentfs/workspaces',
    '.agentfs/workspaces/x/files',
    '.agentfs/workspaces/x/manifest.json',
    '.agentfs/copies/x',
    '.agentfs/in-use/x',
    '.agentfs/traces',
    '.agentfs/traces/x.jsonl',
    '.agentfs/traces/x.jsonl.lock',
    '.agentfs/traces/x.jsonl.rewriting',
    '.agentfs/blobs/ab',
    '.agentfs/private/x',
    '.agentfs/runs/x.json',
    '.agentfs/index.jsonl',
    '.agentfs/agent.db',
    '.agentfs/hub.index',
    '.agentfs/made',
  ])('lead nowhere else: %s', async (path) => {
    const cwd = ownRecords({ 'app.py': PYTHON })
    const victim = folderWith({ rc: 'mine\n' })
    if (path === '.agentfs') rmSync(join(cwd, path), { recursive: true })
    else mkdirSync(dirname(join(cwd, path)), { recursive: true })
    rmSync(join(cwd, path), { force: true })
    const isFile =
      /[.]|made|x$/.test(basename(path)) && path !== '.agentfs' && !/files$|copies|private/.test(path)
    symlinkSync(isFile ? join(victim, 'rc') : victim, join(cwd, path))
    for (const args of EVERY_USE) {
      const { code, stderr } = await twotrack(cwd, args)
      expect(code, args.join(' ')).toBe(2)
      expect(stderr).toContain(`${path} is a link`)
    }
    expect(readdirSync(victim)).toEqual(['.git', 'rc'])
    expect(readFileSync(join(victim, 'rc'), 'utf8')).toBe('mine\n')
  })

  test('are no devices and no pipes', async () => {
    for (const name of ['traces/x.jsonl', 'traces/x.jsonl.zst', 'blobs/ab/x', 'runs/x.json', 'hub.index']) {
      const cwd = ownRecords({ 'app.py': PYTHON })
      mkdirSync(dirname(join(cwd, '.agentfs', name)), { recursive: true })
      execFileSync('mkfifo', [join(cwd, '.agentfs', name)])
      for (const args of EVERY_USE)
        expect((await twotrack(cwd, args)).stderr).toContain(`${name} is neither a file nor a folder`)
    }
  })

  test('are in a folder, and never in a file or a pipe of that name', async () => {
    for (const make of [
      (path: string) => writeFileSync(path, 'x'),
      (path: string) => execFileSync('mkfifo', [path]),
    ]) {
      const cwd = folderWith({ 'app.py': PYTHON })
      make(join(cwd, '.agentfs'))
      for (const args of EVERY_USE)
        expect((await twotrack(cwd, args)).stderr).toContain('.agentfs is no folder')
    }
  })

  test('are not used until a person has seen them, where they are not the person’s', async () => {
    const theirs = folderWith({ 'app.py': PYTHON })
    const { env } = home()
    await twotrack(theirs, ['run', 'lint', '--no-hub'], { env })
    const cwd = folderWith({ 'app.py': PYTHON })
    cpSync(join(theirs, '.agentfs'), join(cwd, '.agentfs'), { recursive: true })
    const before = contentsOf(cwd)
    for (const args of EVERY_USE) {
      const { code, stderr } = await twotrack(cwd, args, { env })
      expect({ code, stderr }, args.join(' ')).toMatchObject({ code: 2 })
      expect(stderr).toContain('may have come with the project, from somebody else')
    }
    expect(contentsOf(cwd)).toEqual(before)
    const shown = await twotrack(cwd, ['trust', '--logs'], { env })
    expect(shown.code).toBe(2)
    expect(shown.stdout).toMatch(/of your account.*app\.py +lint +20/s)
    // What is trusted for a command is code, not what logs say.
    expect((await twotrack(cwd, ['run', 'lint', '--no-hub', '--trust'], { env })).code).toBe(2)
    expect((await twotrack(cwd, ['trust', '--logs', '--yes'], { env })).code).toBe(0)
    expect((await twotrack(cwd, ['accept', '--last'], { env })).code).toBe(0)
  })

  test('are not used where another user made them', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only the superuser can make a folder somebody else’s')
    const { env } = home()
    const cwd = folderWith({ 'app.py': PYTHON })
    await twotrack(cwd, ['run', 'lint', '--no-hub'], { env })
    chownSync(join(cwd, '.agentfs'), 65_534, 65_534)
    expect((await twotrack(cwd, ['runs'], { env })).stderr).toContain("another user's account")
  })

  test.each(['.agentfs', '.AgentFS'])('are not used where git brings more of them: %s', async (name) => {
    const { env } = home()
    const cwd = folderWith({ 'app.py': PYTHON })
    rmSync(join(cwd, '.git'), { recursive: true })
    const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' })
    git('init', '-q')
    await twotrack(cwd, ['run', 'lint', '--no-hub'], { env })
    expect((await twotrack(cwd, ['runs'], { env })).code).toBe(0)
    mkdirSync(join(cwd, name, 'traces'), { recursive: true })
    writeFileSync(join(cwd, name, 'traces/later.jsonl'), '{}\n')
    git('add', '-f', `${name}/traces/later.jsonl`)
    expect((await twotrack(cwd, ['runs'], { env })).stderr).toContain('git tracks 1 files in it')
    await twotrack(cwd, ['trust', '--logs', '--yes'], { env })
    expect((await twotrack(cwd, ['trust', '--list', '--json'], { env })).code).toBe(0)
    expect((await twotrack(cwd, ['runs'], { env })).stderr).not.toContain(
      'may have come with the project, from somebody else',
    )
    writeFileSync(join(cwd, name, 'traces/later.jsonl'), '{"changed":1}\n')
    git('add', '-f', `${name}/traces/later.jsonl`)
    expect((await twotrack(cwd, ['runs'], { env })).stderr).toContain(
      'may have come with the project, from somebody else',
    )
  })

  test('name no file outside of a workspace', async () => {
    const cwd = folderWith({ '.agentfs/workspaces/forged/files/a.py': '' })
    const victim = folderWith({ rc: 'mine\n' })
    const home = join(cwd, '.agentfs/workspaces/forged')
    const path = relative(join(home, 'files'), join(victim, 'rc'))
    const entry = { path, bytes: 5, sha256: '0'.repeat(64), mode: '100644' }
    const none = { linked: [], ignore_files: [], skipped: [] }
    const manifest = { v: 1, id: 'forged', layer: false, ...none, files: [entry] }
    writeFileSync(join(home, 'manifest.json'), JSON.stringify(manifest))
    const place = { project: cwd, folder: join(cwd, '.agentfs'), id: 'forged' }
    const changed = openWorkspace(place).then((workspace) => workspace.changes())
    await expect(changed).rejects.toMatchObject({ code: 'damaged' })
  })

  test('do not lead the rules of git that init writes elsewhere', async () => {
    const cwd = folderWith({})
    const victim = folderWith({ rc: 'mine\n' })
    symlinkSync(join(victim, 'rc'), join(cwd, '.gitignore'))
    expect((await twotrack(cwd, ['init'])).code).toBe(0)
    expect(readFileSync(join(victim, 'rc'), 'utf8')).toBe('mine\n')
  })

  test('do not make the removal of copies remove other folders', async () => {
    const cwd = folderWith({ 'app.py': PYTHON, '.agentfs/copies/...held': '', '.agentfs/traces/mine': '' })
    await twotrack(cwd, ['compact', '--apply'])
    expect(existsSync(join(cwd, '.agentfs/traces/mine'))).toBe(true)
  })
})
