import { expect, onTestFinished, test } from 'vitest'
import { table, wrapped } from '../../src/cli/output.ts'

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
