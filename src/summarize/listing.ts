import { notes } from '../packet/notes.ts'
import { isBlank, plural } from '../text/lines.ts'
import { intentOf } from './call/intent.ts'
import { looksLikePath } from './numbered.ts'
import type { Summarizer } from './summarizer.ts'
import { lookAt } from './within.ts'

const NAMES_MAX = 400

/** A folder's content: the names alone; sizes, dates and permissions are left out. */
export const listing: Summarizer = {
  name: 'listing',
  summarize(seen) {
    const intent = intentOf(seen.args)
    if ((intent.kind !== 'list' && intent.kind !== 'search') || seen.outcome === 'error') return undefined
    const looked = lookAt(seen.text)
    const lines = looked.lines.filter((line) => !isBlank(line))
    const globbed = lines.length > 0 && lines.every((line) => looksLikePath(line.trim()))
    if (intent.kind === 'search' && !globbed) return undefined
    const what = intent.kind === 'list' ? `listing of ${intent.path}` : `files for "${intent.pattern}"`
    const names = lines.flatMap(nameIn)
    if (names.length === 0) return { summary: `Nothing in the ${what}` }
    const count = names.length + looked.filled - lines.length
    return {
      summary: `${plural(count, 'entry', 'entries')} in the ${what}`,
      knowledge: {
        [what]: notes('', [], [...new Set(names)].slice(0, NAMES_MAX)),
      },
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
