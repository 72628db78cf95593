import { anchorsOf } from './anchors.ts'
import { assignedRules } from './assigned.ts'
import { blockRules } from './blocks.ts'
import { formRules } from './forms.ts'
import { namedRules } from './named.ts'
import { apart, type Found, type Rule } from './rule.ts'
import { tokenRules } from './tokens.ts'

/** In order of how much their kind tells: of two that overlap, the first gives its name. */
const rules: readonly Rule[] = [...tokenRules, ...blockRules, ...namedRules, ...formRules, ...assignedRules]
const anchors = anchorsOf(
  rules.flatMap((rule, rank) => rule.words.map((word) => [word, { rule, rank }] as const)),
)

/** The secrets in a text, in order and apart from each other. */
export function findSecrets(text: string): Found[] {
  const found: (Found & { readonly rank: number })[] = []
  const asked = new Map<Rule, number>()
  anchors.each(text, ({ rule, rank }, from, to) => {
    if (from < (asked.get(rule) ?? 0)) return
    const result = rule.find(text, from, to)
    if (!result) return
    const { spans, upTo } = 'spans' in result ? result : { spans: [result], upTo: result.to }
    asked.set(rule, upTo)
    for (const span of spans) found.push({ ...span, kind: rule.kind, rank })
  })
  return apart(found.sort((a, b) => a.rank - b.rank))
}
