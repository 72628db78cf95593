import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { fileRead } from '../../src/summarize/files.ts'
import { genericSummarizer } from '../../src/summarize/generic.ts'
import { reported } from '../../src/summarize/reports/reported.ts'
import { SUMMARIZE_CHARS_MAX, within } from '../../src/summarize/within.ts'
import { observed } from '../../src/testing/summarizer.ts'

const seen = (text: string, args: Json) => observed({ tool: 'shell', args, text })
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `row ${at + 1}`).join('\n')

describe('what is looked at of an output', () => {
  test('an ordinary one is looked at whole', () => {
    const text = 'one\n\ntwo\n'
    expect(within(text)).toBe(text)
  })

  test('of very many tiny lines and of very many characters both ends', () => {
    const many = within(numbered(1_000_000))
    expect(many.length).toBeLessThan(4_000_000)
    expect(many.startsWith('row 1\nrow 2\n')).toBe(true)
    expect(many.endsWith('\nrow 1000000')).toBe(true)
    const long = within(`${'long '.repeat(SUMMARIZE_CHARS_MAX / 4)}\nlast`)
    expect(long.length).toBeLessThan(SUMMARIZE_CHARS_MAX + 10)
    expect(long.endsWith('\nlast')).toBe(true)
  })
})

describe('a summary of very many lines', () => {
  test('tells how many there are', () => {
    const read = fileRead.summarize(seen(numbered(250_000), { path: 'a.txt' }))
    expect(read?.summary).toBe('Read a.txt: 250,000 lines')
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
    expect(report?.knowledge).toMatchObject({ linter_diagnostics: 50_000 })
    expect(report?.summary).toContain('50,000 problems')
  })

  test('says when a report was counted at both ends only', () => {
    const text = `TAP version 13\n${'ok 1\n'.repeat(100_000)}1..100000\n`
    const report = reported.summarize(seen(text, { command: 'tap' }))
    expect(report?.summary).toContain('at both ends of a very long output')
  })
})
