import { expect, test } from 'vitest'
import type { Draft } from '../../../src/core/event/event.ts'
import { given } from '../../../src/testing/given.ts'
import { call, person, promptOf, result } from './drafts.ts'

const failed = (command: string, how: string, output = ''): Draft[] => {
  const called = call('bash', { command })
  const summary = `$ ${command}: ${how}`
  const shown = result(summary, output)
  const [action] = shown.delta?.add_action ?? []
  const delta = {
    add_failed_attempt: [summary],
    ...(action ? { add_action: [{ ...action, outcome: 'error' as const }] } : {}),
  }
  return [called, { ...shown, delta } as Draft]
}

/** The lines below a heading. */
const sectionOf = (text: string, title: string): string[] =>
  text
    .split(`\n${title}\n`)[1]
    ?.split(/\n(?=[A-Z])/)[0]
    ?.split('\n') ?? []

test('a failure is told once where only what trims its output differs, with its reason', () => {
  const error = '"ImportError: no cart"'
  const steps = [
    failed('pytest tests 2>&1 | tail -30', `failed, ${error}`),
    failed('pytest tests | head', `failed, ${error}`),
    failed('pytest tests', `failed with exit code 2, ${error}`),
    failed('pytest tests/unit | tail -5', `failed, ${error}`),
    failed('pytest tests | tail', 'failed, "ImportError: no shop"'),
  ].flat()
  const told = (drafts: readonly Draft[]) => sectionOf(promptOf(drafts), 'FAILED BEFORE')
  expect(told(steps)).toEqual([
    `- $ pytest tests: failed with exit code 2, ${error} (#7)`,
    `- $ pytest tests/unit | tail -5: failed, ${error} (#9)`,
    '- $ pytest tests | tail: failed, "ImportError: no shop" (#11)',
  ])
  const explained: Draft = {
    ...person('Go on.'),
    delta: { explain_attempts: [{ ref: 3, why: 'the cart has moved' }] },
  } as Draft
  expect(told([...steps, explained]).join('\n')).toMatch(/tail -30.*because: the cart has moved/)
})

test('what a failed call said is told where its output shows it, and in its line where it does not', () => {
  const long = Array.from({ length: 30 }, (_, at) => `row ${at} of a long output`).join('\n')
  const message = 'error: no rule to make "cart"'
  const quote = `failed with exit code 2, "${message.replaceAll('"', "'")}"`
  const text = promptOf(failed('make cart', quote, `${message}\n`))
  expect(sectionOf(text, 'STEPS').join('\n')).toBe(
    `- #3 bash make cart\n  → FAILED: failed with exit code 2\n\`\`\`\`\n${message}\n\n\`\`\`\``,
  )
  expect(promptOf(failed('make cart', quote, long))).toContain(`→ FAILED: ${quote}\n`)
  expect(promptOf(failed('make cart', quote))).toContain(`bash make cart → FAILED: ${quote}`)
  // What is quoted may be cut in its middle and at its end.
  const cut = promptOf(failed('make cart', 'failed, "error: no … make…"', message))
  expect(cut).toContain('  → FAILED\n')
})

test('all lines of what is in focus stand at one margin', () => {
  const steps: Draft = {
    ...person('Go on.'),
    delta: { set_focus: { place: 'a.ts:1', text: 'one\n  two\nthree' } },
  } as Draft
  expect(sectionOf(promptOf([steps]), 'IN FOCUS')).toEqual(['- a.ts:1', '  one', '    two', '  three'])
})

test('of the own node the hub tells what its summary does not say', () => {
  const known = { signature: 'def take(n)', docstring: 'Takes n.', callers: ['use.py:use'], tests: [] }
  const packetOf = (own: object) =>
    given([], { node: { id: 'stock.py:take', type: 'function' } }).when({
      type: 'hub_update',
      data: { nodes: ['stock.py:take'], source: 'test' },
      delta: {
        set_node_summary: 'def take(n): Takes n. Called by use.py:use. Tested by nothing known.',
        set_hub_context: { freshness: 'now', context: { 'stock.py:take': own, 'use.py:use': known } },
      },
    } as Draft).packet
  expect(packetOf(known).hub_context).toEqual({ 'use.py:use': known })
  expect(packetOf({ ...known, stale: true, note: 'Slow.' }).hub_context).toEqual({
    'stock.py:take': { stale: true, note: 'Slow.' },
    'use.py:use': known,
  })
})

