import { expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { crash } from '../../src/summarize/crash.ts'
import { observed, type SeenCall } from '../../src/testing/summarizer.ts'

const ran = (text: string, more: SeenCall = {}) =>
  observed({ tool: 'bash', args: { command: 'cd /srv && python3 report.py --month 5' }, text, ...more })

const PYTHON = `loading 12 rows
Traceback (most recent call last):
  File "report.py", line 40, in <module>
    main()
  File "/srv/shop/totals.py", line 17, in month_total
    return rows[month]
KeyError: 5
`

test('a Python trace: the error and the innermost frame come first, and become an open problem', () => {
  const summary = crash.summarize(ran(PYTHON))
  expect(summary?.summary).toMatch(/: KeyError: 5 at \/srv\/shop\/totals\.py:17 \(month_total\)$/)
  expect(summary?.outcome).toBe('partial')
  expect(summary?.diagnostics).toEqual([null, 'KeyError: 5 at /srv/shop/totals.py:17 (month_total)'])
})

test('what the tool itself called an error stays one', () => {
  expect(crash.summarize(ran(PYTHON, { outcome: 'error' }))?.outcome).toBe('error')
})

test('output without a trace is left to the others', () => {
  expect(crash.summarize(ran('12 rows, no error\n'))).toBeUndefined()
})

test('a page that shows a trace is no crash', () => {
  const shown = `<!doctype html><html><title>How to read a traceback</title><pre>${PYTHON}</pre></html>`
  const opened = (text: string, args: Json) => crash.summarize(ran(text, { args }))
  expect(opened(shown, {})).toBeUndefined()
  expect(opened(shown, { command: 'curl https://example.org/a' })).toBeUndefined()
  expect(opened(`# How to read a traceback\n\n${PYTHON}`, { url: 'https://example.org/a' })).toBeUndefined()
  expect(opened(`Address: https://example.org/a\nTitle: Traces\n====\n${PYTHON}`, {})).toBeUndefined()
})

test('a tool that fails to open a page crashed, and so did a test that prints markup', () => {
  const failed = ran(PYTHON, { outcome: 'error', args: { url: 'https://example.org/a' } })
  expect(crash.summarize(failed)?.outcome).toBe('error')
  expect(crash.summarize(ran(`<div>\n<p>a</p>\n<ul><li>b</li></ul>\n</div>\n${PYTHON}`))).toBeDefined()
})
