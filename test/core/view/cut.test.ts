import { describe, expect, test } from 'vitest'
import { cutter, FILE, joinRuns, type Kind, OUTPUT, WORDS } from '../../../src/core/view/cut.ts'

/** A token a word, and one for the line. */
const cost = (text: string) => text.split(/\s+/).filter(Boolean).length + 1
const lines = (n: number) => Array.from({ length: n }, (_, at) => `line ${at + 1}`)
const none = () => 0

interface Marks {
  readonly highlights?: readonly number[]
  readonly interest?: (line: string) => number
  readonly kind?: Kind
}

const cut = (text: readonly string[], tokens: number, marks: Marks = {}) => {
  const { kind = OUTPUT, highlights = [], interest = none } = marks
  return joinRuns(cutter({ lines: text, kind, highlights }, cost, interest)(tokens), text.length)
}
/** Of what is shown, without the marks of gaps. */
const costOf = (shown: string) =>
  shown
    .split('\n')
    .filter((line) => !line.startsWith('⋮'))
    .reduce((sum, line) => sum + cost(line), 0)

describe('a text is cut to a budget', () => {
  test('one that fits stays as it is, indentation and blank lines too', () => {
    const text = ['def f():', '', '    return 1']
    expect(cut(text, 50)).toBe(text.join('\n'))
  })

  test('an output keeps its end, a request its beginning, and the gap is told', () => {
    const output = cut(lines(200), 60)
    expect(output).toMatch(/^⋮ \d+ lines\n/)
    expect(output).toContain('line 199\nline 200')
    const request = cut(lines(200), 60, { kind: WORDS })
    expect(request).toMatch(/^line 1\nline 2\n/)
  })

  test('what must stay stays, with the lines around it', () => {
    const output = cut(lines(400), 60, { highlights: [200], kind: FILE })
    expect(output).toContain('line 200\nline 201\nline 202')
  })

  test('lines that speak of the work at hand are chosen before others', () => {
    const interest = (line: string) => (line === 'line 77' ? 60 : 0)
    expect(cut(lines(400), 40, { interest, kind: FILE })).toContain('line 77')
  })

  test('a very long line is shown in part, and says so', () => {
    const long = Array.from({ length: 900 }, (_, at) => `word${at}`).join(' ')
    const shown = cut([long], 120)
    expect(shown.length).toBeLessThan(long.length / 3)
    expect(shown).toContain('…')
    expect(shown).toContain('word899')
  })

  test('a blank line beside a gap is not shown, and a text of which nothing else is left neither', () => {
    const prose = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? `sentence ${at} of it` : ''))
    const interest = (line: string) => (line.startsWith('sentence 30 ') ? 60 : 0)
    const shown = cut(prose, 60, { interest, kind: FILE })
    expect(shown).not.toMatch(/⋮[^\n]*\n\n|\n\n⋮/)
    const long = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 'word '.repeat(40) : ''))
    expect(cut(long, 20)).toBe('⋮ 60 lines')
  })

  test('a short line is no gap', () => {
    const code = ['if (a) {', 'one', '}', 'two', ...lines(90)]
    const interest = (line: string) => (/one|two/.test(line) ? 60 : 0)
    expect(cut(code, 30, { interest, kind: FILE })).toContain('one\n}\ntwo')
  })

  test('never more than the budget and its marks', () => {
    for (const budget of [10, 30, 100, 333])
      expect(costOf(cut(lines(500), budget, { highlights: [3, 250] }))).toBeLessThanOrEqual(budget)
  })

  test('nor where what must stay is scattered', () => {
    const long = lines(300).map((line) => `${line} and twelve more words that make of it a rather long line`)
    const highlights = Array.from({ length: 25 }, (_, at) => at * 3)
    expect(costOf(cut(long, 400, { highlights }))).toBeLessThanOrEqual(400)
  })
})
