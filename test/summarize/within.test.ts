import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/event/json.ts'
import { SUMMARIZE_CHARS_MAX, SUMMARIZE_LINES_MAX } from '../../src/limits.ts'
import { fileRead } from '../../src/summarize/files.ts'
import { genericSummarizer } from '../../src/summarize/generic.ts'
import { reported } from '../../src/summarize/reports/reported.ts'
import { lookAt, within } from '../../src/summarize/within.ts'
import { observed } from '../../src/testing/summarizer.ts'

const seen = (text: string, args: Json) => observed({ tool: 'shell', args, text })
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `row ${at + 1}`).join('\n')

describe('what is looked at of an output', () => {
  test('an ordinary one is looked at whole', () => {
    const text = 'one\n\ntwo\r\n'
    expect(within(text)).toBe(text)
    expect(lookAt(text)).toMatchObject({ lines: ['one', '', 'two', ''], filled: 2, aside: '' })
  })

  test('of very many lines both ends, with the lines they are and the number of all', () => {
    const { lines, lineOf, filled, aside } = lookAt(numbered(100_000))
    expect(lines.length).toBeLessThanOrEqual(SUMMARIZE_LINES_MAX + 2)
    expect(filled).toBe(100_000)
    expect(aside).not.toBe('')
    const off = lines.filter((line, at) => line !== '' && line !== `row ${lineOf(at) + 1}`)
    expect(off).toEqual([])
    expect([lines[0], lines.at(-1)]).toEqual(['row 1', 'row 100000'])
  })

  test('of very many characters both ends', () => {
    const text = `${'long '.repeat(SUMMARIZE_CHARS_MAX / 4)}\nlast`
    const { lines, filled } = lookAt(text)
    expect(filled).toBe(2)
    expect(lines.at(-1)).toBe('last')
    expect(within(text).length).toBeLessThan(SUMMARIZE_CHARS_MAX + 10)
  })

  test('redrawn lines count as lines for those who read each state', () => {
    expect(within('\r'.repeat(1_000_000)).length).toBeLessThan(200_000)
  })
})

describe('a summary of very many lines', () => {
  test('tells how many there are', () => {
    const read = fileRead.summarize(seen(numbered(250_000), { path: 'a.txt' }))
    expect(read?.summary).toBe('Read a.txt lines 1-250000')
    const any = genericSummarizer.summarize(seen(numbered(250_000), { command: 'make' }))
    expect(any?.summary).toBe('$ make: 250,000 lines, the last "row 250000"')
  })

  test('says of a million empty lines that there is nothing', () => {
    const text = '\n'.repeat(1_000_000)
    expect(fileRead.summarize(seen(text, { path: 'a.txt' }))?.summary).toBe('a.txt is empty')
    expect(genericSummarizer.summarize(seen(text, { command: 'make' }))?.summary).toBe('$ make: no output')
  })

  test('counts every line of a long report', () => {
    const lines = Array.from({ length: 50_000 }, (_, at) => `src/a.py:${at}:1: F401 unused import\n`)
    const report = reported.summarize(seen(lines.join(''), { command: 'flake8' }))
    expect(report?.knowledge).toMatchObject({ flake8_diagnostics: 50_000 })
    expect(report?.summary).toContain('flake8 found 50,000 problems')
  })

  test('says when a report was counted at both ends only', () => {
    const text = `TAP version 13\n${'ok 1\n'.repeat(100_000)}1..100000\n`
    const report = reported.summarize(seen(text, { command: 'tap' }))
    expect(report?.summary).toContain('at both ends of a very long output')
  })
})
