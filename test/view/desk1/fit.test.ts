import { describe, expect, test } from 'vitest'
import { FILE, fitLines, textOf, WORDS } from '../../../src/view/desk1/fit.ts'

/** One token a word. */
const count = (text: string) => text.split(/\s+/).filter(Boolean).length
const lines = (n: number) => Array.from({ length: n }, (_, at) => `line ${at + 1}`)
const none = () => 0

describe('a text is cut to a budget', () => {
  test('one that fits stays as it is, indentation and blank lines too', () => {
    const text = ['def f():', '', '    return 1']
    expect(textOf(fitLines(text, 50, count, [], none))).toBe(text.join('\n'))
  })

  test('an output keeps its end, a request its beginning, and the gap is told', () => {
    const output = textOf(fitLines(lines(200), 60, count, [], none))
    expect(output).toMatch(/^⋮ \d+ lines\n/)
    expect(output).toContain('line 199\nline 200')
    const request = textOf(fitLines(lines(200), 60, count, [], none, WORDS))
    expect(request).toMatch(/^line 1\nline 2\n/)
  })

  test('what must stay stays, with the lines around it', () => {
    const output = textOf(fitLines(lines(400), 60, count, [200], none, FILE))
    expect(output).toContain('line 200\nline 201\nline 202')
  })

  test('lines that speak of the work at hand are chosen before others', () => {
    const interest = (line: string) => (line === 'line 77' ? 60 : 0)
    expect(textOf(fitLines(lines(400), 40, count, [], interest, FILE))).toContain('line 77')
  })

  test('a very long line is shown in part, and says so', () => {
    const long = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')
    const shown = textOf(fitLines([long], 120, count, [], none))
    expect(shown.length).toBeLessThan(long.length / 3)
    expect(shown).toContain('…')
    expect(shown).toContain('word899')
  })

  test('never more than the budget and its marks', () => {
    for (const budget of [10, 30, 100, 333]) {
      const { pieces, runs } = fitLines(lines(500), budget, count, [3, 250], none)
      const cost = runs
        .flatMap(({ from, to }) => pieces.slice(from, to))
        .reduce((sum, line) => sum + count(line) + 1, 0)
      expect(cost).toBeLessThanOrEqual(budget)
    }
  })
})
