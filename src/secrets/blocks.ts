import { decode, isReadable } from './base64.ts'
import { isRandom, surprise } from './random.ts'
import { matchAt, type SecretRule, type Span } from './rule.ts'

/** The longest key that is looked for; a larger one is found by its parts. */
const BLOCK_CHARS_MAX = 32 * 1024
const BODY_CHARS_MIN = 64
/** No key of RSA is shorter, of 512 bits neither: what ends before is a sample. */
const RSA_CHARS_MIN = 256
const LINE_CHARS_MAX = 160

const HEADER = /-----BEGIN[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----/iy
const FOOTER = /-----END[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----/iy
/** Where the next block begins or this one ends, as far as it is written. */
const NEXT = /-----(?:BEGIN|END[ A-Z0-9_-]{0,100}?KEY(?: BLOCK)?-----)|KEY(?: BLOCK)?-----/i
/** Lines of base64, with headers of PEM and whatever a program put before each. */
const BODY =
  /(?:[A-Za-z0-9+/=]{4,}|=[A-Za-z0-9+/]{0,4}|[A-Za-z-]{4,20}: [^\r\n]{1,100}|\s|["',+|>#*]|\d{1,6}(?=[\t→:|])|[→:]|-(?!-)){0,4000}/y
// A word is begun once: a run of letters would be read again from each of them.
const PROSE = /\.\.\.|…|[<${]|(?<![a-z])[a-z]{3,} [a-z]{2,} [a-z]{2,} /

const privateKey: SecretRule = {
  kind: 'private-key',
  words: ['-----begin'],
  find(text, from) {
    const header = matchAt(HEADER, text, from)?.[0]
    if (header === undefined) return undefined
    const inside = from + header.length
    const near = text.slice(inside, inside + BLOCK_CHARS_MAX)
    const next = NEXT.exec(near)
    const body = near.slice(0, next?.index)
    const least = /RSA/i.test(header) ? RSA_CHARS_MIN : BODY_CHARS_MIN
    const isWhole = next && !/BEGIN$/i.test(next[0])
    if (isWhole && body.length < least) return { spans: [], upTo: inside }
    if (isWhole && !PROSE.test(body)) return { from, to: inside + body.length + next[0].length }
    // Without an end, it is in another part of the output.
    const shown = (matchAt(BODY, body, 0)?.[0] ?? '').trimEnd()
    const isKey = shown.replace(/\s/g, '').length >= BODY_CHARS_MIN && surprise(shown.slice(0, 1000)) >= 0.3
    if (!isKey) return { spans: [], upTo: inside }
    return { from, to: inside + shown.length }
  },
}

/** The last part of a key whose beginning was shown elsewhere. */
const privateKeyEnd: SecretRule = {
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

/** Of a Kubernetes secret on either side of the line that says that it is one. */
const DOCUMENT_CHARS = 4000
const ENTRY =
  /(?<![\w.-])["']?[\w.-]{1,128}["']?:(?:[ \t]*(?:\||>[-+]?)\s{1,40})?[ \t]*["']?([A-Za-z0-9+/]{10,8000}={0,3})(?=[\s"',}]|$)/g

/** The values of a Kubernetes secret: base64 of a text, or of what no text is. */
const kubernetes: SecretRule = {
  kind: 'kubernetes-secret',
  words: ['kind:', '"kind":'],
  find(text, from, to) {
    if (!matchAt(/[ \t]*["']?secret(?![\w-])/iy, text, to)) return undefined
    const before = text.slice(Math.max(0, from - DOCUMENT_CHARS), from)
    // Not beyond a private key: without it what is far would be near, and hidden when a text is looked at again.
    const begins = ['\n---', 'kind:', 'PRIVATE KEY', ':private-key:'].map((sign) => before.lastIndexOf(sign))
    const start = from - before.length + Math.max(0, ...begins)
    const after = text.slice(from, from + DOCUMENT_CHARS)
    const stop = after.search(/\n(?:---|[ \t]*["']?kind:)|-----BEGIN|\[secret:private-key:/)
    const upTo = from + (stop < 0 ? after.length : stop)
    const spans: Span[] = []
    for (const { 0: entry, 1: value = '', index } of text.slice(start, upTo).matchAll(ENTRY)) {
      const end = start + index + entry.length
      if (isData(value.replace(/={1,3}$/, ''))) spans.push({ from: end - value.length, to: end })
    }
    return { spans, upTo }
  },
}

const isData = (value: string): boolean =>
  isRandom(value) || surprise(value) >= 0.3 || (/\d|[a-z][A-Z]/.test(value) && isReadable(decode(value)))

export const blockRules: readonly SecretRule[] = [privateKey, privateKeyEnd, kubernetes]
