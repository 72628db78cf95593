import type { Output } from './output.ts'
import type { Report } from './report.ts'

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
