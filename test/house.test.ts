import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importsWithin } from './tidy/imports.ts'
import { definedTwice, writtenThrice } from './tidy/names.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const tree = new Map(
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .map((file) => [file, textOf(file)] as const),
)

describe('names', () => {
  test('no private function is written a third time', () => {
    expect(writtenThrice(tree)).toEqual([])
    const same = 'const textOf = (value: Json): string => (isText(value) ? value : canonical(value))\n'
    const thrice = new Map(['a.ts', 'b.ts', 'c.ts'].map((file) => [file, same]))
    expect(writtenThrice(thrice)).toEqual(['textOf: a.ts, b.ts, c.ts'])
  })

  test('no exported name means two things', () => {
    expect(definedTwice(tree)).toEqual([])
  })
})

test.each(['CONTRIBUTING.md', 'docs/architecture.md'])('%s names files that are there', (page) => {
  const named = [...textOf(page).matchAll(/`(src\/[\w./-]+\.tsx?)`/g)].map(([, file = '']) => file)
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((file) => !tree.has(file))).toEqual([])
})

describe('the walks of docs/architecture.md', () => {
  const imports = new Set(importsWithin(tree).map(([from, to]) => `${from} ${to}`))
  const page = textOf('docs/architecture.md')

  test.each(['A result of pytest', '`twotrack run lint`'])(
    '%s: each file is there once, and knows one before it',
    (title) => {
      const walk = page.slice(page.indexOf(`### ${title}`)).split('\n##')[0] ?? ''
      const steps = [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file)
      expect(steps.length).toBeGreaterThan(15)
      expect(new Set(steps).size).toBe(steps.length)
      expect(steps.filter((file) => !tree.has(file))).toEqual([])
      const lost = steps.slice(1).filter((file, at) => {
        const before = steps.slice(0, at + 1)
        return !before.some((other) => imports.has(`${other} ${file}`) || imports.has(`${file} ${other}`))
      })
      // A person comes between a proposal and its acceptance.
      expect(lost.filter((file) => file !== 'src/cli/commands/accept.ts')).toEqual([])
    },
  )
})
