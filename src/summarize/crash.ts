import { cut } from '../text/cut.ts'
import { shortLine } from '../text/lines.ts'
import { genericSummarizer, showsText } from './generic.ts'
import { isHtml, startsAsHtml } from './page/html.ts'
import { addressIn, frontMatter } from './page/web-page.ts'
import { readStackTraces, type StackTrace } from './stack-trace.ts'
import type { Observation, Summarizer } from './summarizer.ts'
import { within } from './within.ts'

const SHOWN_MAX = 5
const PAGE_START_CHARS = 4_000

/** A program ended in a stack trace: what went wrong and where, before anything else it printed. */
export const crash: Summarizer = {
  name: 'crash',
  summarize(seen) {
    const { kind } = seen.call.intent
    if (kind !== 'run' && kind !== 'other') return undefined
    if (seen.outcome !== 'error' && (showsText(seen) || isPage(seen))) return undefined
    const traces = readStackTraces(within(seen.shown))
    const last = traces.at(-1)
    if (!last) return undefined
    return {
      ...genericSummarizer.summarize(seen),
      summary: cut(`${seen.call.label}: ${placed(last)}`, 290),
      // Programs print traces that they survive; whether this one did is not known.
      outcome: seen.outcome === 'error' ? 'error' : 'partial',
      diagnostics: [null, ...traces.slice(-SHOWN_MAX).map(placed)],
    }
  },
}

/** Pages show traces that happened to others; tests print markup beside their own. */
function isPage({ args, shown, call }: Observation): boolean {
  const start = shown.slice(0, PAGE_START_CHARS)
  if (startsAsHtml(start)) return true
  return (
    call.intent.kind === 'other' &&
    (addressIn(args) !== undefined || frontMatter(start.split('\n')).address !== undefined || isHtml(shown))
  )
}

/** The error with the frame it came from: innermost last in Python and Ruby's newer form, first elsewhere. */
function placed({ language, error, frames }: StackTrace): string {
  const frame = language === 'python' ? frames.at(-1) : frames[0]
  const place =
    frame === undefined ? '' : ` at ${frame.path}:${frame.line}${frame.symbol ? ` (${frame.symbol})` : ''}`
  return cut(`${shortLine(error)}${place}`, 240)
}
