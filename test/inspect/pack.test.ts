import { describe, expect, test } from 'vitest'
import { inPage, packed } from '../../src/inspect/pack.ts'
import { bytesIn, gunzippedText } from '../../src/inspect/page/unpack.ts'

const there = async (text: string) => {
  const page = new TextDecoder('windows-1252').decode(inPage(packed(text)))
  expect(page).not.toMatch(/[<\r\0]/)
  return gunzippedText(bytesIn(page))
}

/** The same numbers each time. */
function* numbers(): Generator<number> {
  for (let state = 7; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    yield state >>> 8
  }
}

describe('a packed text', () => {
  test.each([
    ['nothing', ''],
    ['one character', 'x'],
    ['one character many times: a copy goes on into what it makes', 'a'.repeat(100_000)],
    ['what HTML would change', '</script><!-- <script>\r\n\0 == \u0000 &amp; \u0085\u2028'],
    ['every script', 'Größe 尺寸 ขนาด 🙂 '.repeat(50)],
  ])('comes back as it was: %s', async (_, text) => {
    expect(await there(text)).toBe(text)
  })

  test('comes back as it was, whatever repeats in it and however far apart', async () => {
    const next = numbers()
    const of = (most: number) => (next.next().value ?? 0) % most
    const parts = Array.from({ length: 40 }, () =>
      String.fromCodePoint(...Array.from({ length: 10 + of(200) }, () => 1 + of(0xd7ff))),
    )
    const text = Array.from({ length: 2_000 }, () => parts[of(40)]?.slice(of(9), 9 + of(200))).join('')
    expect(await there(text)).toBe(text)
  })

  test('takes what stands far apart twice only once', () => {
    const next = numbers()
    const one = Array.from({ length: 30_000 }, () => next.next().value?.toString(36)).join(' ')
    expect(packed(one + one).length).toBeLessThan(packed(one).length * 1.01)
  })
})
