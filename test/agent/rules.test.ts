import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Rule } from '../../src/agent/agent.ts'
import type { RuleView } from '../../src/agent/rule-view.ts'
import { candidatesOf, statusOf } from '../../src/agent/rules.ts'
import { goalFor } from '../../src/agent/template.ts'
import type { Json } from '../../src/core/event/json.ts'
import { nodePath } from '../../src/nodes/source-path.ts'
import { builtIn } from '../agents/bench.ts'
import { SEED, seeded } from '../core/memory/seeded.ts'

function viewWith(
  knowledge: Record<string, Json>,
  actions: readonly [tool: string, outcome: 'success' | 'error' | 'partial'][] = [],
): RuleView {
  const calls: Record<string, number> = {}
  for (const [tool] of actions) calls[tool] = (calls[tool] ?? 0) + 1
  return {
    turn: 1,
    node: { id: 'src/a.py:f', type: 'function' },
    knowledge,
    actions: actions.map(([tool, outcome], turn) => ({ turn, tool, outcome, summary: '' })),
    calls,
    diagnostics: [],
    last_error: null,
  }
}

const rule = (when: Rule['when'], args: Rule['args'] = {}, reason = 'why'): Rule => ({
  when,
  tool: 't',
  args,
  reason,
})
const proposes = (when: Rule['when'], view: RuleView) => candidatesOf([rule(when)], view).length === 1

describe('a condition', () => {
  test('without parts always holds; every part that is given must', () => {
    expect(proposes(undefined, viewWith({}))).toBe(true)
    expect(proposes({ known: ['a'], unknown: ['b'] }, viewWith({ a: 1 }))).toBe(true)
    expect(proposes({ known: ['a'], unknown: ['b'] }, viewWith({ a: 1, b: 2 }))).toBe(false)
  })

  test('takes falsy knowledge for known', () => {
    for (const value of [0, '', false, null, []])
      expect(proposes({ known: ['a'] }, viewWith({ a: value }))).toBe(true)
  })

  test('compares whole values, whatever the order of keys', () => {
    expect(proposes({ equals: { a: { x: 1, y: [2] } } }, viewWith({ a: { y: [2], x: 1 } }))).toBe(true)
    expect(proposes({ equals: { a: 1 } }, viewWith({ a: '1' }))).toBe(false)
  })

  test('above is for numbers only', () => {
    expect(proposes({ above: { a: 0 } }, viewWith({ a: 1 }))).toBe(true)
    expect(proposes({ above: { a: 0 } }, viewWith({ a: 0 }))).toBe(false)
    expect(proposes({ above: { a: 0 } }, viewWith({ a: '5' }))).toBe(false)
  })

  test('looks at the last action and at how often a tool was called', () => {
    const view = viewWith({}, [
      ['t', 'partial'],
      ['u', 'error'],
    ])
    expect(proposes({ last: { tool: 'u' } }, view)).toBe(true)
    expect(proposes({ last: { tool: 'u', outcome: 'success' } }, view)).toBe(false)
    expect(proposes({ called_below: { t: 2 } }, view)).toBe(true)
    expect(proposes({ called_below: { t: 1 } }, view)).toBe(false)
  })
})

describe('templates', () => {
  const view = viewWith({ issue: { code: 'F401', line: 3 }, before: 7, now: 2, words: 'two words' })

  test('alone, a name stands for the value as it is; in a text, for its words', () => {
    const args = {
      code: '{{issue.code}}',
      line: '{{ issue.line }}',
      all: '{{issue}}',
      text: 'at {{issue.line}}: {{words}}',
    }
    expect(candidatesOf([rule(undefined, args)], view)[0]?.args).toEqual({
      code: 'F401',
      line: 3,
      all: { code: 'F401', line: 3 },
      text: 'at 3: two words',
    })
  })

  test('a difference is a number, never below zero', () => {
    const args = { fixed: '{{before - now}}', none: '{{now - before}}' }
    expect(candidatesOf([rule(undefined, args)], view)[0]?.args).toEqual({ fixed: 5, none: 0 })
  })

  test('the node and its file have names of their own', () => {
    expect(
      candidatesOf([rule(undefined, { of: '{{node_id}}', in: '{{file_path}}' })], view)[0]?.args,
    ).toEqual({
      of: 'src/a.py:f',
      in: 'src/a.py',
    })
  })

  test('a rule that names what is not known proposes nothing', () => {
    expect(candidatesOf([rule(undefined, { a: ['{{gone}}'] })], view)).toEqual([])
    expect(candidatesOf([rule(undefined, { a: '{{issue.constructor}}' })], view)).toEqual([])
    expect(candidatesOf([rule(undefined, {}, 'because of {{gone}}')], view)).toEqual([])
  })

  test('the same call is proposed once', () => {
    expect(
      candidatesOf([rule(undefined, { a: 3 }), rule(undefined, { a: '{{issue.line}}' })], view),
    ).toHaveLength(1)
  })

  test(`any text without templates stays as it is (seed ${SEED})`, () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('{{'))
        expect(candidatesOf([rule(undefined, { text })], view)[0]?.args).toEqual({ text })
      }),
      seeded(200),
    )
  })

  test('a node template is filled once: what it puts in is not read again', async () => {
    const lint = await builtIn('lint')
    const target = {
      file_path: 'a.py',
      language: 'python' as const,
      node: { id: 'a.py', type: 'file', name: 'a.py', text: '{{node_id}}', summary: '' },
    }
    const definition = { ...lint.definition, node_template: '{{node_text}} of {{file_path}}, {{other}}' }
    expect(goalFor(definition, target)).toBe('{{node_id}} of a.py, {{other}}')
  })
})

test.each([
  ['src/a.py', 'src/a.py'],
  ['src/a.py:Stock.put', 'src/a.py'],
  ['odd:name/a.ts:x', 'odd:name/a.ts'],
  ['a.tsx:App', 'a.tsx'],
  ['no source', 'no source'],
])('the file of %s is %s', (id, path) => {
  expect(nodePath(id)).toBe(path)
})

test('the first status rule that holds and whose names are known says where the work stands', () => {
  const rules = [
    { when: { known: ['left'] }, text: '{{left}} of {{all}} left', set: { progress: { left: '{{left}}' } } },
    { when: { known: ['left'] }, text: '{{left}} left' },
    { text: 'begun' },
  ]
  expect(statusOf(rules, viewWith({}))).toEqual({ set_state_summary: 'begun' })
  expect(statusOf(rules, viewWith({ left: 2 }))).toEqual({ set_state_summary: '2 left' })
  expect(statusOf(rules, viewWith({ left: 2, all: 5 }))).toEqual({
    set_state_summary: '2 of 5 left',
    set_extension: { progress: { left: 2 } },
  })
  expect(statusOf([], viewWith({}))).toEqual({})
})
