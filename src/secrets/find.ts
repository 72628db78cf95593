import { anchorsOf } from './anchors.ts'
import { assignedRules } from './assigned.ts'
import { decodedIn } from './base64.ts'
import { blockRules } from './blocks.ts'
import { namedRules } from './named.ts'
import { placeRules } from './places.ts'
import { apart, type FoundSecret, type SecretRule } from './rule.ts'
import { seenIn } from './seen.ts'
import { tokenRules } from './tokens.ts'

/** In order of how much their kind tells: of two that overlap, the first gives its name. */
const rules: readonly SecretRule[] = [
  ...tokenRules,
  ...blockRules,
  ...namedRules,
  ...placeRules,
  ...assignedRules,
]
const anchors = anchorsOf(rules.flatMap((rule, rank) => rule.words.map((word) => [word, rank] as const)))

/** A larger text is looked at in parts, so that no more than a part is ever held twice. */
const PART_CHARS = 1 << 20
/** With what stands before and after, which is more than any rule looks at. */
const BEFORE_CHARS = 8 * 1024
const AFTER_CHARS = 64 * 1024
/** Base64 in base64. */
const DEPTH_MAX = 2

/** The secrets in a text, in order and apart from each other. */
export function findSecrets(text: string): FoundSecret[] {
  if (text.length <= PART_CHARS + AFTER_CHARS) return findIn(text)
  const found: FoundSecret[] = []
  for (let at = 0; at < text.length; at += PART_CHARS) {
    const begin = Math.max(0, at - BEFORE_CHARS)
    for (const { from, to, kind } of findIn(text.slice(begin, at + PART_CHARS + AFTER_CHARS), begin > 0))
      if (from + begin >= at && from + begin < at + PART_CHARS)
        found.push({ from: from + begin, to: to + begin, kind })
  }
  return apart(found)
}

function findIn(text: string, isCut = false, depth = 0): FoundSecret[] {
  const seen = seenIn(text)
  const found = findPlain(seen.text)
  if (depth < DEPTH_MAX)
    for (const inner of decodedIn(seen.text, isCut))
      for (const { from, to, kind } of findIn(inner.text, false, depth + 1))
        found.push({ ...inner.place(from, to), kind })
  return found.length === 0
    ? found
    : apart(found.map(({ from, to, kind }) => ({ ...seen.place(from, to), kind })))
}

function findPlain(text: string): FoundSecret[] {
  const found: (FoundSecret & { readonly rank: number })[] = []
  /** For each rule, how far it need not be asked again. */
  let asked: Int32Array | undefined
  anchors.each(text, (rank, from, to) => {
    const rule = rules[rank]
    if (!rule || from < (asked?.[rank] ?? 0)) return
    const result = rule.find(text, from, to)
    if (!result) return
    const { spans, upTo } = 'spans' in result ? result : { spans: [result], upTo: result.to }
    asked ??= new Int32Array(rules.length)
    asked[rank] = upTo
    for (const { from, to } of spans) found.push({ from, to, kind: rule.kind, rank })
  })
  return found.sort((a, b) => a.rank - b.rank)
}
