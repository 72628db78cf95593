import type { Taking } from './accept.ts'
import { type Side, sideText } from './diff.ts'
import type { Merged } from './merged.ts'
import { joinParts, textParts } from './parts.ts'

/** A change as places that a person takes one by one. */
export interface Split {
  readonly places: number
  /** The change with one place alone. */
  one(place: number): Merged
  /** What is written when these are taken; the rest stays proposed. Undefined for none. */
  take(places: ReadonlySet<number>): Taking | undefined
}

/** Undefined for what has no places: it is no text, or nothing can be taken of it as it is. */
export function splitOf(file: Merged): Split | undefined {
  const { now, next, conflict, how } = file
  const [before, after] = [now && sideText(now), next && sideText(next)]
  if (!next || before === undefined || after === undefined || conflict !== undefined) return undefined
  const parts = textParts(before, after)
  const places = parts.filter(({ kind }) => kind === 'changed').length
  const only = (isTaken: (place: number) => boolean): Side => ({
    ...next,
    content: Buffer.from(joinParts(parts, isTaken)),
  })
  return {
    places,
    one: (place) => ({ ...file, next: only((other) => other === place) }),
    take(taken) {
      if (taken.size === 0) return undefined
      if (taken.size === places) return file
      const partly = { how: how === 'edited' ? how : 'part', places: [...taken], left: next } as const
      return { ...file, ...partly, next: only((place) => taken.has(place)) }
    },
  }
}

/** A change with the person's own content. It is a conflict as long as the marks of one are in it. */
export function withEdit(file: Merged, content: Uint8Array): Merged {
  const { next, conflict, how, ...rest } = file
  if (!next || Buffer.compare(content, next.content) === 0) return file
  const edited: Side = { ...next, content }
  const isMarked = /^(<{7}|>{7}) /m.test(sideText(edited) ?? '')
  const left = isMarked ? { conflict: conflict ?? 'the marks of a conflict are in it' } : {}
  return { ...rest, how: 'edited', next: edited, ...left }
}
