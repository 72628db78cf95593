import { describe, expect, test } from 'vitest'
import { FILE, fitter, textOf, WORDS } from '../../../../src/core/view/desk1/fit.ts'

/** One token a word. */
const count = (text: string) => text.split(/\s+/).filter(Boolean).length
const lines = (n: number) => Array.from({ length: n }, (_, at) => `line ${at + 1}`)
const none = () => 0

describe('a text is cut to a budget', () => {
  test('one that fits stays as it is, indentation and blank lines too', () => {
    const text = ['def f():', '', '    return 1']
    expect(textOf(fitter(text, count, [], none)(50))).toBe(text.join('\n'))
  })

  test('an output keeps its end, a request its beginning, and the gap is told', () => {
    const output = textOf(fitter(lines(200), count, [], none)(60))
    expect(output).toMatch(/^⋮ \d+ lines\n/)
    expect(output).toContain('line 199\nline 200')
    const request = textOf(fitter(lines(200), count, [], none, WORDS)(60))
    expect(request).toMatch(/^line 1\nline 2\n/)
  })

  test('what must stay stays, with the lines around it', () => {
    const output = textOf(fitter(lines(400), count, [200], none, FILE)(60))
    expect(output).toContain('line 200\nline 201\nline 202')
  })

  test('lines that speak of the work at hand are chosen before others', () => {
    const interest = (line: string) => (line === 'line 77' ? 60 : 0)
    expect(textOf(fitter(lines(400), count, [], interest, FILE)(40))).toContain('line 77')
  })

  test('a very long line is shown in part, and says so', () => {
    const long = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')
    const shown = textOf(fitter([long], count, [], none)(120))
    expect(shown.length).toBeLessThan(long.length / 3)
    expect(shown).toContain('…')
    expect(shown).toContain('word899')
  })

  test('a row of numbers goes before words do, and a short line is no gap', () => {
    const numbers = Array.from({ length: 60 }, (_, at) => `${at} 7 8 9 10 11 12 13`)
    const shown = textOf(fitter([...lines(20), ...numbers.slice(0, 20), 'it failed'], count, [], none)(40))
    expect(shown).toContain('line 19\nline 20\n⋮ 20 lines\nit failed')
    const code = ['if (a) {', 'one', '}', 'two', ...lines(90)]
    const interest = (line: string) => (/one|two/.test(line) ? 60 : 0)
    expect(textOf(fitter(code, count, [], interest, FILE)(30))).toContain('one\n}\ntwo')
  })

  test('never more than the budget and its marks', () => {
    for (const budget of [10, 30, 100, 333]) {
      const { pieces, runs } = fitter(lines(500), count, [3, 250], none)(budget)
      const cost = runs
        .flatMap(({ from, to }) => pieces.slice(from, to))
        .reduce((sum, line) => sum + count(line) + 1, 0)
      expect(cost).toBeLessThanOrEqual(budget)
    }
  })

  test('nor where what must stay is scattered', () => {
    const long = lines(300).map((line) => `${line} and twelve more words that make of it a rather long line`)
    const scattered = Array.from({ length: 25 }, (_, at) => at * 3)
    const { pieces, runs } = fitter(long, count, scattered, none)(400)
    const cost = runs
      .flatMap(({ from, to }) => pieces.slice(from, to))
      .reduce((sum, line) => sum + count(line) + 1, 0)
    expect(cost).toBeLessThanOrEqual(400)
  })
})
