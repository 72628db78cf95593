import { entropy, looksRandom } from './likely.ts'
import { matchAt, type Rule, type Span } from './rule.ts'

/** The longest key that is looked for; a larger one is found by its parts. */
const BLOCK_CHARS_MAX = 32 * 1024
const BODY_CHARS_MIN = 64
const LINE_CHARS_MAX = 160

const header = /-----BEGIN[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----/iy
/** Lines of base64, with headers of PEM before them, as they stand in a file or escaped in a string. */
const body =
  /(?:[A-Za-z0-9+/=]{4,}|=[A-Za-z0-9+/]{0,4}|[A-Za-z-]{4,20}: [^\r\n\\]{1,100}|\s|\\+[nr]|["',+|>#*]|\d{1,6}(?=[\t→:|])|[→:]|-(?!-)){0,4000}/y
/** The whole of a key of which each line has something before it: where it was found, or what is quoted. */
const end = /(?:-----END[ A-Z0-9_-]{0,100}?|PRIVATE |[^ ])KEY(?: BLOCK)?-----/i
// A word is begun once: a run of letters would be read again from each of them.
const PROSE = /\.\.\.|…|[<${]|(?<![a-z])[a-z]{3,} [a-z]{2,} [a-z]{2,} /

const privateKey: Rule = {
  kind: 'private-key',
  words: ['-----begin'],
  find(text, from) {
    const begin = matchAt(header, text, from)?.[0]
    if (begin === undefined) return undefined
    const inside = from + begin.length
    const near = text.slice(inside, inside + BLOCK_CHARS_MAX)
    const close = end.exec(near)
    const whole = close ? near.slice(0, close.index + close[0].length) : ''
    if (close && close.index >= BODY_CHARS_MIN && !PROSE.test(whole))
      return { from, to: inside + whole.length }
    // Without an end, it is in another part of the output.
    const shown = (matchAt(body, near, 0)?.[0] ?? '').trimEnd()
    if (shown.replace(/\s|\\[nr]/g, '').length < BODY_CHARS_MIN) return { spans: [], upTo: inside }
    return { from, to: inside + shown.length }
  },
}

/** The last part of a key whose beginning was shown elsewhere. */
const privateKeyEnd: Rule = {
  kind: 'private-key',
  words: ['-----end'],
  find(text, from) {
    const end = matchAt(/-----END[ A-Z0-9_-]{0,100}?PRIVATE KEY(?: BLOCK)?-----/iy, text, from)?.[0]
    if (end === undefined) return undefined
    let begin = from
    while (from - begin < BLOCK_CHARS_MAX) {
      const line = /(?:^|\n|\\n)[ \t]*([A-Za-z0-9+/=]{4,128})(?:\r?\n|(?:\\r)?\\n)[ \t]*$/.exec(
        text.slice(Math.max(0, begin - LINE_CHARS_MAX), begin),
      )
      if (!line?.[1]) break
      begin = begin - line[0].length + line[0].indexOf(line[1])
    }
    return from - begin < BODY_CHARS_MIN ? undefined : { from: begin, to: from + end.length }
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

const jwt: Rule = {
  kind: 'jwt',
  words: ['ey'],
  find(text, from) {
    if (/[\w/+.-]/.test(text.charAt(from - 1)) && !/\\[nrt]$/.test(text.slice(from - 2, from)))
      return undefined
    const token = matchAt(
      /ey[A-Za-z0-9_-]{15,4000}\.(?:ey[\w/\\-]{10,12000}\.(?:[\w/\\-]{10,4000}={0,2})?|[\w-]{20,2000}\.[\w-]{16,32}\.[\w-]{10,12000}\.[\w-]{22})/y,
      text,
      from,
    )?.[0]
    if (token === undefined || entropy(token) < 3) return undefined
    return { from, to: from + token.replace(/\\[nr"]?$/, '').length }
  },
}

/** In one line, or in lines of which each has nothing else. */
const ENCODED =
  /[\w+/\\-]{4,32000}(?:[\r\n]{1,2}(?=[\w+/\\-]{1,2000}={0,2}(?:[\r\n'"`]|$))[\w+/\\-]{1,2000}){0,400}={0,2}/y

/** A JWT, or a PEM key, that was put into base64 once more. */
const encoded: Rule = {
  kind: 'encoded-secret',
  words: ['ZXlK', 'LS0tLS1CRUdJTi'],
  find(text, from) {
    if (/[A-Za-z0-9_/+]/.test(text.charAt(from - 1))) return undefined
    const value = matchAt(ENCODED, text, from)?.[0]
    if (value === undefined) return undefined
    const found = { from, to: from + value.length }
    const none = { spans: [], upTo: found.to }
    if (value.length < 40) return none
    if (value.startsWith('ZXlK')) return found
    return /UFJJVkFURSBLRVk|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW/.test(value.slice(0, 80)) ? found : none
  },
}

/** `data` and `stringData` of a Kubernetes secret. */
const kubernetes: Rule = {
  kind: 'kubernetes-secret',
  words: ['kind:', '"kind":'],
  find(text, from, to) {
    if (!matchAt(/[ \t]*["']?secret(?![\w-])/iy, text, to)) return undefined
    const before = text.slice(Math.max(0, from - 4000), from)
    const start = from - before.length + Math.max(0, before.lastIndexOf('\n---'), before.lastIndexOf('kind:'))
    const after = text.slice(from, from + 8000)
    const stop = after.search(/(?:\n|\\n)(?:---|[ \t]*["']?kind:)/)
    const upTo = stop < 0 ? from + after.length : from + stop
    const document = text.slice(start, upTo)
    const spans: Span[] = []
    for (const { 0: open, index } of [...document.matchAll(/\b(?:stringD|d)ata["']?:/g)].slice(0, 3)) {
      const plain = open.startsWith('string')
      const block = document.slice(index + open.length, index + open.length + 6000)
      for (const entry of block.matchAll(
        /(?:\s|\\[nt]|")["']?([\w.-]{1,128})["']?:(?:[ \t]*(?:\||>[-+]?)(?:\s|\\n){1,40})?[ \t]*["']?([^\s"',{}\\]{6,8000})/g,
      )) {
        const value = entry[2] ?? ''
        const isData =
          /^[A-Za-z0-9+/]{10,}={0,3}$/.test(value) && (looksRandom(value) || /=$|[A-Z].*[a-z]|\d/.test(value))
        if (
          entry[1] &&
          /^(?:kind|apiVersion|name|namespace|type|metadata|labels|annotations|creationTimestamp)$/.test(
            entry[1],
          )
        )
          continue
        if (!(plain ? !/^[$<%]/.test(value) : isData)) continue
        const at = start + index + open.length + entry.index + entry[0].length - value.length
        spans.push({ from: at, to: at + value.length })
      }
    }
    return { spans, upTo }
  },
}

/** The private numbers of a JSON web key. */
const webKey: Rule = {
  kind: 'private-key',
  words: ['"kty"'],
  find(text, from) {
    const start = Math.max(text.lastIndexOf('{', from), from - 4000, 0)
    const key = text.slice(start, text.indexOf('}', from) + 1 || from + 8000).slice(0, 12_000)
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
  looksRandom(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && !word.includes('EXAMPLE')

export const blockRules: readonly Rule[] = [
  privateKey,
  privateKeyEnd,
  putty,
  jwt,
  encoded,
  kubernetes,
  webKey,
  awsPair,
]
