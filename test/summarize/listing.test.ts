import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { listing } from '../../src/summarize/listing.ts'
import { search } from '../../src/summarize/search.ts'
import { learned } from './learned.ts'

const folder = mkdtempSync(join(tmpdir(), 'twotrack-listing-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'src'))
writeFileSync(join(folder, 'setup.cfg'), '')
writeFileSync(join(folder, 'My notes.txt'), '')

const list = (command: string, text: string) => learned(listing, { args: { command }, text })
const find = (args: Json, text: string) => learned(search, { args, text })

describe('a listing', () => {
  test('the long format of ls names its entries, and the output stays as it is', () => {
    const text = execFileSync('ls', ['-la', folder], { encoding: 'utf8' })
    expect(list('ls -la x', text)).toMatchObject({ said: '3 entries in x: My notes.txt, setup.cfg, src' })
    expect(list('ls -la x', text).output).toBeUndefined()
  })

  test('many paths are an output like any other', () => {
    const paths = Array.from({ length: 400 }, (_, at) => `./src/file${at}.ts`)
    expect(list('find . -name "*.ts"', paths.join('\n'))).toMatchObject({
      said: expect.stringContaining('400 entries in .'),
      lines: paths,
    })
  })

  test('a folder that is not there was not listed', () => {
    const said = "ls: cannot access 'x': No such file or directory"
    expect(list('ls x', said)).toMatchObject({
      outcome: 'error',
      said: expect.stringContaining('was not listed'),
    })
  })
})

describe('a search', () => {
  test('names the files with most hits', () => {
    expect(find({ pattern: 'foo' }, 'src/a.ts:1:foo\nsrc/b.ts:2:foo\nsrc/b.ts:3:foo').said).toBe(
      'Found "foo" in 2 files: src/b.ts, src/a.ts',
    )
    expect(find({ command: 'grep -n foo a.ts' }, '3:foo\n9:  foo').said).toBe('Found "foo" in a.ts: 2 lines')
  })

  test('nothing found is a result, also where the searcher ends with 1', () => {
    for (const text of ['', 'No matches found', 'Exit code 1\n'])
      expect(find({ command: 'grep -rn foo src' }, text)).toMatchObject({
        said: 'Found nothing for "foo" in src',
        outcome: 'success',
      })
  })
})
