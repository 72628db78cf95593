/** A part of a text that is a secret. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface FoundSecret extends Span {
  /** What it is, in a word or two: part of its placeholder. */
  readonly kind: string
}

/**
 * One kind of secret. `find` is asked wherever one of the words stands, in any case, and looks at a bounded part of
 * the text around it: that keeps the whole linear.
 */
export interface SecretRule {
  readonly kind: string
  readonly words: readonly string[]
  find(text: string, from: number, to: number): Span | Looked | undefined
}

/** Several findings, or none, in a part of the text that this rule need not be asked about again. */
interface Looked {
  readonly spans: readonly Span[]
  readonly upTo: number
}

/** What a sticky pattern matches at a place, or undefined. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

/** Findings in order and apart from each other; of those that overlap, the first that is given tells the kind. */
export function apart(found: readonly FoundSecret[]): FoundSecret[] {
  const kept: (FoundSecret & { readonly rank: number })[] = []
  const ranked = found.map(({ from, to, kind }, rank) => ({ from, to, kind, rank }))
  for (const next of ranked.sort((a, b) => a.from - b.from || a.rank - b.rank)) {
    const last = kept.at(-1)
    if (!last || next.from >= last.to) kept.push(next)
    else {
      const { kind, rank } = next.rank < last.rank ? next : last
      kept[kept.length - 1] = { from: last.from, to: Math.max(last.to, next.to), kind, rank }
    }
  }
  return kept.map(({ from, to, kind }) => ({ from, to, kind }))
}
