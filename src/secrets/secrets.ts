import { isObject, type Json } from '../core/event/json.ts'
import { type Anchors, anchorsOf } from './anchors.ts'
import { findSecrets } from './find.ts'
import { isMeant, isRandom } from './random.ts'
import { apart, type FoundSecret } from './rule.ts'
import { mended } from './seen.ts'

/**
 * Replaces the secrets of one run by placeholders, `[secret:github-token:3f9a2b71c0d4]`, and gives them back to a tool
 * that needs them. The same secret has the same placeholder throughout the run; `mac` is keyed, so that nobody can find
 * out a secret by trying candidates. What was replaced is held in memory only, as long as this object is.
 */
export interface Secrets {
  hide(text: string): string
  /** The same for every text in a value: a name that it stands under counts as said before it. */
  hideIn(value: Json): Json
  /** The part of a text from `from` to `end`, the rest being read with it; ends before a secret that goes over `end`. */
  hideBetween(text: string, from: number, end: number): { readonly hidden: string; readonly to: number }
  /** Texts with their placeholders replaced by the secrets, and the placeholders that this process knows nothing of. */
  reveal(value: Json): { readonly value: Json; readonly unknown: readonly string[] }
}

export interface SecretsOptions {
  /** Keyed digest of a secret, hexadecimal. */
  readonly mac: (secret: string) => string
  /** Values that are secret whatever they look like, such as the keys that the process itself uses. */
  readonly known?: readonly string[]
  /** Is told once of each secret that is hidden. */
  readonly onHidden?: (placeholder: string, secret: string) => void
}

const DIGITS = 12
const PLACEHOLDER = /\[secret:[a-z0-9-]{1,40}:[0-9a-f]{12}\]/g
/** A shorter value is a word that texts may hold. */
const KNOWN_CHARS_MIN = 8
/** By how many of its first characters a value is found again. */
const SEEK_CHARS = 12
/** What was hidden once is looked for again only if no other text can hold it by chance. */
const LEARNED_CHARS_MIN = 20
/** Secrets that were known by their name, and are looked for wherever they stand from then on. */
const LEARNED_MAX = 256
/** Of a private key; a shorter line is one of many others too. */
const KEY_LINE_CHARS_MIN = 40
/** A longer text is no value whose name decides what it is. */
const VALUE_CHARS_MAX = 4096

