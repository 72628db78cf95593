import { cut } from '../text/cut.ts'
import { firstOf, plural, quoted } from '../text/lines.ts'
import { complaintIn, isComplaint } from './complaint.ts'
import { isPathInCode } from './place.ts'
import type { Summarizer } from './summarizer.ts'
import { linesOf } from './within.ts'

const NAMED_MAX = 6

/** A folder's content, or the files that a pattern found. */
export const listing: Summarizer = {
  name: 'listing',
  summarize({ call: { intent }, shown, outcome }) {
    if ((intent.kind !== 'list' && intent.kind !== 'search') || outcome === 'error') return undefined
    const looked = linesOf(shown)
    const lines = looked.lines.filter((line) => line.trim() !== '')
    if (intent.kind === 'search' && !(lines.length > 0 && lines.every((line) => isPathInCode(line.trim()))))
      return undefined
    const problem = complaintIn(shown)
    if (intent.kind === 'list' && problem !== undefined)
      return { summary: `${intent.path} was not listed: ${problem}`, outcome: 'error' }
    const missing = lines.filter((line) => isComplaint(line) && /^(?:ls|find|tree|dir|fd|eza): /.test(line))
    const what = intent.kind === 'list' ? `in ${intent.path}` : `for "${intent.pattern}"`
    const names = lines.filter((line) => !missing.includes(line)).flatMap(nameIn)
    const aside = missing.length === 0 ? '' : `; ${quoted(cut(missing[0] ?? '', 100))}`
    const countOf = (count: number) =>
      intent.kind === 'list' ? plural(count, 'entry', 'entries') : plural(count, 'file')
    return names.length === 0
      ? { summary: `Nothing ${what}`, output: null }
      : {
          summary: `${countOf(names.length + looked.total - looked.lines.length)} ${what}: ${firstOf(names, NAMED_MAX)}${aside}`,
          ...(aside === '' ? {} : { outcome: 'partial' as const }),
        }
  },
}

const LONG_FORMAT = /^[-dlbcps][rwxsStT-]{9}/
const LONG_FORMAT_COLUMNS = 8

/** The name in a line of `ls`, `ls -l`, `find` or `tree`. */
function nameIn(line: string): string[] {
  const trimmed = line.trim()
  const name = LONG_FORMAT.test(trimmed)
    ? trimmed.split(/\s+/).slice(LONG_FORMAT_COLUMNS).join(' ')
    : trimmed.replace(/^[\s│├└─|`+-]+/, '')
  return name === '' || name === '.' || name === '..' || /^total \d/.test(name) ? [] : [name]
}
