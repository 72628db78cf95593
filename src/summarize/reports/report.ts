import type { ShellCommand } from '../../text/shell.ts'
import type { Output } from './output.ts'

/** What a test runner, linter, compiler or type checker said, in one vocabulary. */
export interface Report {
  /** The program that wrote it: `pytest`, `eslint`, `tsc`, `go test`. */
  readonly tool: string
  readonly kind: 'tests' | 'lint' | 'types' | 'compile' | 'format'
  /** Only the counts that the output states or that can be counted from it. */
  readonly counts: Counts
  /** Failing tests and diagnostics in the order of the output, bounded. */
  readonly problems: readonly Problem[]
  /** What the counts leave out: `20 packages ok`. */
  readonly note?: string
}

export interface Counts {
  readonly passed?: number
  readonly failed?: number
  readonly errors?: number
  readonly skipped?: number
  readonly warnings?: number
  readonly diagnostics?: number
}

export interface Problem {
  readonly path?: string
  readonly line?: number
  readonly column?: number
  /** Rule or error code: `E501`, `TS2345`, `no-unused-vars`. */
  readonly code?: string
  readonly severity?: 'error' | 'warning' | 'info'
  /** Name of the failing test. */
  readonly test?: string
  readonly message: string
}

/** What may be known about where a text came from. */
export interface ReportHint {
  readonly tool?: string
  /** What ran, as a shell command was read. */
  readonly programs?: ShellCommand
}

/** One tool's format. A new tool is one more of these in the table of `reports.ts`. */
export interface Reader {
  /** As it stands in `Report.tool`. */
  readonly tool: string
  /** Commands that ask for this reader, without options: `go vet`, `eslint`. */
  readonly names: readonly string[]
  /** Cheap and sure: true only for output that this tool writes. Runs on every output of every command. */
  readonly recognises: (output: Output) => boolean
  /** Undefined when the output holds nothing of this tool. May be lenient: it was recognised or asked for. */
  readonly read: (output: Output) => Report | undefined
}

/** The named groups of a pattern that matched. */
export type Groups = Readonly<Record<string, string | undefined>>

/** The groups of the first pattern that matches a text; empty where it has none. */
export function matched(patterns: readonly RegExp[], text: string): Groups | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (found) return found.groups ?? {}
  }
  return undefined
}
