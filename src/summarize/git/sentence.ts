import { cut } from '../../text/cut.ts'
import { firstOf, plural, quoted } from '../../text/lines.ts'
import type { Commit } from './log.ts'
import type { GitOutput } from './output.ts'
import { inSigns } from './stat.ts'
import type { Status } from './status.ts'

const SENTENCE_CHARS_MAX = 240
const NAMED_MAX = 4

/** What came of it, in one sentence: problems first, then deeds, changes, the state and the history. */
export function gitSentence(output: GitOutput): string {
  const { said, status, commits } = output
  const parts = [
    ...said
      .filter(({ bad }) => bad)
      .slice(0, 2)
      .map(({ sentence }) => sentence),
    ...said
      .filter(({ bad }) => !bad)
      .slice(0, 2)
      .map(({ sentence }) => sentence),
    ...changed(output),
    ...(status ? [state(status, new Set([...output.changes, ...output.files].map(({ path }) => path)))] : []),
    ...(commits.length > 0 ? [history(commits)] : []),
  ]
  return cut(parts.join('; ').replace(/\s+/g, ' '), SENTENCE_CHARS_MAX)
}

function changed({ changes, files, totals }: GitOutput): string[] {
  if (changes.length > 0) {
    const added = changes.reduce((sum, change) => sum + change.added, 0)
    const removed = changes.reduce((sum, change) => sum + change.removed, 0)
    const paths = changes.map(({ path }) => path)
    return [`${plural(changes.length, 'file')} changed, ${inSigns(added, removed)}: ${some(paths)}`]
  }
  const count = totals?.files ?? files.length
  if (count === 0) return []
  const signs = totals ? `, ${inSigns(totals.added, totals.removed)}` : ''
  const names = files.length > 0 ? `: ${some(files.map(({ path }) => path))}` : ''
  return [`${plural(count, 'file')} changed${signs}${names}`]
}

/** Paths that the changes name already are not told again. */
function state({ branch, asides, entries }: Status, told: ReadonlySet<string>): string {
  const more = asides.length > 0 ? ` (${asides.join(', ')})` : ''
  const where = branch ? `on ${branch}${more}` : more.trim()
  if (entries.length === 0) return `Clean working tree${where ? ` ${where}` : ''}`
  const counts = new Map<string, number>()
  for (const entry of entries) counts.set(entry.state, (counts.get(entry.state) ?? 0) + 1)
  const states = [...counts].map(([word, count]) => `${count} ${word}`).join(', ')
  const paths = entries.map(({ path }) => path).filter((path) => !told.has(path))
  return `${states}${where ? ` ${where}` : ''}${paths.length > 0 ? `: ${some(paths)}` : ''}`
}

function history(commits: readonly Commit[]): string {
  const [newest] = commits
  const named = newest ? `${newest.hash.slice(0, 12)} ${quoted(newest.subject)}` : ''
  return commits.length === 1 ? `Commit ${named}` : `${plural(commits.length, 'commit')}, newest ${named}`
}

const some = (paths: readonly string[]): string => firstOf([...new Set(paths)], NAMED_MAX)
