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

const EXAMPLE_WORDS =
  /example|sample|placeholder|redacted|change[_-]?me|dummy|foobar|your[_-]|[_-]here\b|\bhere$|insert|lorem|not[_-]?a?[_-]?secret|censored|masked|removed|hidden|secret:/i

/** Stands for something: `xxxx`, `****`, `…`, `<token>`, `${TOKEN}`, `%TOKEN%`, `{{ token }}`. */
export const isTemplate = (value: string): boolean =>
  /[xX*.#•…]{4}|\.\.\.|…|^[<%[]|>$|%$|[${]\{|\{\{|\$\(|^\$[A-Za-z_]\w*|^\{[A-Za-z_. ]+\}?$|^%?\([a-z_]+\)s|^@/.test(
    value,
  )

/** What documentation and tests put where a secret goes. */
export const isExample = (value: string): boolean => isTemplate(value) || EXAMPLE_WORDS.test(value)

/** Alphabets and digits in their order, which look random to a count of characters. */
export const isSequence = (value: string): boolean =>
  /abcdefgh|ijklmnop|01234567|12345678|98765432|qwertyui|deadbeef|cafebabe|a1b2c3d4/i.test(value)

/** How often letters turn into digits, or small into capital letters, for each character: words do so rarely. */
export function turns(value: string): number {
  let count = 0
  for (let at = 1; at < value.length; at++) {
    const before = kindOf(value.charCodeAt(at - 1))
    const here = kindOf(value.charCodeAt(at))
    if (before !== 0 && here !== 0 && before !== here) count++
  }
  return count / value.length
}

/** 1 small letter, 2 capital, 3 digit, 0 anything else. */
function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 1
  if (code >= 65 && code <= 90) return 2
  return code >= 48 && code <= 57 ? 3 : 0
}

/** Letters alone, in an order that neither words nor names of variables have. */
export const isJumble = (value: string): boolean =>
  /^[A-Za-z]{12,}$/.test(value) &&
  /[A-Z]{2}/.test(value) &&
  /[A-Z][a-z][A-Z]/.test(value) &&
  turns(value) >= 0.35

/** Made by a machine, as far as its characters tell; a short value can hold less information, so it must turn more. */
export function looksRandom(value: string): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value) || isSequence(value)) return false
  // Sixteen digits hold less, and half of them are of one kind.
  if (/^[0-9a-f-]{32,}$/i.test(value)) return entropy(value) >= 3
  const short = value.length < 16
  return entropy(value) >= (short ? 3 : 3.5) && turns(value) >= (short ? 0.25 : 0.16)
}

/**
 * Published in public samples and in no need of hiding (listed as such by gitleaks): 32-bit FNV-1a of each, since the
 * values themselves would set off every scanner.
 */
export function isPublished(value: string): boolean {
  let hash = 0x811c9dc5
  for (let at = 0; at < value.length; at++) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193) >>> 0
  return PUBLISHED.has(hash)
}

const PUBLISHED: ReadonlySet<number> = new Set([
  0xb0a58386, 0x00d9b068, 0x0af7ca9d, 0x1751c16c, 0x1845a427, 0x4e1351cb, 0x6a41f911, 0x6af56d80, 0x722ef8d0,
  0x739ddd87, 0x8ee1d847, 0x965bd60a, 0xaf8fab00, 0xb1887211, 0xb8782c2e, 0xc8a510e9, 0xf0951274, 0xf50c0e72,
])
