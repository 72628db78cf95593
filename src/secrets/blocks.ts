import { decode, isReadable } from './base64.ts'
import { isRandom, surprise } from './random.ts'
import { matchAt, type Rule, type Span } from './rule.ts'

/** The longest key that is looked for; a larger one is found by its parts. */
const BLOCK_CHARS_MAX = 32 * 1024
const BODY_CHARS_MIN = 64
const LINE_CHARS_MAX = 160

const HEADER = /-----BEGIN[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----/iy
const FOOTER = /-----END[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----/iy
/** Where the next block begins or this one ends, as far as it is written. */
const NEXT = /-----(?:BEGIN|END[ A-Z0-9_-]{0,100}?KEY(?: BLOCK)?-----)|KEY(?: BLOCK)?-----/gi
/** Lines of base64, with headers of PEM and whatever a program put before each. */
const BODY =
  /(?:[A-Za-z0-9+/=]{4,}|=[A-Za-z0-9+/]{0,4}|[A-Za-z-]{4,20}: [^\r\n]{1,100}|\s|["',+|>#*]|\d{1,6}(?=[\t→:|])|[→:]|-(?!-)){0,4000}/y
// A word is begun once: a run of letters would be read again from each of them.
const PROSE = /\.\.\.|…|[<${]|(?<![a-z])[a-z]{3,} [a-z]{2,} [a-z]{2,} /

const privateKey: Rule = {
  kind: 'private-key',
  words: ['-----begin'],
  find(text, from) {
    const header = matchAt(HEADER, text, from)?.[0]
    if (header === undefined) return undefined
    const inside = from + header.length
    const near = text.slice(inside, inside + BLOCK_CHARS_MAX)
    NEXT.lastIndex = 0
    const next = NEXT.exec(near)
    const ends = next !== null && !/BEGIN$/i.test(next[0])
    if (ends && next.index >= BODY_CHARS_MIN && !PROSE.test(near.slice(0, next.index)))
      return { from, to: inside + next.index + next[0].length }
    // Without an end, it is in another part of the output.
    const shown = (matchAt(BODY, near.slice(0, next?.index), 0)?.[0] ?? '').trimEnd()
    if (shown.replace(/\s/g, '').length < BODY_CHARS_MIN) return { spans: [], upTo: inside }
    return { from, to: inside + shown.length }
  },
}

/** The last part of a key whose beginning was shown elsewhere. */
const privateKeyEnd: Rule = {
  kind: 'private-key',
  words: ['-----end'],
  find(text, from) {
    const footer = matchAt(FOOTER, text, from)?.[0]
    if (footer === undefined) return undefined
    let begin = from
    while (from - begin < BLOCK_CHARS_MAX) {
      const line = /(?:^|\n)[ \t]*([A-Za-z0-9+/=]{4,128})\r?\n[ \t]*$/.exec(
        text.slice(Math.max(0, begin - LINE_CHARS_MAX), begin),
      )
      if (!line?.[1]) break
      begin = begin - line[0].length + line[0].indexOf(line[1])
    }
    return from - begin < BODY_CHARS_MIN ? undefined : { from: begin, to: from + footer.length }
  },
}

const putty: Rule = {
  kind: 'private-key',
  words: ['private-lines:'],
  find(text, _from, to) {
    const lines = matchAt(/ \d{1,4}\r?\n((?:[A-Za-z0-9+/=]{1,64}\r?\n?){1,500})/y, text, to)
    return lines?.[1] === undefined
      ? undefined
      : { from: to + lines[0].length - lines[1].length, to: to + lines[0].length }
  },
}

/** A token in base64 once more, of which the rest is no text. */
const encoded: Rule = {
  kind: 'jwt',
  words: ['ZXlK'],
  find(text, from) {
    if (/[A-Za-z0-9_/+]/.test(text.charAt(from - 1))) return undefined
    const value = matchAt(/ZXlK[\w+/-]{36,32000}={0,2}/y, text, from)?.[0]
    return value === undefined ? undefined : { from, to: from + value.length }
  },
}

const ENTRY =
  /(?:\s|")["']?([\w.-]{1,128})["']?:(?:[ \t]*(?:\||>[-+]?)\s{1,40})?[ \t]*["']?([^\s"',{}\\]{6,8000})/g

/** `data` and `stringData` of a Kubernetes secret. */
const kubernetes: Rule = {
  kind: 'kubernetes-secret',
  words: ['kind:', '"kind":'],
  find(text, from, to) {
    if (!matchAt(/[ \t]*["']?secret(?![\w-])/iy, text, to)) return undefined
    const before = text.slice(Math.max(0, from - 4000), from)
    const start = from - before.length + Math.max(0, before.lastIndexOf('\n---'), before.lastIndexOf('kind:'))
    const after = text.slice(from, from + 8000)
    const stop = after.search(/\n(?:---|[ \t]*["']?kind:)/)
    const upTo = stop < 0 ? from + after.length : from + stop
    const document = text.slice(start, upTo)
    const spans: Span[] = []
    for (const { 0: open, index } of [...document.matchAll(/\b(?:stringD|d)ata["']?:/g)].slice(0, 3)) {
      const block = document.slice(index + open.length, index + open.length + 6000)
      for (const { 0: entry, 1: name = '', 2: value = '', index: at } of block.matchAll(ENTRY)) {
        if (
          /^(?:kind|apiVersion|name|namespace|type|metadata|labels|annotations|creationTimestamp)$/.test(name)
        )
          continue
        if (!(open.startsWith('string') ? !/^[$<%]/.test(value) : isData(value))) continue
        const begin = start + index + open.length + at + entry.length - value.length
        spans.push({ from: begin, to: begin + value.length })
      }
    }
    return { spans, upTo }
  },
}

/** Base64 of a text, or of what no text is. */
function isData(value: string): boolean {
  const digits = value.replace(/={1,3}$/, '')
  if (!/^[A-Za-z0-9+/]{10,}$/.test(digits)) return false
  return (
    isRandom(digits) ||
    surprise(digits) >= 0.3 ||
    (/\d|[a-z][A-Z]/.test(digits) && isReadable(decode(digits)))
  )
}

/** The private numbers of a JSON web key. */
const webKey: Rule = {
  kind: 'private-key',
  words: ['"kty"'],
  find(text, from) {
    const start = Math.max(text.slice(Math.max(0, from - 4000), from).lastIndexOf('{') + from - 4000, 0)
    const near = text.slice(start, from + 8000)
    const key = near.slice(0, near.indexOf('}', from - start) + 1 || near.length)
    const spans: Span[] = []
    for (const { 0: field, 1: value = '', index } of key.matchAll(
      /"(?:d|p|q|dp|dq|qi|k)"\s{0,5}:\s{0,5}"([\w-]{20,4000})"/g,
    ))
      spans.push({
        from: start + index + field.length - 1 - value.length,
        to: start + index + field.length - 1,
      })
    return { spans, upTo: start + key.length }
  },
}

/** The secret that stands beside an AWS key id. */
const awsPair: Rule = {
  kind: 'aws-secret-key',
  words: ['AKIA', 'ASIA'],
  find(text, from) {
    if (!matchAt(/A[KS]IA[A-Z2-7]{16}\b/y, text, from)) return undefined
    const near = text.slice(from + 20, from + 320)
    const secret = near.split(/[^A-Za-z0-9+/]+/).find((word) => word.length === 40 && isAwsSecret(word))
    if (secret === undefined) return undefined
    const at = from + 20 + near.indexOf(secret)
    return { spans: [{ from: at, to: at + 40 }], upTo: from + 20 }
  },
}

const isAwsSecret = (word: string): boolean =>
  isRandom(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && !word.includes('EXAMPLE')

export const blockRules: readonly Rule[] = [
  privateKey,
  privateKeyEnd,
  putty,
  encoded,
  kubernetes,
  webKey,
  awsPair,
]
