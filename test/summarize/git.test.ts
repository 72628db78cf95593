import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, gitOutput } from '../../src/summarize/git/git.ts'
import type { Summary } from '../../src/summarize/summarizer.ts'
import { type SeenCall, testSummarizer } from '../../src/testing/index.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'git-summaries-'))
  run('init', '-q', '-b', 'main')
  mkdirSync(join(folder, 'src'))
  write('src/totals.ts', numbered('line', 30))
  write('src/old.ts', numbered('kept', 12))
  write('notes.md', 'one\ntwo\n')
  run('add', '.')
  run('commit', '-qm', 'Count the totals', '-m', 'Months are summed by year.')
  write(
    'src/totals.ts',
    numbered('line', 30).replace('line 20\n', 'const yearTotal = 20\n  const monthTotal = 21\n'),
  )
  run('commit', '-qam', 'Totals by "month"')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Real git, with nothing of the machine's own configuration. */
function run(...args: string[]): string {
  return execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' },
  })
}
const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
const numbered = (word: string, count: number) =>
  `function all() {\n${Array.from({ length: count }, (_, at) => `  ${word} ${at + 1}\n`).join('')}}\n`

const shell = (command: string, text: string, more: SeenCall = {}) =>
  testSummarizer(git, { tool: 'bash', args: { command }, text, ...more })
/** Runs git and summarizes what it wrote, as a shell that was given the command. */
const ran = (...args: string[]) => shell(`git ${args.join(' ')}`, run(...args))
const entry = (summary: Summary | undefined, key: string) => summary?.knowledge?.[key]

describe('diffs', () => {
  test('a diff is told by file, with new-side line numbers and no a/ or b/', () => {
    const summary = ran('diff', 'HEAD~1', 'HEAD')
    expect(summary?.summary).toBe('1 file changed, +2 −1: src/totals.ts')
    expect(entry(summary, 'src/totals.ts (diff)')).toMatchObject({
      lines: expect.arrayContaining([
        [21, 'const yearTotal = 20'],
        [22, 'const monthTotal = 21'],
        [23, 'line 21'],
      ]),
      names: ['function all() {'],
    })
    expect(entry(summary, 'src/totals.ts (removed by the diff)')).toMatchObject({ lines: [[0, 'line 20']] })
    expect(JSON.stringify(summary)).not.toMatch(/diff --git|[ab]\/src|index /)
  })

  test('new, deleted and renamed files, and paths that git quotes', () => {
    renameSync(join(folder, 'src/old.ts'), join(folder, 'src/renamed.ts'))
    rmSync(join(folder, 'notes.md'))
    write('src/né w.ts', 'export const fresh = 1\n')
    run('add', '-A')
    const summary = ran('diff', '--cached')
    expect(summary?.summary).toBe('3 files changed, +1 −2: notes.md, src/né w.ts, src/renamed.ts')
    expect(entry(summary, 'src/né w.ts (diff)')).toMatchObject({ lines: [[1, 'export const fresh = 1']] })
    expect(entry(summary, 'notes.md (diff)')).toMatchObject({ lines: [[0, 'deleted']] })
    expect(entry(summary, 'src/renamed.ts (diff)')).toMatchObject({ lines: [[0, 'renamed']] })
    run('reset', '-q', '--hard')
  })

  test('more than a few files share one entry, a line for each', () => {
    for (let at = 0; at < 12; at++) write(`src/part${at}.ts`, `export const part${at} = ${at}\n`)
    run('add', '-A')
    const summary = ran('diff', '--cached')
    expect(summary?.summary).toMatch(/^12 files changed, \+12 −0: src\/part0\.ts, .*, …$/)
    expect(Object.keys(summary?.knowledge ?? {})).toEqual(['git diff --cached'])
    expect(JSON.stringify(summary?.knowledge)).toContain('src/part7.ts added +1 −0, lines 1-1')
    run('reset', '-q', '--hard')
  })

  test('--stat, --numstat, --name-status and --name-only name the files', () => {
    const range = ['HEAD~1', 'HEAD']
    expect(ran('diff', '--stat', ...range)?.summary).toBe('1 file changed, +2 −1: src/totals.ts')
    expect(entry(ran('diff', '--stat', ...range), 'git diff --stat HEAD~1 HEAD')).toMatchObject({
      lines: [[0, 'src/totals.ts +2 −1']],
    })
    expect(JSON.stringify(ran('diff', '--numstat', ...range))).toContain('src/totals.ts +2 −1')
    expect(JSON.stringify(ran('diff', '--name-status', ...range))).toContain('src/totals.ts modified')
    expect(ran('diff', '--name-only', ...range)?.summary).toBe('1 file changed: src/totals.ts')
  })

  test('nothing to show is said so', () => {
    expect(ran('diff')?.summary).toBe('No changes from $ git diff')
  })

  test('a plain diff -u is read once no report was found, whatever printed it', () => {
    const text =
      '--- old/a.py\t2024-01-01 10:00\n+++ new/a.py\t2024-01-02 10:00\n@@ -7 +7,2 @@ def total():\n-x = 1\n+y = 2\n+z = 3\n'
    const summary = testSummarizer(gitOutput, { args: { command: 'diff -u old/a.py new/a.py' }, text })
    expect(summary?.summary).toBe('1 file changed, +2 −1: new/a.py')
    expect(entry(summary, 'new/a.py (diff)')).toMatchObject({
      lines: [
        [7, 'y = 2'],
        [8, 'z = 3'],
      ],
    })
    expect(testSummarizer(gitOutput, { args: { command: 'make' }, text: 'error: no rule\n' })).toBeUndefined()
  })

  test('a diff is recognised without its command', () => {
    const summary = testSummarizer(git, { tool: 'output', text: run('diff', 'HEAD~1', 'HEAD') })
    expect(summary?.summary).toBe('1 file changed, +2 −1: src/totals.ts')
  })

  test('the diff of a merge with a conflict counts lines of the merged file', () => {
    const text =
      'diff --cc src/a.ts\nindex 1,2..3\n--- a/src/a.ts\n+++ b/src/a.ts\n@@@ -1,2 -1,2 +1,3 @@@ f\n  same\n++both\n +theirs\n--gone\n'
    expect(shell('git diff', text)?.summary).toBe('1 file changed, +2 −1: src/a.ts')
  })
})

