import { cut } from '../../text/cut.ts'
import type { Summarizer } from '../summarizer.ts'
import { within } from '../within.ts'
import { readReport } from './reports.ts'
import { testSentence } from './structured.ts'

/** A file with a JUnit report was read: how the tests ended that it is about, whatever its length. */
export const reportFile: Summarizer = {
  name: 'report-file',
  summarize({ call: { intent }, shown, outcome }) {
    if (intent.kind !== 'read' || outcome === 'error') return undefined
    if (!/^\s{0,20}(?:<\?xml[^>]{0,200}>\s{0,20})?<testsuites?\b/.test(shown.slice(0, 500))) return undefined
    const report = readReport(within(shown), { tool: 'junit' })
    if (report?.kind !== 'tests') return undefined
    const { passed = 0, failed = 0, errors = 0, skipped = 0 } = report.counts
    const names = report.problems.slice(0, 4).flatMap(({ test }) => test ?? [])
    const named = names.length === 0 ? '' : `: ${names.join(', ')}`
    const sentence = testSentence({ passed, failed, errors, skipped })
    return {
      summary: cut(
        `Read ${intent.path}: a report of ${passed + failed + errors + skipped} tests. ${sentence}${named}`,
        290,
      ),
    }
  },
}
