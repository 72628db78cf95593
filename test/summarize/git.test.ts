import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git } from '../../src/summarize/git/git.ts'
import type { SeenCall } from '../../src/testing/summarizer.ts'
import { learned } from './learned.ts'

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
  learned(git, { tool: 'bash', args: { command }, text, ...more })
/** Runs git and summarizes what it wrote, as a shell that was given the command. */
const ran = (...args: string[]) => shell(`git ${args.join(' ')}`, run(...args))

describe('what git shows', () => {
  test('a diff: which files, how many lines, and where each file begins', () => {
    const diff = ran('diff', 'HEAD~1', 'HEAD')
    expect(diff.said).toBe('$ git diff HEAD~1 HEAD: 1 file changed, +2 −1: src/totals.ts')
    expect(diff.highlighted).toEqual(['diff --git a/src/totals.ts b/src/totals.ts'])
    expect(diff.lines).toContain('+  const monthTotal = 21')
    expect(ran('diff', '--stat', 'HEAD~1', 'HEAD').said).toContain('1 file changed, +2 −1: src/totals.ts')
    expect(shell('diff -u a b', run('diff', 'HEAD~1', 'HEAD')).said).toContain('1 file changed')
  })

  test('the log: how many commits and the newest', () => {
    expect(ran('log', '--oneline').said).toMatch(/: 2 commits, newest [0-9a-f]{7,} "Totals by 'month'"$/)
    expect(ran('log').said).toMatch(/: 2 commits, newest [0-9a-f]{12} "Totals by 'month'"$/)
    expect(ran('show', '--stat', 'HEAD').said).toContain('1 file changed, +2 −1')
  })

  test('the status, long and short', () => {
    write('notes.md', 'one\n')
    write('new.md', 'x\n')
    try {
      expect(ran('status').said).toBe('$ git status: 1 modified, 1 untracked on main: notes.md, new.md')
      expect(ran('status', '--short').said).toContain(': 1 modified, 1 untracked: notes.md, new.md')
    } finally {
      rmSync(join(folder, 'new.md'))
      run('checkout', '-q', 'notes.md')
    }
    expect(ran('status').said).toBe('$ git status: clean working tree on main')
    expect(ran('diff').said).toBe('$ git diff: no changes')
  })
})

describe('what git did, or refused', () => {
  test.for([
    [
      'git commit -m x',
      '[main 1a2b3c4] Add totals\n 1 file changed, 2 insertions(+)\n',
      '"[main 1a2b3c4] Add totals"; 1 file changed, +2 −0',
    ],
    ['git switch -c side', "Switched to a new branch 'side'\n", `"Switched to a new branch 'side'"`],
    ['git checkout a.ts', 'Updated 1 path from the index\n', '"Updated 1 path from the index"'],
    ['git push', 'To x\n   1a2b3c4..5d6e7f8  main -> main\n', '"1a2b3c4..5d6e7f8 main -> main"'],
  ] as const)('%s', ([command, text, said]) => {
    expect(shell(command, text).said).toBe(`$ ${command}: ${said}`)
  })

  test('a refusal is an error, a conflict is told first', () => {
    expect(
      shell('git checkout nope', "error: pathspec 'nope' did not match any file(s) known to git"),
    ).toMatchObject({
      outcome: 'error',
      said: expect.stringContaining('did not match'),
    })
    const merge = shell(
      'git merge side',
      'Auto-merging a.ts\nCONFLICT (content): Merge conflict in a.ts\nAutomatic merge failed; fix conflicts',
    )
    expect(merge).toMatchObject({
      outcome: 'error',
      said: expect.stringContaining('CONFLICT (content): Merge conflict in a.ts'),
    })
  })

  test('other programs beside git are not git’s', () => {
    expect(shell('git log -1 && pytest', 'commit text\n3 passed in 0.1s').said).toBeUndefined()
  })
})
