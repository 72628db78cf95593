import { decode, isReadable } from './base64.ts'

/** Bits of information for each character, by how often each occurs (Shannon). */
export function entropy(text: string): number {
  const counts = new Map<number, number>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** For each letter, the letters that follow it in nine of ten places of English and of names in programs. */
const FOLLOWERS =
  'abcdfgiklmnprstuvy aeilorsu acdehiklorstu abcdefilorsu abcdefgilmnopqrstvwxy adefilorstu aehilnorsu aeiot abcdefglmnoprstvz eo eis acdeilopstuy abeilmopsu acdefgiklnopstuv abcdfgiklmnoprstuvw adehiloprstuy u acdefgiklmnoprstuy acdefhiklmopstuy acdefhilmoprstuy abceilmnprst aei aeior pt ps e'
const follows: readonly ReadonlySet<number>[] = FOLLOWERS.split(' ').map(
  (letters) => new Set(Array.from(letters, (letter) => letter.charCodeAt(0) - 97)),
)

/** 0 anything else, 1 digit, 2 small letter, 3 capital. */
function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 2
  if (code >= 65 && code <= 90) return 3
  return code >= 48 && code <= 57 ? 1 : 0
}

/**
 * How unlike words a text is, from 0 to 1: the share of neighbours that words and names do not have, which are letters
 * that rarely follow each other, and a digit beside a letter. Names have a tenth to a third, random ones two thirds.
 */
export function surprise(text: string): number {
  let sum = 0
  let before = kindOf(text.charCodeAt(0))
  for (let at = 1; at < text.length; at++) {
    const here = kindOf(text.charCodeAt(at))
    if (here >= 2 && before >= 2) {
      const [first, second] = [(text.charCodeAt(at - 1) | 32) - 97, (text.charCodeAt(at) | 32) - 97]
      if (before === 2 && here === 3) sum += 0.5
      else if (!follows[first]?.has(second)) sum++
    } else if (here !== before && here !== 0 && before !== 0) sum++
    before = here
  }
  return sum / Math.max(1, text.length - 1)
}

/** Alphabets and digits in their order, which look random to a count of characters. */
function isSequence(value: string): boolean {
  let run = 0
  for (let at = 1; at < value.length; at++) {
    run = Math.abs(value.charCodeAt(at) - value.charCodeAt(at - 1)) === 1 ? run + 1 : 0
    if (run >= 6) return true
  }
  return /qwertyui|deadbeef|cafebabe|a1b2c3d4/i.test(value)
}

/** Digits of a digest or an id: nobody can tell by them what they are for. */
export const isDigest = (value: string): boolean =>
  /^(?:0x)?[0-9a-f]+(?:-[0-9a-f]+)*$|(?:^|[^a-z])(?:sha-?(?:1|256|384|512)|md5)[:_-]/i.test(value)

/** As many hexadecimal digits as a key has, of which none repeats as in an example. */
export const isHexKey = (value: string): boolean =>
  /^[0-9a-f]{32,128}$/i.test(value) && entropy(value) >= 3 && !isSequence(value)

/**
 * Made by a machine, as far as its characters tell: long, with letters and digits in no order that words have. A short
 * value must be the more unlike words; a path, or a name in parts, has more signs between its parts than chance puts there.
 */
