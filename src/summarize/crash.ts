import { cut } from '../packet/cut.ts'
import { genericSummarizer } from './generic.ts'
import { intentOf } from './intent.ts'
import { labelOf } from './label.ts'
import { shortLine } from './lines.ts'
import { readStackTraces, type StackTrace } from './stack-trace.ts'
import type { Summarizer } from './summarizer.ts'
import { within } from './within.ts'

const SHOWN_MAX = 5

/** A program ended in a stack trace: what went wrong and where, before anything else it printed. */
export const crash: Summarizer = {
  name: 'crash',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if (intent.kind !== 'run' && intent.kind !== 'other') return undefined
    const traces = readStackTraces(within(seen.text))
    const last = traces.at(-1)
    if (!last) return undefined
    const whole = genericSummarizer.summarize(seen)
    const label = labelOf(seen.tool, seen.args, intent)
    return {
      ...whole,
      summary: cut(`${placed(last)} from ${label}`, 240),
      // Programs print traces that they survive; whether this one did is not known.
      outcome: seen.outcome === 'error' ? 'error' : 'partial',
      diagnostics: [null, ...traces.slice(-SHOWN_MAX).map(placed)],
    }
  },
}

/** The error with the frame it came from: innermost last in Python and Ruby's newer form, first elsewhere. */
function placed({ language, error, frames }: StackTrace): string {
  const frame = language === 'python' ? frames.at(-1) : frames[0]
  const place =
    frame === undefined ? '' : ` at ${frame.path}:${frame.line}${frame.symbol ? ` (${frame.symbol})` : ''}`
  return cut(`${shortLine(error)}${place}`, 240)
}
