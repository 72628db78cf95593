import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listing } from '../../src/summarize/listing.ts'
import { learned } from './learned.ts'

const folder = mkdtempSync(join(tmpdir(), 'twotrack-listing-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'src'))
writeFileSync(join(folder, 'setup.cfg'), '')
writeFileSync(join(folder, 'My notes.txt'), '')

const namesOf = (command: string, text: string) => learned(listing, { args: { command }, text }).names

test('the long format of ls gives the names alone', () => {
  const text = execFileSync('ls', ['-la', folder], { encoding: 'utf8' })
  expect(namesOf('ls -la', text)).toEqual(['My notes.txt', 'setup.cfg', 'src'])
})

test('the branches of a tree are left out', () => {
  const text = '.\n├── setup.cfg\n└── src\n    └── a.ts\n'
  expect(namesOf('tree', text)).toEqual(['setup.cfg', 'src', 'a.ts'])
})
