import { expect, test } from 'vitest'
import { withoutEscapes } from '../../src/text/escapes.ts'

test('colours, titles, links and character sets are taken out', () => {
  expect(withoutEscapes('\x1b[1;31mred\x1b[0m \x1b(Bplain\x1b[K')).toBe('red plain')
  expect(withoutEscapes('\x1b]0;title\x07a \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\')).toBe('a link')
  expect(withoutEscapes('\x1bPdevice\x1b\\b \x1b=c')).toBe('b c')
})

test('an unfinished escape ends with its line', () => {
  expect(withoutEscapes('a\x1b[\nb\x1b]0;title\nc\x1b\nd\x1b')).toBe('a\nb\nc\nd')
})
