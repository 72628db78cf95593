import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { decideWith } from '../../src/cli/commands/review.ts'
import type { Merged } from '../../src/workspace/merged.ts'
import { PYTHON, PYTHON_FIXED } from '../scenario/project.ts'
import { environment, folderWith, MAIN, NODE_ARGS, twotrack } from './run.ts'

const side = (text: string) => ({ content: Buffer.from(text), mode: '100644' as const })
const textOf = (value: { content: Uint8Array } | undefined) => value && Buffer.from(value.content).toString()

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n'
const AFTER = 'ONE\ntwo\nthree\nfour\nFIVE'
const change: Merged = {
  path: 'a.txt',
  kind: 'modified',
  now: side(BEFORE),
  next: side(AFTER),
  how: 'whole',
  proposed: { path: 'a.txt', before: null, after: null },
}

/** Decides with these answers, and gives what was printed and asked besides. */
async function decided(file: Merged, answers: readonly string[], edit?: (text: string) => string) {
  const shown: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => shown.push(String(text)) > 0)
  onTestFinished(() => spy.mockRestore())
  const left = [...answers]
  const ask = async (question: string) => {
    shown.push(question)
    return left.shift()
  }
  const decision = await decideWith({ name: 'lint#1' }, file, '1 of 1', ask, async (_path, content) =>
    Buffer.from(edit?.(Buffer.from(content).toString()) ?? ''),
  )
  spy.mockRestore()
  return { decision, shown: shown.join('') }
}

describe('a change in review', () => {
  test('is taken, left, rejected; an unknown answer explains, and no answer quits', async () => {
    expect((await decided(change, ['t'])).decision).toBe(change)
    expect((await decided(change, ['l'])).decision).toBe('left')
    expect((await decided(change, ['r'])).decision).toBe('rejected')
    expect((await decided(change, [])).decision).toBe('quit')
    const { decision, shown } = await decided(change, ['x', 'q'])
    expect(decision).toBe('quit')
    expect(shown).toContain('[t]ake [l]eave [s]plit [e]dit [r]eject [q]uit [?] ')
    expect(shown).toContain('  s  split it, and be asked about each place')
  })

  test('is split into its places, and what is not taken stays proposed, byte for byte', async () => {
    const { decision } = await decided(change, ['s', 'l', 't'])
    if (typeof decision !== 'object') throw new Error('something is taken')
    expect(textOf(decision.next)).toBe('one\ntwo\nthree\nfour\nFIVE')
    expect(textOf(decision.left)).toBe(AFTER)
    expect(decision).toMatchObject({ how: 'part', places: [1] })
    expect((await decided(change, ['s', 't', 't'])).decision).toBe(change)
    expect((await decided(change, ['s', 'l', 'l'])).decision).toBe('left')
  })

  test('is edited and shown again before it is taken', async () => {
    const { decision, shown } = await decided(change, ['e', 't'], (text) => text.replace('ONE', 'uno'))
    expect(typeof decision === 'object' && textOf(decision.next)).toBe('uno\ntwo\nthree\nfour\nFIVE')
    expect(decision).toMatchObject({ how: 'edited' })
    expect(shown).toContain('+uno')
  })

  test('with a conflict can only be taken once it is edited and has no marks left', async () => {
    const marked = side('<<<<<<< the project\nx\n=======\ny\n>>>>>>> lint\n')
    const conflict: Merged = { ...change, next: marked, how: 'merged', conflict: 'both changed it' }
    const first = await decided(conflict, ['t', 'e', 't', 'l'], (text) => text)
    expect(first.decision).toBe('left')
    const { decision } = await decided(conflict, ['e', 't'], () => 'x and y\n')
    expect(typeof decision === 'object' && [textOf(decision.next), decision.conflict]).toEqual([
      'x and y\n',
      undefined,
    ])
  })
})

test('review without a terminal is refused, and says what to do instead', async () => {
  const { code, stdout, stderr } = await twotrack(folderWith(), ['review'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('it needs a terminal')
  expect(stderr).toMatch(/changes, then .* accept NAME/)
})

const hasScript = spawnSync('script', ['--version']).status === 0

test.skipIf(!hasScript)(
  'review on a terminal takes what the person says (needs the program "script")',
  async () => {
    const cwd = folderWith({ 'a.py': PYTHON, 'b.py': PYTHON })
    await twotrack(cwd, ['run', 'lint', '.', '--no-hub'])
    const command = [process.execPath, ...NODE_ARGS, MAIN, 'review'].join(' ')
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd,
      env: environment({ TERM: 'xterm' }),
    })
    const answers = ['l\r', 't\r']
    let seen = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text
      if (seen.split('[?]').length > 3 - answers.length) child.stdin.write(answers.shift() ?? '')
    })
    await new Promise((resolve) => child.on('close', resolve))
    expect(seen).toContain('1 taken, 0 rejected, 1 left.')
    expect(readFileSync(join(cwd, 'a.py'), 'utf8')).toBe(PYTHON)
    expect(readFileSync(join(cwd, 'b.py'), 'utf8')).toBe(PYTHON_FIXED)
  },
)
