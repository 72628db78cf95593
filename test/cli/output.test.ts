import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { shown, table, wrapped } from '../../src/cli/output.ts'

/** As on a terminal of this width. */
function terminal(columns: number): void {
  const before = [process.stdout.isTTY, process.stdout.columns] as const
  Object.assign(process.stdout, { isTTY: true, columns })
  onTestFinished(() => {
    Object.assign(process.stdout, { isTTY: before[0], columns: before[1] })
  })
}

const plain = (text: string) => text.replaceAll(/\u001b\[\d+m/g, '').split('\n')
const HEAD = ['agent', 'node', 'turns', 'summary']
const ROWS = [
  ['lint#1', 'src/inventory/pricing.py:order_total', 4, 'Fixed 9 of 11 lint issues; 2 need a person.'],
  ['lint#2', 'a.py', 12, ''],
]

test('a table that fits is one line a row', () => {
  terminal(120)
  expect(plain(table(HEAD, ROWS))).toEqual([
    'agent   node                                  turns  summary',
    'lint#1  src/inventory/pricing.py:order_total      4  Fixed 9 of 11 lint issues; 2 need a person.',
    'lint#2  a.py                                     12',
  ])
})

test.each([30, 40, 64, 80, 90, 120])(
  'nothing is wider than a terminal of %d columns, and no summary is cut',
  (columns) => {
    terminal(columns)
    const lines = plain(table(HEAD, ROWS))
    expect(lines.filter((line) => [...line].length > columns)).toEqual([])
    expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toContain(ROWS[0]?.[3])
  },
)

test('text is broken at spaces, a word that is too long anywhere, and indents are kept', () => {
  terminal(20)
  expect(wrapped('  one two three four five', 0, 4)).toBe('  one two three four\n    five')
  expect(wrapped(`x ${'y'.repeat(30)} z`, 2).split('\n')).toEqual([
    '  x',
    `  ${'y'.repeat(18)}`,
    `  ${'y'.repeat(12)} z`,
  ])
})

test('a wide character takes two columns', () => {
  terminal(80)
  const [, first, second] = plain(
    table(
      ['name', 'n'],
      [
        ['日本語', 'x'],
        ['abcdef', 'x'],
      ],
    ),
  )
  expect(first).toBe('日本語  x')
  expect(second).toBe('abcdef  x')
})

test('what commands paint reaches the terminal as it is, and no other escape does', () => {
  const cwd = fileURLToPath(new URL('../../src/cli', import.meta.url))
  const text = globSync('**/*.ts', { cwd })
    .map((file) => readFileSync(`${cwd}/${file}`, 'utf8'))
    .join('')
  const styles = new Set([...text.matchAll(/paint\('(\w+)'/g)].map(([, style]) => style))
  expect(styles.size).toBeGreaterThan(5)
  for (const style of styles) {
    const painted = styleText(style as 'bold', 'x', { validateStream: false })
    expect(shown(painted)).toBe(painted)
  }
  expect(shown('\u001b[5mx')).toBe('\\x1b[5mx')
})

test('beside a short last column the others are cut, so that it stays in its row', () => {
  terminal(60)
  const lines = plain(
    table(['agent', 'tokens', 'then', 'balance'], [[`lint-${'x'.repeat(60)}-1`, 3000, 2000, 0]]),
  )
  expect(lines).toHaveLength(2)
  expect(lines[1]).toMatch(/^lint-x+…x+-1 +3,000 +2,000 +0$/)
})
