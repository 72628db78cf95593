import type { Sample } from './token-texts.ts'

const HOSTILE_CHARS = 4000
const letters = 'abcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'

/** Texts that ordinary averages undercount, from a seed. */
export const hostileSamples = (seed: number, rounds: number): Sample[] => {
  let state = seed | 1
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
  const pick = (alphabet: string | readonly string[]): string => alphabet[below(alphabet.length)] ?? ''
  const between = (first: number, last: number): string =>
    String.fromCodePoint(first + below(last - first + 1))
  const makers: Record<string, () => string> = {
    'random ASCII': () => between(33, 126),
    'random bytes': () => between(0, 255),
    'random lower case': () => pick(letters),
    'random upper case': () => pick(letters.toUpperCase()),
    'random mixed case': () => pick(letters + letters.toUpperCase()),
    base64: () => pick(`${letters}${letters.toUpperCase()}${digits}+/`),
    hex: () => pick(`${digits}abcdef`),
    'upper-case hex': () => pick(`${digits}ABCDEF`),
    uuid: () =>
      `${[8, 4, 4, 12].map((n) => Array.from({ length: n }, () => pick(`${digits}abcdef`)).join('')).join('-')}\n`,
    digits: () => pick(digits),
    punctuation: () => pick('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'),
    'white space': () => pick(['  ', '\t', '\n', '\r\n', ' ', '\n'.repeat(40), ' '.repeat(70)]),
    'spaced letters': () => `${pick(letters)} `,
    'accented latin': () => between(0xc0, 0x17f),
    cyrillic: () => between(0x400, 0x4ff),
    'han ideographs': () => between(0x4e00, 0x9fff),
    'hangul syllables': () => between(0xac00, 0xd7a3),
    kana: () => between(0x3040, 0x30ff),
    emoji: () => between(0x1f300, 0x1faff),
    'joined emoji': () => `${between(0x1f466, 0x1f469)}\u{1f3fd}\u200d${between(0x1f466, 0x1f469)}\ufe0f`,
    'any character': () => between(0xe000, 0x1ffff),
    'lone surrogates': () => String.fromCharCode(0xd800 + below(0x800), 97 + below(26)),
    'control tokens': () =>
      pick([
        '<start_of_turn>',
        '<end_of_turn>',
        '<bos>',
        '<unused7>',
        '<escape>',
        '<td>',
        '</b>',
        '[multimodal]',
      ]),
    'minified code': () =>
      `${pick(['var ', 'if(', 'return ', '}function ', '&&', '=>{', ';let '])}${pick(letters)}${pick(letters)}=${pick(letters)}.${pick(letters.toUpperCase())}${pick(letters)}(${below(99)},${pick(letters)}[${below(9)}])`,
    'short identifiers': () =>
      `${pick(letters)}${pick(letters)}${pick(letters)}_${pick(letters)}${pick(letters)}${pick(letters).toUpperCase()} `,
  }
  return Object.entries(makers).flatMap(([source, make]) =>
    Array.from({ length: rounds }, () => {
      let text = ''
      while (text.length < HOSTILE_CHARS) text += make()
      return { source, kind: 'hostile', text }
    }),
  )
}
