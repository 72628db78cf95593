import { expect, test } from 'vitest'
import type { Json } from '../../src/event/json.ts'
import { intentOf } from '../../src/summarize/call/intent.ts'
import { edits } from '../../src/summarize/edits.ts'

const path = 'src/a.ts'

test('what is replaced and what by, under the names that tools give them, is an edit', () => {
  for (const args of [
    { path, old_string: 'a', new_string: 'b' },
    { path, old: 'a', new: 'b' },
    { path, before: 'a', after: 'b' },
    { path, original: 'a', updated: 'b' },
    { path, old_content: 'a', new_content: 'b' },
    { path, oldString: 'a', newString: 'b' },
  ] as Json[])
    expect(intentOf(args), JSON.stringify(args)).toEqual({ kind: 'edit', path, before: 'a', after: 'b' })
})

test('text taken out, and text put where none was, is an edit', () => {
  expect(intentOf({ path, old: 'a', new: '' })).toMatchObject({ kind: 'edit', after: '' })
  expect(intentOf({ path, old: '', new: 'b' })).toMatchObject({ kind: 'edit', before: '' })
})

test('one of these names alone, a number or a date leaves a read what it is', () => {
  for (const args of [
    { path, old: 'a' },
    { path, new: 'b' },
    { path, after: 'cursor' },
    { path, before: 3, after: 3 },
    { path, original: true, updated: true },
    { path, after: '2026-01-01', before: '2026-02-01' },
  ] as Json[])
    expect(intentOf(args).kind, JSON.stringify(args)).toBe('read')
})

test('an edit by such names is told as one', () => {
  const args = { path, old: 'const a = 1', new: 'const a = 2\nconst b = 3' }
  const seen = {
    tool: 'edit_file',
    args,
    text: 'ok',
    outcome: 'success',
    turn: 4,
    packet: undefined,
  } as const
  expect(edits.summarize(seen)?.summary).toBe('Edited src/a.ts, 2 lines now')
})