test('the folder that most paths are in is told once; in calls, outputs and other paths it stays', () => {
  const top = '/srv/ann/code/shop/'
  const write = (path: string): Draft[] => [
    call('write', { path: `${top}${path}`, text: 'x = 1' }),
    result(`Wrote ${top}${path}`, '', [{ kind: 'write', path: `${top}${path}`, text: 'x = 1' }]),
  ]
  const look = [call('look', {}), result(`Looked at /mnt${top}a.py and /srv/ann/notes`, `${top}out.txt`)]
  const steps = [write('src/cart.py'), write('src/stock.py'), write('tests/test_cart.py'), look].flat()
  const text = promptOf(steps)
  expect(text).toContain(`, turn 0\n  (paths below ${top})\n`)
  expect(sectionOf(text, 'CHANGED SO FAR')).toContain('- tests/test_cart.py: +1')
  expect(text).toContain(`bash path: ${top}src/cart.py`)
  expect(text).toContain(`Looked at /mnt${top}a.py and /srv/ann/notes`)
  expect(text).toContain(`\n${top}out.txt\n`)
  // One path alone says where it is.
  expect(promptOf(write('src/cart.py'))).not.toContain('paths below')
  const { packet } = given(steps.slice(0, -1)).when(steps.at(-1) as Draft)
  expect(packet.changed.map(({ path }) => path)).toContain(`${top}src/cart.py`)
})

test('an output that a newer step gave too stands there, and at both where there is space', () => {
  const lines = (what: string) =>
    Array.from({ length: 40 }, (_, at) => `${what} ${at}: the tool says so`).join('\n')
  const step = (what: string) => [call('page_down', { a: what }), result(what, lines(what))]
  const steps = ['other', 'same', 'same', 'same'].flatMap(step)
  const text = promptOf(steps, { packetSizeLimit: 900 })
  expect(text.match(/same 20: the tool/g)).toHaveLength(1)
  expect(text).toContain('other 20: the tool')
  expect(promptOf(steps, { packetSizeLimit: 8_000 }).match(/same 20: the tool/g)).toHaveLength(3)
})

test('an argument that is the same in every call of a tool is told once', () => {
  const steps = Array.from({ length: 6 }, (_, at) => [
    call('bash', { pattern: `name_${at}`, replace_all: 'no' }),
    result(`Searched name_${at}`, `a.ts:${at}`),
  ]).flat()
  const text = promptOf(steps)
  expect(text.match(/replace_all/g)).toHaveLength(1)
  expect(text).toContain('- replace_all: no (in each call of bash)')
  expect(text).toContain('bash name_5')
  // One other value, and it is told with each.
  expect(promptOf([...steps, call('bash', { pattern: 'x', replace_all: 'yes' })])).not.toContain(
    'in each call',
  )
})

test('problems that differ in numbers alone are one line, and so are such failures', () => {
  const found: Draft = {
    ...person('Go on.'),
    delta: {
      add_diagnostics: ['a.md:1 MD013 line too long', 'a.md:7 MD013 line too long', 'a.md:9 MD047 no end'],
      add_failed_attempt: ['$ make: failed, "3 errors"', '$ make: failed, "2 errors"'],
    },
  } as Draft
  const text = promptOf([found])
  expect(sectionOf(text, 'OPEN PROBLEMS')).toEqual([
    '- a.md:7 MD013 line too long (and 1 more like it)',
    '- a.md:9 MD047 no end',
  ])
  expect(sectionOf(text, 'FAILED BEFORE')).toEqual(['- $ make: failed, "2 errors" (#2)'])
})

test('a number in a name tells problems and failures apart', () => {
  const add_diagnostics = ['a_1.py:3 E501 too long', 'a_2.py:3 E501 too long', 'a_2.py:3 E502 too long']
  const add_failed_attempt = ['$ pytest test_1.py: failed', '$ pytest test_2.py: failed']
  const text = promptOf([{ ...person('Go on.'), delta: { add_diagnostics, add_failed_attempt } } as Draft])
  expect(sectionOf(text, 'OPEN PROBLEMS')).toEqual(add_diagnostics.map((line) => `- ${line}`))
  expect(sectionOf(text, 'FAILED BEFORE')).toEqual(add_failed_attempt.map((line) => `- ${line} (#2)`))
})
