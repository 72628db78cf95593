import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { constants, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { bytesIn, gunzippedText } from '../../src/inspect/page/unpack.ts'
import { folderWith, twotrack } from '../cli/run.ts'
import { chars } from '../secrets/made.ts'

const exampleOf = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url))
const BOOKSHOP = exampleOf('bookshop.jsonl')
const LONG = fileURLToPath(
  new URL(
    '../../../shared/grounding/trajectories/coding/mini-swe__django__django-13033.jsonl',
    import.meta.url,
  ),
)

/** A folder with one recorded run in it, exported. */
async function exported(text: string) {
  const cwd = folderWith({ 'a.jsonl': text })
  const { code, stderr } = await twotrack(cwd, ['import', 'a.jsonl'])
  expect(code, stderr).toBe(0)
  const done = await twotrack(cwd, ['inspect', 'import-a', '--export', 'a.html', '--json'])
  expect(done, done.stderr).toMatchObject({ code: 0 })
  const page = readFileSync(join(cwd, 'a.html'))
  const log = readFileSync(join(cwd, '.agentfs/traces/import-a.jsonl'))
  return { page, log, json: JSON.parse(done.stdout) as unknown }
}

/** What a page holds, as the page itself reads it. */
async function heldIn(page: Uint8Array): Promise<string> {
  const text = new TextDecoder('windows-1252').decode(page)
  const [, run = ''] = /id="run">([^<]*)</.exec(text) ?? []
  return gunzippedText(bytesIn(run))
}

test.each([
  { what: 'of an example', path: BOOKSHOP },
  ...(existsSync(LONG) ? [{ what: 'of 55 turns', path: LONG }] : []), // needs ../shared
])('an exported run $what takes at most 1.4 times its compressed log and 150 KB', async ({ path }) => {
  const { page, log, json } = await exported(readFileSync(path, 'utf8'))
  const own = zstdCompressSync(log, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }).length
  expect(page.length).toBeLessThan(1.4 * own + 150_000)
  expect(json).toMatchObject({ agent_id: 'import-a', bytes: page.length })
  const [id] = JSON.parse(await heldIn(page)) as [string]
  expect(id).toBe('import-a')
})

test('--redact takes secrets out of all that an exported run holds', async () => {
  const secret = `ghp_${chars(36, 'in an export')}`
  const text = readFileSync(exampleOf('trajectory.jsonl'), 'utf8')
  const word = 'AttributeError'
  expect(text).toContain(word)
  // One of the outputs is no text: it holds a byte that no text has.
  const recorded = text.replaceAll(word, `${word} ${secret}`).replace(secret, `${secret}\\u0000`)
  const cwd = folderWith({ 'a.jsonl': recorded })
  const off = ['--set', 'runner.memory.secrets=off']
  const { code, stderr } = await twotrack(cwd, ['import', 'a.jsonl', ...off])
  expect(code, stderr).toBe(0)
  const holds = async (...args: string[]) => {
    const { stderr: said, code: ended } = await twotrack(cwd, [
      'inspect',
      'import-a',
      '--export',
      'a.html',
      ...args,
    ])
    expect(ended, said).toBe(0)
    return heldIn(readFileSync(join(cwd, 'a.html')))
  }
  expect(await holds()).toContain(secret)
  const redacted = await holds('--redact')
  expect(redacted).toContain('"media":"bytes"')
  expect(redacted).not.toContain(secret)
  expect(redacted).toContain(word)
})
