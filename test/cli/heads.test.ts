import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Event } from '../../src/core/event/event.ts'
import { redactLine, seal } from '../../src/core/event/line.ts'
import { sha256 } from '../../src/sha256.ts'
import { sampleNonces } from '../../src/testing/sample-log.ts'
import { eventIn, rehashed } from '../audit/recorded.ts'
import { AGENT, folderWith, TRAJECTORY, twotrack } from './run.ts'

const logOf = (cwd: string) => join(cwd, '.agentfs', 'traces', `${AGENT}.jsonl`)
const linesOf = (cwd: string) => readFileSync(logOf(cwd), 'utf8').split('\n').slice(0, -1)
const store = (cwd: string, lines: readonly string[]) =>
  writeFileSync(logOf(cwd), lines.map((line) => `${line}\n`).join(''))

/** A place of its own for what a person keeps outside of projects. */
function person(): { env: { XDG_STATE_HOME: string } } {
  const folder = mkdtempSync(join(tmpdir(), 'twotrack-person-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { env: { XDG_STATE_HOME: folder } }
}

async function importedBy(me: ReturnType<typeof person>, cwd = folderWith()): Promise<string> {
  expect((await twotrack(cwd, ['import', TRAJECTORY], me)).code).toBe(0)
  return cwd
}

/** Another history, with a chain as good as the first. */
function rewritten(cwd: string): void {
  const events = linesOf(cwd).map((line) => eventIn(line.replace(/,"since":\d+}$/, '}')))
  const change = (event: Event): Event =>
    JSON.parse(JSON.stringify(event).replaceAll('10 passed', '99 passed')) as Event
  store(cwd, rehashed(events.map(change)))
}

describe('heads that are kept outside the project', () => {
  test('a whole log that was rewritten is found, without a word of the person', async () => {
    const me = person()
    const cwd = await importedBy(me)
    const before = await twotrack(cwd, ['verify'], me)
    expect(before.stdout).toMatch(/Compared with signed heads of \d{4}-\d\d-\d\d \d\d:\d\d: 1 log/)
    expect(before.code).toBe(0)
    rewritten(cwd)
    const after = await twotrack(cwd, ['verify'], me)
    expect(after.code).toBe(1)
    expect(after.stdout).toContain('the history up to here was rewritten')
    // Nothing that this person does later makes it good.
    await twotrack(cwd, ['redact', 'whatever it is', '--yes'], me)
    await twotrack(cwd, ['escalate', AGENT, '--answer', 'go on'], me)
    expect((await twotrack(cwd, ['verify'], me)).code).toBe(1)
  })

  test('a log that is gone is found, its place in the index too', async () => {
    const me = person()
    const cwd = await importedBy(me)
    rmSync(logOf(cwd))
    rmSync(join(cwd, '.agentfs', 'traces.index'))
    const { code, stdout } = await twotrack(cwd, ['verify'], me)
    expect(code).toBe(1)
    expect(stdout).toContain(`There is no log of ${AGENT}`)
  })

  test('a folder that is removed and made anew is another, and that its logs are gone is said', async () => {
    const me = person()
    const cwd = await importedBy(me)
    rmSync(join(cwd, '.agentfs'), { recursive: true })
    const gone = 'logs that were signed here are gone with the folder they were in'
    const nothing = await twotrack(cwd, ['verify'], me)
    expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining(gone) })
    expect(nothing.stdout).toContain('Compared with nothing kept elsewhere')
    await twotrack(cwd, ['import', TRAJECTORY, '--agent', 'other'], me)
    const { code, stdout } = await twotrack(cwd, ['verify'], me)
    expect(stdout).toContain('intact: 1 log')
    expect(stdout).toContain(gone)
    expect(stdout).toMatch(/Compared with signed heads of .*: 1 log\n/)
    expect(code).toBe(0)
  })

  test('key and heads are the person’s alone, and no line of them can be changed', async () => {
    const me = person()
    const cwd = await importedBy(me)
    const folder = join(me.env.XDG_STATE_HOME, 'twotrack')
    const [name = ''] = readdirSync(join(folder, 'heads'))
    const file = join(folder, 'heads', name)
    for (const one of [file, join(folder, 'heads.key')]) expect(statSync(one).mode & 0o777).toBe(0o600)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"seq":32/, '"seq":31'))
    const { stdout } = await twotrack(cwd, ['verify'], me)
    expect(stdout).toContain('1 of the heads kept elsewhere are not as they were signed')
    expect(stdout).toContain('Compared with nothing kept elsewhere')
  })

  test('signed heads in a file, and as a git note, which another person can compare with', async () => {
    const me = person()
    const cwd = folderWith()
    rmSync(join(cwd, '.git'), { recursive: true })
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, encoding: 'utf8' })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'first')
    await importedBy(me, cwd)
    const noted = await twotrack(cwd, ['verify', '--note'], me)
    expect(noted.stdout).toContain('The heads are a git note of the last commit now')
    expect(git('log', '--notes=twotrack', '--format=%N')).toContain('"signature"')
    const other = { env: { ...person().env, TWOTRACK_TRUST: '' } }
    const args = ['verify', '--folder', join(cwd, '.agentfs')]
    const theirs = await twotrack(cwd, args, other)
    expect(theirs.stdout).toMatch(
      /Compared with git note of .*: 1 log, signed by the key [0-9a-f]{12}, which is not yours/,
    )
    expect(theirs.code).toBe(0)
    rewritten(cwd)
    expect((await twotrack(cwd, args, other)).code).toBe(1)
    const heads = join(me.env.XDG_STATE_HOME, 'twotrack', 'heads')
    const file = join(heads, readdirSync(heads)[0] ?? '')
    const withFile = await twotrack(cwd, [...args, '--heads', file], { env: person().env })
    expect(withFile.stdout).toContain('Compared with file: 1 log')
    expect(withFile.code).toBe(1)
  })
})

