import { notes } from '../packet/notes.ts'
import { within } from './generic.ts'
import { intentOf } from './intent.ts'
import { cleanLines, plural } from './lines.ts'
import { looksLikePath } from './numbered.ts'
import type { Summarizer } from './summarizer.ts'

const NAMES_MAX = 400

/** A folder's content: the names alone; sizes, dates and permissions are left out. */
export const listing: Summarizer = {
  name: 'listing',
  summarize(seen) {
    const intent = intentOf(seen.args)
    const lines = cleanLines(within(seen.text)).filter((line) => line.trim() !== '')
    const globbed =
      intent.kind === 'search' && lines.length > 0 && lines.every((line) => looksLikePath(line.trim()))
    if ((intent.kind !== 'list' && !globbed) || seen.outcome === 'error') return undefined
    const what = intent.kind === 'list' ? `listing of ${intent.path}` : `files for "${intent.pattern}"`
    const names = lines.flatMap(nameIn)
    if (names.length === 0) return { summary: `Nothing in the ${what}` }
    return {
      summary: `${plural(names.length, 'entry', 'entries')} in the ${what}`,
      knowledge: {
        [what]: notes('', [], [...new Set(names)].slice(0, NAMES_MAX)),
      },
    }
  },
}

/** The name in a line of `ls`, `ls -l`, `find` or `tree`. */
function nameIn(line: string): string[] {
  const text = line.replace(/^[\s│├└─|`+-]+/, '').trim()
  if (/^total \d/.test(text) || text === '.' || text === '..') return []
  if (/^[-dlbcps][rwxsStT-]{9}/.test(text)) {
    const name = text.split(/\s+/, 9).length > 8 ? text.split(/\s+/).slice(8).join(' ') : ''
    return name === '' || name === '.' || name === '..' ? [] : [name]
  }
  return text === '' ? [] : [text]
}