export function isRandom(value: string, least = 16): boolean {
  if (value.length < least || value.length > 4096) return false
  const counts = [0, 0, 0, 0]
  for (let at = 0; at < value.length; at++) {
    const kind = kindOf(value.charCodeAt(at))
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  const [signs = 0, digits = 0, small = 0, capital = 0] = counts
  if (small + capital === 0 || (digits === 0 && Math.min(small, capital) < 4)) return false
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0
  if (signs - padding > 1 + value.length / 12) return false
  const needed = value.length >= 24 ? 0.38 : value.length >= 16 ? 0.42 : 0.5
  if (surprise(value) < needed || entropy(value) < (value.length < 20 ? 2.9 : 3.2)) return false
  return !isDigest(value) && !isSequence(value)
}

/** As frameworks make a key: long, of letters, digits and many signs, and no pattern for others. */
export const isOfSigns = (value: string): boolean =>
  value.length >= 40 &&
  value.length <= 128 &&
  new Set(value.match(/[^\w\s./:-]/g)).size >= 4 &&
  !/[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\\|\(\?|[{}<>]/.test(value) &&
  entropy(value) >= 4.2 &&
  surprise(value.replace(/\W/g, '')) >= 0.5

/** Stands for something: `xxxx`, `****`, `…`, `<token>`, `${TOKEN}`, `%TOKEN%`, `{{ token }}`. */
export const isTemplate = (value: string): boolean =>
  /[xX*.#•…]{4}|^[xX]{3}|\.\.\.|…|^[<%[@]|>$|^[A-Z_]+%$|[${]\{|\{\{|\$\(|^\$[A-Za-z_]\w*|^\{[A-Za-z_. ]+\}?$|^%?\([a-z_]+\)s/.test(
    value,
  )

/** What documentation and tests put where a secret goes, or what is no text at all. */
export const isExample = (value: string): boolean =>
  isTemplate(value) ||
  /[\x00-\x08\ufffd]/.test(value) ||
  /example|sample|placeholder|redacted|change[_-]?me|dummy|foobar|your[_-]|[_-]here\b|\bhere$|insert|lorem|not[_-]?a?[_-]?secret|censored|masked|removed|hidden|secret:/i.test(
    value,
  ) ||
  isTextInBase64(value) ||
  isPublished(value)

/** Readable once it is decoded, and nothing in it is a secret: a place in a list, a name, a greeting. */
function isTextInBase64(value: string): boolean {
  const digits = value.replace(/={1,3}$/, '')
  if (!/^[A-Za-z0-9+/_-]{12,}$/.test(digits)) return false
  const meant = decode(digits)
  return (
    isReadable(meant) &&
    meant
      .split(/[\s"',{}[\]:;&=|]+/)
      .every(
        (word) => !(isRandom(word, 12) || (word.length >= 20 && isDigest(word)) || isPassword(word, true)),
      )
  )
}

/** What people put where a password goes when it does not matter. */
const COMMON =
  /^(?:my|the|test|tests?ing|pass|word|pw|pwd|passwd|admin|root|user|name|guest|secret|token|demo|foo|bar|baz|abc|qwerty|letmein|change|it|default|old|new|wrong|bad|good|valid|invalid|strong|weak|some|super|secure|correct|hash|hashed|encoded|plain|key|pg|postgres|mysql|mongo|redis|rabbitmq|minio|db|local|dev|prod|x{3}|y{3}|\d|[_\W])+$/i

/** Letters that people write as signs or digits that look like them. */
const WRITTEN: Readonly<Record<string, string>> = { '@': 'a', $: 's', 0: 'o', 1: 'i', 3: 'e', 5: 's', 7: 't' }
const isCommon = (value: string): boolean =>
  COMMON.test(value) || COMMON.test(value.replace(/[@$01357]/g, (sign) => WRITTEN[sign] ?? sign))

/** Words and no more, a prefix of an issuer and a few letters, or what it stands for with a number: `embedded`, `ghs_CFGTOK`, `gltoken123`. */
const isWords = (value: string): boolean =>
  (/^(?:(?:[A-Z]?[a-z]+|[A-Z]+)(?:[_:. -]|$))+$/.test(value) && surprise(value) < 0.38 && !isDigest(value)) ||
  /^(?:gh[opsur]|glpat|sk|xox[a-z])[_-][a-z_-]{1,19}$/i.test(value) ||
  /^[a-z_-]*(?:token|secret|password|passwd|key)[_-]?\d{0,4}$/i.test(value)

/** A path, an address, a name with dots (a decorator, behind the number of its line as searches print it), a call, a type, a colour, a number, a date. */
const CODE =
  /^(?:~?\.{0,2}\/|[a-z]+:\/\/|[A-Za-z]:[\\/]|--?[a-z]|[#&*!]*[A-Za-z_$][\w$]*[!?*&;:]*$)|^(?:\d{1,6}:){0,2}[*&@]?[A-Za-z_$][\w$]*(?:[!?]?\.|::|->)[A-Za-z_$]|^[\w.-]+(?:\/[\w.-]+)+$|[A-Za-z_]\w*\(|[=-]>|[!=]=|&&|\|\||\?\?|\.[a-z]{2,4}$|^#?\d+(?:[.,:]\d+)*[a-z%]{0,3}$|^#[\da-f]{3,8}$|^\d{4}-\d\d-\d\d/i

/** As a person would make it for a machine to ask for: letters, digits and signs, or in an order that no words have. */
export function isPassword(value: string, quoted: boolean): boolean {
  if (value.length < 8 || value.length > 256) return false
  const meant = /^[\w+/]+={1,2}$/.test(value) ? decode(value.replace(/=+$/, '')) : ''
  if (isReadable(meant)) return isMeant(meant)
  const typed = /\d/.test(value) && /[A-Za-z]/.test(value) && /[!@#$%^&*+=?~]/.test(value)
  const random = isRandom(value, 12)
  if (!(typed || random) || isCommon(value) || isExample(value)) return false
  if (random) return true
  if (isSequence(value) || /[(){}[\]<>"'`]/.test(value)) return false
  // In quotes nothing is a name or a type, but much is a path or a text for people.
  return !CODE.test(quoted ? value.replace(/[!?*&]{1,9}$/, '#') : value)
}

/** A password at a place where nothing else can stand: any that is neither left out nor left at what everybody has. */
export const isMeant = (value: string): boolean =>
  value.length >= 4 && !isExample(value) && !isCommon(value) && !isWords(value)

/** Before 2026, in seconds: what ended then opens nothing. */
const ENDED = 1_767_225_600

/** A JWT of documentation or tests, by whom it names, or one that has expired. */
function isSampleJwt(value: string): boolean {
  const claims = /^ey[\w-]+\.(ey[\w-]+)\./.exec(value)?.[1]
  if (claims === undefined) return false
  const said = decode(claims)
  const expires = /"exp":\s?([\d.e+]+)/.exec(said)?.[1]
  return (
    Number(expires) < ENDED ||
    /J(?:ohn|ane) Doe|"(?:1234567890|joe|foo|ba[rz])"|example\.|\.(?:example|invalid|test|localhost)\b/.test(
      said,
    )
  )
}

/**
 * Published in samples and in no need of hiding (most are listed as such by gitleaks): 32-bit FNV-1a of each, since the
 * values themselves would set off every scanner.
 */
export function isPublished(value: string): boolean {
  if (isSampleJwt(value)) return true
  let hash = 0x811c9dc5
  for (let at = 0; at < value.length; at++) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193) >>> 0
  return PUBLISHED.has(hash)
}

const PUBLISHED: ReadonlySet<number> = new Set([
  0xb0a58386, 0x00d9b068, 0x0af7ca9d, 0x1751c16c, 0x1845a427, 0x4e1351cb, 0x6a41f911, 0x6af56d80, 0x722ef8d0,
  0x739ddd87, 0x1cc53023, 0x8ee1d847, 0x965bd60a, 0xaf8fab00, 0xb1887211, 0xb8782c2e, 0xc8a510e9, 0xf0951274,
  0xf50c0e72,
  // Of RFC 5849, 6749 and 6750, which every description of OAuth repeats.
  0xfcd17dab, 0x8b00e4c8, 0x0a6fb527, 0xc9cec95f, 0x16e2a740, 0x874349c8, 0x7e77ed7d, 0x4ca180de, 0x08dc7824,
  0x8faee873, 0x262c7aae, 0x0b9a312d, 0xb3877a9b,
])
