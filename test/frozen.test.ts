import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../src/sha256.ts'
import { foldTurns, readLog } from './golden-log.ts'

const FOLDER = join(import.meta.dirname, 'frozen')
const LIST = join(FOLDER, 'digests.json')

/** What a log is, and what it showed at the end of every turn: packets and prompts. */
interface Digests {
  readonly log: string
  readonly packets: string
  readonly prompts: string
}
type List = Readonly<Record<string, Digests>>

const known = (existsSync(LIST) ? JSON.parse(readFileSync(LIST, 'utf8')) : {}) as List
const names = readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? entry.name : [],
)

async function digestsOf(name: string): Promise<Digests> {
  const path = join(FOLDER, name, 'events.jsonl')
  const turns = await foldTurns(readLog(path))
  return {
    log: sha256(readFileSync(path)),
    packets: sha256(turns.map(({ prompt }) => JSON.stringify(prompt.packet)).join('\n')),
    prompts: sha256(turns.map(({ prompt }) => prompt.text).join('\n')),
  }
}

// Adds logs that the list does not have. What it has it never changes: that takes an editor, and a record why.
if (process.env['ADD_FROZEN'] === '1') {
  const added = await Promise.all(
    names.filter((name) => !known[name]).map(async (name) => [name, await digestsOf(name)] as const),
  )
  writeFileSync(LIST, `${JSON.stringify({ ...known, ...Object.fromEntries(added) }, null, 2)}\n`)
}

/**
 * Logs of all kinds and what they showed. Once a version is released its view never changes: a log shows the same for
 * ever, and this list may only grow. When a test here fails, the view was changed: what changed needs a new name.
 */
describe('what was recorded shows the same for ever', () => {
  test('every log is in the list, and every entry has its log', () => {
    expect(Object.keys(known).sort()).toEqual(names.sort())
  })

  test.each(Object.entries(known))('%s', async (name, digests) => {
    expect(await digestsOf(name)).toEqual(digests)
  })

  test('the list of the last release is part of this one', () => {
    const released = lastRelease()
    for (const [name, digests] of Object.entries(released))
      expect({ [name]: known[name] }).toEqual({ [name]: digests })
  })
})

/** Nothing is released where no tag says so. */
function lastRelease(): List {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: FOLDER, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*').trim()
    return JSON.parse(git('show', `${tag}:test/frozen/digests.json`)) as List
  } catch {
    return {}
  }
}
