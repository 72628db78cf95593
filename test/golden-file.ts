import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'

/** Compares with a committed file; `npm run golden:update` writes it anew instead. */
export function expectFile(url: URL, text: string): void {
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(dirname(url.pathname), { recursive: true })
    writeFileSync(url, text)
  }
  expect(readFileSync(url, 'utf8'), `${url.pathname} is out of date: npm run golden:update`).toBe(text)
}
