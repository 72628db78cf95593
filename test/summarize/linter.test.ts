import { expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { linter } from '../../src/summarize/reports/structured.ts'
import { observed } from '../../src/testing/summarizer.ts'

const lint = (output: Json, outcome: 'success' | 'error' = 'success') =>
  linter.summarize(observed({ tool: 'run_linter', text: JSON.stringify(output), output, outcome }))

test('counts findings under every name that tools give them', () => {
  for (const output of [
    { errors: [1, 2, 3] },
    { issues: [1, 2, 3] },
    { diagnostics: [{}, {}, {}] },
    { violations: [1, 2, 3], fixed: 0 },
    { errors: 3 },
    { total: 3 },
    { issues_remaining: 3 },
  ] as Json[]) {
    expect(lint(output), JSON.stringify(output)).toMatchObject({
      outcome: 'partial',
      summary: expect.stringContaining('3'),
      knowledge: { lint_errors_remaining: 3, lint_errors_fixed: 0 },
    })
  }
})

test('issues found are partial, none is success, and a linter that failed stays an error', () => {
  expect(lint({ errors: [1] })?.outcome).toBe('partial')
  expect(lint({ errors: [] })?.outcome).toBe('success')
  expect(lint({ errors: [1] }, 'error')?.outcome).toBe('error')
})

test('says what was fixed and what remains', () => {
  expect(lint({ errors: [1], fixed: 2 })).toMatchObject({
    knowledge: { lint_errors_remaining: 1, lint_errors_fixed: 2 },
  })
  expect(lint({ errors: [], fixed: 4, fixable: 0 })).toMatchObject({
    outcome: 'success',
    knowledge: { lint_errors_remaining: 0, lint_errors_fixed: 4, lint_errors_fixable: 0 },
  })
})

test('what an earlier run could fix is not kept once nothing remains, or once a run does not tell', () => {
  const known = (...outputs: Json[]) =>
    outputs
      .map((output) => lint(output))
      .reduce<Record<string, Json>>((knowledge, summary) => {
        const kept = Object.entries(knowledge).filter(([key]) => !summary?.supersedes?.includes(key))
        return { ...Object.fromEntries(kept), ...summary?.knowledge }
      }, {})
  const first = { errors: [1, 2], fixable: 2 }
  expect(known(first)).toMatchObject({ lint_errors_fixable: 2 })
  expect(known(first, { errors: [], fixed: 2 })).not.toHaveProperty('lint_errors_fixable')
  expect(known(first, { errors: [1] })).not.toHaveProperty('lint_errors_fixable')
  expect(known(first, { errors: [], fixed: 2, fixable: 2 })).toMatchObject({ lint_errors_fixable: 0 })
})

test('open problems replace those known before, each with its place and code', () => {
  const lines = lint({
    issues: [{ path: 'src/a.py', line: 12, code: 'F401', message: 'unused import' }, 'odd', null],
  })?.diagnostics
  expect(lines?.[0]).toBeNull()
  for (const part of ['src/a.py', '12', 'F401', 'unused import']) expect(lines?.[1]).toContain(part)
  expect(lines).toHaveLength(4)
})

test('is silent on what is no linter result', () => {
  for (const output of [null, 0, false, [], 'text', {}, { errors: 'none' }, { fixed: 2 }] as Json[])
    expect(lint(output), JSON.stringify(output)).toBeUndefined()
})
