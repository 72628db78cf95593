import { describe, expect, test } from 'vitest'
import { isNotes } from '../../src/packet/notes.ts'
import { json } from '../../src/summarize/json/json.ts'
import { type SeenCall, testSummarizer } from '../../src/testing/summarizer.ts'

const learn = (text: string, call: SeenCall = {}) => {
  const summary = testSummarizer(json, { text, ...call })
  const [value] = Object.values(summary?.knowledge ?? {})
  const lines = isNotes(value) ? value.lines.map(([, line]) => line) : []
  return { said: summary?.summary, shown: lines.join('\n') }
}

test('hostile JSON ends in a bounded summary', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const wide = JSON.stringify(
    Array.from({ length: 500 }, (_, at) => ({ [`k${at}`]: 'v'.repeat(200), id: at })),
  )
  const fields = JSON.stringify(
    Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field_${at}`, at])),
  )
  const key = JSON.stringify({
    [`k${'x'.repeat(300_000)}`]: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [at, 'v'])),
  })
  for (const text of [
    deep,
    wide,
    fields,
    key,
    JSON.stringify('s'.repeat(2_000_000)),
    JSON.stringify([{ a: 's'.repeat(2_000_000) }]),
  ]) {
    const summary = testSummarizer(json, { text })
    expect(JSON.stringify(summary ?? {}).length).toBeLessThan(60_000)
  }
})

describe('JSON of very many values', () => {
  const many = Array.from({ length: 30_000 }, (_, at) => ({ order_id: `A-${at}`, total: at }))

  test('is read from its head, and the summary says so', () => {
    const { said, shown } = learn(JSON.stringify({ data: { orders: many } }))
    expect(said).toContain('(only the head looked at)')
    expect(shown).toContain('A-0')
    expect(learn(JSON.stringify(many)).said).toMatch(
      /^\d\d,\d{3} orders, each with order_id, total \(only the head looked at\) from tool$/,
    )
  })

  test('one value a line too', () => {
    const text = many.map((order) => JSON.stringify(order)).join('\n')
    expect(learn(text).said).toBe(
      '10,000 orders, each with order_id, total (only the head looked at) from tool',
    )
  })

  test('a long text among few values does not make them many', () => {
    const { said } = learn(JSON.stringify({ id: 'A-7', body: 'x, [y] '.repeat(200_000) }))
    expect(said).toBe('id A-7 and 1 more field from tool')
  })

  test('an object of very many fields, also inside another, is read from its first', () => {
    const fields = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`field_${at}`, at]))
    const { said, shown } = learn('', { output: { data: fields } })
    expect(said).toContain('(only the head looked at)')
    expect(shown).toContain('field_700: 700')
    expect(shown).not.toMatch(/field_[2-4]\d{3}/)
  })
})

test('what only begins as JSON is none', () => {
  for (const text of ['[1, 2] and more', '{"a": "b', '[1, {"b": 2]', '{"a": 1} {"b": 2}', '["\\"]'])
    expect(learn(text).said).toBeUndefined()
})