describe('a redaction that somebody else made', () => {
  test('is never called anything else, and no head covers it', async () => {
    const me = person()
    const cwd = await importedBy(me)
    const lines = linesOf(cwd).map((line) => line.replace(/,"since":\d+}$/, '}'))
    const at = lines.findIndex((line) => line.includes('10 passed'))
    const forgedLine = (line: string) => {
      const { data, delta } = eventIn(line)
      const payload = JSON.parse(
        JSON.stringify({ data, ...(delta ? { delta } : {}) }).replaceAll('10 passed', '99 passed [redacted]'),
      )
      return Buffer.from(redactLine(Buffer.from(line), { payload }, sha256)).toString()
    }
    const forged = forgedLine(lines[at] ?? '')
    store(cwd, lines.with(at, forged))
    expect((await twotrack(cwd, ['verify'], me)).stdout).toContain('no event says that they were redacted so')
    const last = eventIn(lines.at(-1) ?? '')
    const digest = /"redacted":\{"payload":"([0-9a-f]{64})"/.exec(forged)?.[1] ?? ''
    const event = {
      type: 'redacted' as const,
      data: {
        by: 'ada',
        reason: 'r',
        pattern: 'a text',
        raw: [],
        marked: [{ seq: at + 1, payload: digest }],
      },
    }
    const identity = { ...last, seq: last.seq + 1, prev: last.hash, nonces: sampleNonces('forged') }
    store(cwd, [...lines.with(at, forged), seal(event, identity, sha256).line])
    const { stdout } = await twotrack(cwd, ['verify'], me)
    expect(stdout).toContain(`redacted events ${at + 1} by ada`)
    expect(stdout).toContain('no head kept elsewhere covers this redaction')
  })

  test('of the person’s own is covered, and the heads of before still hold', async () => {
    const me = person()
    const cwd = await importedBy(me)
    const heads = (await twotrack(cwd, ['verify', '--json'], me)).stdout
    writeFileSync(join(cwd, 'heads.json'), heads)
    expect((await twotrack(cwd, ['redact', '10 passed', '--yes', '--reason', 'asked for'], me)).code).toBe(0)
    const { code, stdout } = await twotrack(cwd, ['verify', '--heads', 'heads.json'], me)
    expect(stdout).toMatch(/redacted events [\d–, ]+ by .*: a text \(asked for\)/)
    expect(stdout).not.toContain('no head kept elsewhere')
    expect(code).toBe(0)
    const shown = await twotrack(cwd, ['show', AGENT], me)
    expect(shown.stdout).toMatch(/#\d+ +t\d+ redacted /)
    expect(shown.stdout).toContain('redacts a text, by ')
    expect((await twotrack(cwd, ['why', AGENT, '[redacted]'], me)).stdout).toContain(
      'texts were taken out of this event',
    )
    expect((await twotrack(cwd, ['replay', AGENT], me)).stdout).toMatch(/redacted: events \d+/)
  })

  test('in a log whose own id holds it keeps the log whole, and says what is left', async () => {
    const me = person()
    const cwd = folderWith()
    await twotrack(cwd, ['import', TRAJECTORY, '--agent', 'calc-1'], me)
    writeFileSync(
      join(cwd, 'other.jsonl'),
      readFileSync(TRAJECTORY, 'utf8').replaceAll('passed', 'calculated'),
    )
    await twotrack(cwd, ['import', 'other.jsonl', '--agent', 'calc-2'], me)
    const done = await twotrack(cwd, ['redact', 'calc', '--yes'], me)
    expect(done.code).toBe(1)
    expect(done.stdout).toContain('ids stay as they are')
    const { code, stdout } = await twotrack(cwd, ['verify'], me)
    expect(stdout).toContain('intact: 2 logs')
    expect(code).toBe(0)
  })
})
