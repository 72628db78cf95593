import { diffLines } from 'diff'
import { DIFF_EDITS_MAX } from '../limits.ts'

/** A stretch of two texts: lines that both have, or what the one has where the other has something else. */
export type TextPart =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'changed'; readonly before: string; readonly after: string }

/** Two texts as stretches. Those of `before` joined are the one, those of `after` the other. */
export function textParts(before: string, after: string): TextPart[] {
  const pieces = diffLines(before, after, { maxEditLength: DIFF_EDITS_MAX })
  if (!pieces) return [{ kind: 'changed', before, after }]
  const parts: TextPart[] = []
  for (const { value, added, removed } of pieces) {
    const last = parts.at(-1)
    if (!added && !removed) parts.push({ kind: 'same', text: value })
    else if (last?.kind === 'changed') {
      const joined = {
        before: last.before + (removed ? value : ''),
        after: last.after + (added ? value : ''),
      }
      parts.splice(-1, 1, { kind: 'changed', ...joined })
    } else parts.push({ kind: 'changed', before: removed ? value : '', after: added ? value : '' })
  }
  return parts
}

/** The text that has the changed stretches which `isTaken` says, counted from 0, and the old ones elsewhere. */
export function joinParts(parts: readonly TextPart[], isTaken: (change: number) => boolean): string {
  let change = 0
  return parts
    .map((part) => (part.kind === 'same' ? part.text : isTaken(change++) ? part.after : part.before))
    .join('')
}
