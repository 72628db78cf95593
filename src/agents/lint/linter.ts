import type { Trusts } from '../../trust/trust.ts'

/** One problem in the file. `fixable` means by a fix that keeps what the program does. */
export interface Issue {
  readonly code: string
  readonly line: number
  readonly column: number
  readonly message: string
  readonly fixable: boolean
}

export interface LintPlace {
  readonly workspace: string
  readonly path: string
  readonly text: string
  readonly signal: AbortSignal
  readonly trusts?: Trusts
}

/** The port to a linter. Nothing is written: a fix gives the text as it would be. Throws when it can't run. */
export interface Linter {
  readonly name: string
  /** Sorted by place; quick, so it may not say what is fixable. */
  find(place: LintPlace): Promise<Issue[]>
  /** The same, with what is fixable. */
  check(place: LintPlace): Promise<Issue[]>
  /** All safe fixes, again until there are none, and what is found after them. */
  fixAll(place: LintPlace): Promise<{ readonly text: string; readonly left: readonly Issue[] }>
  /** The fix of one issue; the same text when it has none. */
  fixOne(place: LintPlace, issue: { readonly code: string; readonly line: number }): Promise<string>
  /** The configuration that applies to the file, in a few words. */
  configuration(place: LintPlace): Promise<string>
}

export const byPlace = (one: Issue, other: Issue): number =>
  one.line - other.line || one.column - other.column || (one.code < other.code ? -1 : 1)