describe('status', () => {
  test.for([['status'], ['status', '--short', '--branch'], ['status', '--porcelain=v2', '--branch']])(
    'git %s: the branch, and each path with its state',
    (args) => {
      write('src/totals.ts', 'export {}\n')
      write('fresh.txt', 'x\n')
      write('notes.md', 'three\n')
      run('add', 'notes.md')
      const summary = ran(...args)
      expect(summary?.summary).toContain('on main')
      for (const part of ['1 staged modified', '1 modified', '1 untracked'])
        expect(summary?.summary).toContain(part)
      expect(entry(summary, 'git status')).toEqual({
        about: 'on main',
        lines: [
          [0, 'staged modified notes.md'],
          [0, 'modified src/totals.ts'],
          [0, 'untracked fresh.txt'],
        ],
      })
      run('reset', '-q', '--hard')
      rmSync(join(folder, 'fresh.txt'))
    },
  )

  test('a clean tree', () => {
    expect(ran('status')?.summary).toBe('Clean working tree on main')
    expect(ran('status', '--short')?.summary).toBe('Clean working tree from $ git status --short')
  })

  test('a first line that lost its leading space is still an entry', () => {
    const summary = shell('git status -s', 'M src/a.ts\n M src/b.ts\n?? c.ts')
    expect(summary?.summary).toBe('2 modified, 1 untracked: src/a.ts, src/b.ts, c.ts')
  })

  test('several calls in one command: each part is told once', () => {
    write('src/totals.ts', numbered('line', 31))
    const text = `${run('status', '--short')}---\n${run('diff')}`
    const summary = shell('cd /srv/app && git status --short; echo ---; git --no-pager diff', text)
    expect(summary?.summary).toMatch(/^1 file changed, .*: src\/totals\.ts; 1 modified$/)
    expect(Object.keys(summary?.knowledge ?? {})).toEqual(
      expect.arrayContaining(['src/totals.ts (diff)', 'git status']),
    )
    run('reset', '-q', '--hard')
  })
})

