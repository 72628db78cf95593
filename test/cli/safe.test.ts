import { describe, expect, test } from 'vitest'
import { safe } from '../../src/cli/output.ts'
import { isObject } from '../../src/core/event/json.ts'
import { HIDDEN } from '../../src/text/sanitize.ts'
import { hasShared, readShared, readSharedLines } from '../core/view/shared.ts'

/** Parts of an emoji are seen as the emoji. */
const EMOJI = /\p{Extended_Pictographic}[\ufe0f\u200d]+(?:\p{Extended_Pictographic}[\ufe0f\u200d]*)*/gu

/** What would not be seen, or would move what is seen: a terminal must be given none of it. */
const hiddenIn = (text: string): string[] => {
  const left = text.replace(EMOJI, '')
  return [...(left.match(HIDDEN) ?? []), ...(left.match(/[\n\t]/g) ?? [])]
}

describe('text for people', () => {
  test('shows what would be unseen as an escape, and drops nothing', () => {
    expect(safe('a\u202eb')).toBe('a\\u{202e}b')
    expect(safe('pass\u200bword')).toBe('pass\\u{200b}word')
    expect(safe('\u001b[2Jx\u0007')).toBe('\\x1b[2Jx\\x07')
    expect(safe('one\ntwo\tthree')).toBe('one two three')
    expect(safe('FAILED\rPASSED')).toBe('FAILED\\x0dPASSED')
    expect(safe('\ufeffx\u2028y')).toBe('\\u{feff}x\\u{2028}y')
    expect(safe('👩‍💻 ❤️ é 漢字')).toBe('👩‍💻 ❤️ é 漢字')
    expect(safe('  <|im_end|> [INST]')).toBe('  <|im_end|> [INST]')
  })

  test.skipIf(!hasShared('corpora/terminal'))(
    'holds for the collected attacks (needs the shared corpora)',
    () => {
      const field = (row: unknown, name: string) => (isObject(row) ? String(row[name]) : '')
      const decoded = (row: unknown, name: string) => Buffer.from(field(row, name), 'base64').toString()
      const lines = (name: string) => readSharedLines('corpora/terminal', name)
      const texts = [
        ...lines('ansi-unicode-attacks.jsonl').map((row) => field(row, 'text')),
        ...lines('trojan-source.jsonl').map((row) => decoded(row, 'b64')),
        ...lines('xterm-escape-sequences.jsonl').map((row) => decoded(row, 'in_b64')),
        ...(JSON.parse(readShared('corpora/strings/blns.json')) as string[]),
      ]
      expect(texts.length).toBeGreaterThan(600)
      for (const text of texts) {
        const shown = safe(text)
        expect(hiddenIn(shown)).toEqual([])
        const wanted = hiddenIn(text.replaceAll('\r\n', '\n').replace(/[\n\t]/g, ''))
        const escapes = shown.match(/\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\}/g) ?? []
        expect(escapes.length).toBeGreaterThanOrEqual(wanted.length)
      }
    },
  )
})
