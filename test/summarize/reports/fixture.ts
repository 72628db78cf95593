import { readFileSync } from 'node:fs'

/** An output written for these tests, as its tool writes it. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/reports/${name}`, import.meta.url), 'utf8')
}