describe('history', () => {
  test('the log: how many commits and the newest, each with hash and subject', () => {
    const hash = run('rev-parse', '--short', 'HEAD').trim()
    const summary = ran('log', '--oneline')
    expect(summary?.summary).toBe(`2 commits, newest ${hash} "Totals by 'month'"`)
    expect(JSON.stringify(entry(summary, 'git log --oneline'))).toContain('Count the totals')
  })

  test('the full log keeps messages and authors of few commits', () => {
    const told = JSON.stringify(entry(ran('log'), 'git log'))
    for (const part of ['Count the totals, by Ada', 'Months are summed by year.'])
      expect(told).toContain(part)
  })

  test('git show: the commit and its diff', () => {
    const summary = ran('show', 'HEAD')
    expect(summary?.summary).toMatch(/^1 file changed, \+2 −1: src\/totals\.ts; Commit [0-9a-f]{12} "Totals/)
  })

  test('git show REVISION:path is that file, with its numbers', () => {
    const summary = shell('git show HEAD:src/totals.ts | sed -n 20,22p', 'line 19\nconst yearTotal = 20\n')
    expect(summary?.summary).toBe('Read src/totals.ts at HEAD, 2 lines')
    expect(entry(summary, 'src/totals.ts (at HEAD)')).toMatchObject({
      lines: [
        [20, 'line 19'],
        [21, 'const yearTotal = 20'],
      ],
    })
  })

  test('blame: the lines of the file and the commits they come from', () => {
    const summary = ran('blame', 'src/totals.ts')
    expect(summary?.summary).toMatch(/^src\/totals\.ts lines 1-33 come from 2 commits: /)
    expect(entry(summary, 'src/totals.ts (blame)')).toMatchObject({
      lines: expect.arrayContaining([[22, 'const monthTotal = 21']]),
    })
  })

  test('branches', () => {
    run('branch', 'side')
    expect(ran('branch')?.summary).toBe('On main, 2 branches')
    run('branch', '-D', 'side')
  })
})

describe('what git says in a line', () => {
  test.for([
    [
      'commit -m x',
      '[main f59e610] Say "hi"\n 7 files changed, 468 insertions(+), 6 deletions(-)\n',
      /^Committed f59e610 on main: "Say 'hi'"; 7 files changed, \+468 −6$/,
    ],
    ['switch -c side', "Switched to a new branch 'side'\n", /^Now on side$/],
    [
      'push',
      'To example.org:a/b.git\n   17d213a..45ffe0a  main -> main\n',
      /^main moved from 17d213a to 45ffe0a$/,
    ],
    ['stash', 'Saved working directory and index state WIP on main: 1 x\n', /^Stashed: "WIP on main: 1 x"$/],
    ['checkout a.ts', 'Updated 1 path from the index\n', /^Restored 1 path$/],
  ] as const)('git %s', ([command, text, expected]) => {
    expect(shell(`git ${command}`, text)).toMatchObject({ summary: expect.stringMatching(expected) })
  })

  test('what it refuses is an error, told by its own words', () => {
    const text =
      "Exit code 128\nfatal: ambiguous argument 'docs/x.md': unknown revision\nUse '--' to separate paths\n"
    expect(shell('git diff docs/x.md', text)).toMatchObject({
      summary: `Error "ambiguous argument 'docs/x.md': unknown revision"`,
      outcome: 'error',
      failedAttempt: expect.stringContaining('docs/x.md'),
    })
  })

  test('a conflict is told first', () => {
    const text = 'Auto-merging a.ts\nCONFLICT (content): Merge conflict in a.ts\nAutomatic merge failed\n'
    expect(shell('git merge side', text)?.summary).toBe('Conflict: Merge conflict in a.ts')
  })

  test('a hook that fills the output leaves it to others', () => {
    const hook = Array.from({ length: 50 }, (_, at) => `test ${at} ran\n`).join('')
    expect(shell('git commit -m x', `${hook}error: one failed\n`)).toBeUndefined()
  })
})

test('git -C says where, and so does the key', () => {
  const summary = shell('git -C /srv/app status', 'On branch main\nnothing to commit, working tree clean\n')
  expect(summary?.summary).toBe('Clean working tree on main in /srv/app')
  expect(Object.keys(summary?.knowledge ?? {})).toEqual(['git status in /srv/app'])
})

test('hostile output is answered within bounds', () => {
  const hunks = Array.from({ length: 5_000 }, (_, at) => `@@ -${at} +${at} @@ f${at}\n+a${at}\n`).join('')
  for (const text of [
    'diff --git a/x b/x\n'.repeat(5_000),
    `--- a/x\n+++ b/x\n${hunks}`,
    ' M a\nx\n'.repeat(10_000),
    '--- a\n+++ b\n'.repeat(5_000),
    `"a/\\303${'|'.repeat(200_000)}`,
    `On branch x\nUntracked files:\n${'\tx\n'.repeat(20_000)}`,
    `@@ ${'-1 '.repeat(20_000)}`,
  ])
    for (const summarizer of [git, gitOutput]) {
      const args = { command: 'git status -s; git log --name-only; git diff' }
      const summary = testSummarizer(summarizer, { args, text })
      expect(JSON.stringify(summary ?? {}).length).toBeLessThan(80_000)
    }
})