export function secretsOf({ mac, known = [], onHidden }: SecretsOptions): Secrets {
  const vault = new Map<string, string>()
  const sought = new Map<string, string>()
  for (const value of known)
    if (isTelling(value)) for (const form of formsOf(value)) sought.set(form, 'known-key')
  let learned = 0
  let seeker: Anchors<string> | undefined

  const find = (text: string): FoundSecret[] => {
    const found = findSecrets(text)
    for (const { from, to, kind } of found) learn(mended(text.slice(from, to), kind).secret, kind)
    return outsidePlaceholders(text, sought.size === 0 ? found : apart([...found, ...findAgain(text)]))
  }

  /** All at once, by how they begin: time does not grow with how many there are. */
  const findAgain = (text: string): FoundSecret[] => {
    const found: FoundSecret[] = []
    seeker ??= anchorsOf([...sought.keys()].map((value) => [value.slice(0, SEEK_CHARS), value]))
    seeker.each(text, (value, from) => {
      if (text.startsWith(value, from))
        found.push({ from, to: from + value.length, kind: sought.get(value) ?? '' })
    })
    return found
  }

  /** A token of a known form is found anyway; the lines of a key may be shown one by one. */
  const learn = (value: string, kind: string): void => {
    if (kind === 'private-key') {
      for (const line of value.split(/[^A-Za-z0-9+/=]+|\\[nr]/))
        if (line.length >= KEY_LINE_CHARS_MIN) seek(line, kind)
    } else if (isRandom(value, LEARNED_CHARS_MIN)) seek(value, kind)
  }

  const seek = (value: string, kind: string): void => {
    if (learned >= LEARNED_MAX || sought.has(value)) return
    learned++
    sought.set(value, kind)
    seeker = undefined
  }

  const placeholder = (secret: string, kind: string): string => {
    const made = `[secret:${kind}:${mac(secret).slice(0, DIGITS)}]`
    if (!vault.has(made)) onHidden?.(made, secret)
    vault.set(made, secret)
    return made
  }

  const replace = (text: string, found: readonly FoundSecret[]): string => {
    if (found.length === 0) return text
    let out = ''
    let at = 0
    for (const { from, to, kind } of found) {
      const { secret, rest } = mended(text.slice(from, to), kind)
      out += text.slice(at, from) + placeholder(secret, kind) + rest
      at = to
    }
    return out + text.slice(at)
  }

  const hide = (text: string): string => (text.length < 4 ? text : replace(text, find(text)))

  const hideBetween = (text: string, from: number, end: number): { hidden: string; to: number } => {
    const found = find(text).filter((span) => span.to > from)
    const over = end < text.length ? found.find((span) => span.from < end && span.to > end) : undefined
    const to = over && over.from > from ? over.from : end
    const inside = found.flatMap((span) =>
      span.from < to
        ? [{ from: Math.max(span.from, from) - from, to: Math.min(span.to, to) - from, kind: span.kind }]
        : [],
    )
    return { hidden: replace(text.slice(from, to), inside), to }
  }

  /** A text that something before it names: `{ "password": "…" }`, `["--token", "…"]`, `{ name: 'KEY', value: '…' }`. */
  const hideNamed = (text: string, lead: string): string => {
    const hidden = hide(text)
    if (hidden !== text || lead === '' || text.length > VALUE_CHARS_MAX || /\s/.test(text)) return hidden
    const found = find(`${lead}${text}"`).filter(({ from }) => from >= lead.length)
    return replace(
      text,
      found.map(({ from, to, kind }) => ({
        from: from - lead.length,
        to: Math.min(to - lead.length, text.length),
        kind,
      })),
    )
  }

  const hideIn = (value: Json, lead = ''): Json => {
    if (typeof value === 'string') return hideNamed(value, lead)
    if (Array.isArray(value)) {
      return value.map((item, at) => {
        const before = value[at - 1]
        return hideIn(item, typeof before === 'string' && before.startsWith('-') ? `${before}="` : lead)
      })
    }
    if (!isObject(value)) return value
    const fields = Object.entries(value as Record<string, Json>)
    const named = fields.find(([key, name]) => /^(?:name|key)$/i.test(key) && typeof name === 'string')?.[1]
    return Object.fromEntries(
      fields.map(([key, field]) => [
        hide(key),
        hideIn(field, key === 'value' && named !== undefined ? `${String(named)}="` : `${key}="`),
      ]),
    )
  }

  const reveal = (value: Json, unknown: string[]): Json => {
    if (typeof value === 'string') {
      return value.replace(PLACEHOLDER, (made) => {
        const secret = vault.get(made)
        if (secret === undefined) unknown.push(made)
        return secret ?? made
      })
    }
    if (Array.isArray(value)) return value.map((item) => reveal(item, unknown))
    if (!isObject(value)) return value
    const fields = Object.entries(value as Record<string, Json>)
    return Object.fromEntries(fields.map(([key, field]) => [key, reveal(field, unknown)]))
  }

  return {
    hide,
    hideBetween,
    hideIn: (value) => hideIn(value),
    reveal(value) {
      const unknown: string[] = []
      return { value: reveal(value, unknown), unknown: [...new Set(unknown)] }
    },
  }
}

/** What was hidden before stays as it is; parts of a secret that are left around it are hidden too. */
function outsidePlaceholders(text: string, found: readonly FoundSecret[]): FoundSecret[] {
  if (found.length === 0 || !text.includes('[secret:')) return [...found]
  const made = [...text.matchAll(PLACEHOLDER)].map(({ 0: all, index }) => ({
    from: index,
    to: index + all.length,
  }))
  let next = 0
  return found.flatMap(({ from, to, kind }) => {
    // Both are in order: no placeholder is looked at twice.
    while (next < made.length && (made[next]?.to ?? 0) <= from) next++
    let end = next
    while (end < made.length && (made[end]?.from ?? 0) < to) end++
    const inside = made.slice(next, end)
    if (inside.length === 0) return [{ from, to, kind }]
    const edges = [from, ...inside.flatMap((other) => [other.from, other.to]), to]
    const parts = Array.from({ length: edges.length / 2 }, (_, at) => ({
      from: edges[at * 2] ?? 0,
      to: edges[at * 2 + 1] ?? 0,
      kind,
    }))
    return parts.filter((part) => part.to - part.from >= KNOWN_CHARS_MIN)
  })
}

/** Neither a word that other texts hold for what it means, nor what people put in the place of a secret. */
const isTelling = (value: string): boolean =>
  value.length >= KNOWN_CHARS_MIN && isMeant(value) && !/^[A-Za-z]?[a-z]{0,15}$/.test(value)

/** As it may stand in a JSON text, an address or a header. */
function formsOf(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1)
  const inBase64 = /^[\x20-\x7e]*$/.test(value) ? btoa(value).replace(/=+$/, '') : value
  return [...new Set([value, inJson, encodeURIComponent(value), inBase64])]
}
