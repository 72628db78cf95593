import { notes } from '../../packet/notes.ts'
import { pickLines, plural, unnumbered } from '../../text/lines.ts'
import { NOTES_CHARS_MAX } from '../generic.ts'
import type { Summary } from '../summarizer.ts'
import type { GitCall } from './command.ts'

const BRANCH = /^([*+]?)\s{1,3}(\(.{1,200}\)|[^\s(]{1,300})(?:\s.*)?$/

/** `git branch`, with `-a`, `-v` and the like: which there are, and which is in use. */
export function readBranches(call: GitCall, lines: readonly string[]): Summary | undefined {
  if (call.subcommand !== 'branch') return undefined
  const filled = lines.filter((line) => line.trim() !== '')
  const branches = filled.flatMap((line) => BRANCH.exec(line)?.slice(1, 3) ?? [])
  if (filled.length === 0 || branches.length < filled.length * 2) return undefined
  const used = branches[branches.indexOf('*') + 1] ?? ''
  const here = branches.includes('*') ? `On ${used}, ` : ''
  return {
    summary: `${here}${plural(filled.length, 'branch', 'branches')}`,
    knowledge: {
      'git branches': notes(
        here ? `on ${used}` : '',
        pickLines(unnumbered(filled.map((line) => line.replace(/^[*+\s]{1,4}/, ''))), NOTES_CHARS_MAX),
      ),
    },
  }
}
