import { quoted } from '../../text/lines.ts'

/** What git says in one line about something that it did, or could not do. */
export interface Said {
  readonly sentence: string
  readonly bad: boolean
}

type Rule = readonly [RegExp, (match: RegExpExecArray) => string]

const DONE: readonly Rule[] = [
  [
    /^\[(\S{1,200}|detached HEAD)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/,
    ([, branch, hash, subject]) => `Committed ${hash} on ${branch}: ${quoted(subject ?? '')}`,
  ],
  [/^Switched to (?:a new |and reset )?branch '(.{1,300})'$/, ([, branch]) => `Now on ${branch}`],
  [/^Already on '(.{1,300})'$/, ([, branch]) => `Already on ${branch}`],
  [
    /^HEAD is now at ([0-9a-f]{7,40}) (.*)$/,
    ([, hash, subject]) => `HEAD is now at ${hash} ${quoted(subject ?? '')}`,
  ],
  [
    /^Updated (\d{1,9}) paths? from /,
    ([, count]) => `Restored ${count === '1' ? '1 path' : `${count} paths`}`,
  ],
  [/^Saved working directory and index state (.*)$/, ([, what]) => `Stashed: ${quoted(what ?? '')}`],
  [/^Dropped (.*)$/, ([, what]) => `Dropped ${what}`],
  [/^No local changes to save$/, () => 'No local changes to stash'],
  [/^Everything up-to-date$/, () => 'Nothing to push'],
  [/^Already up to date\.?$/, () => 'Already up to date'],
  [/^Fast-forward$/, () => 'Fast-forwarded'],
  [/^Merge made by /, () => 'Merged'],
  [
    /^Successfully rebased and updated (?:refs\/heads\/)?(.{1,300}?)\.?$/,
    ([, branch]) => `Rebased ${branch}`,
  ],
  [
    /^Deleted branch (\S{1,300}) \(was (\w{7,40})\)/,
    ([, branch, hash]) => `Deleted branch ${branch}, was ${hash}`,
  ],
  [/^\s{0,4}([0-9a-f]{7,40})\.{2,3}([0-9a-f]{7,40})\s{1,9}(\S{1,300})\s{1,9}-> (\S{1,300})/, moved],
  [
    /^ \* \[new (branch|tag)\]\s{1,99}(\S{1,300})\s{1,99}-> (\S{1,300})/,
    ([, kind, , there]) => `New ${kind} ${there}`,
  ],
  [/^Cloning into '(.{1,300})'/, ([, folder]) => `Cloned into ${folder}`],
  [/^Initialized empty Git repository in (.*)$/, ([, folder]) => `New repository in ${folder}`],
]
const FAILED: readonly Rule[] = [
  [/^CONFLICT \(.{1,60}\): (.*)$/, ([, what]) => `Conflict: ${what}`],
  [/^(?:fatal|error): (.*)$/, ([, what]) => `Error ${quoted(what ?? '')}`],
  [
    /^ ! \[(.{1,40})\]\s{1,99}(\S{1,300})\s{1,99}-> (\S{1,300})(.*)$/,
    ([, why, , there, more]) => `Push to ${there} ${why}${more ?? ''}`,
  ],
]

function moved([, from, to, , there]: RegExpExecArray): string {
  return `${there} moved from ${from} to ${to}`
}

/** How any of these lines begins; most lines do not. */
const BEGINS =
  /^(?:\[|Switched|Already|HEAD is|Updated|Saved|Dropped|No local|Everything|Fast-|Merge made|Successfully|Deleted|\s{0,4}[0-9a-f]{7,40}\.\.| [*!] \[|Cloning|Initialized|CONFLICT|fatal|error)/

export function saidIn(line: string): Said | undefined {
  if (!BEGINS.test(line)) return undefined
  for (const [pattern, tell] of DONE) {
    const match = pattern.exec(line)
    if (match) return { sentence: tell(match), bad: false }
  }
  for (const [pattern, tell] of FAILED) {
    const match = pattern.exec(line)
    if (match) return { sentence: tell(match), bad: true }
  }
  return undefined
}

/** Lines by which git explains itself or shows its progress. */
export const isChatter = (line: string): boolean =>
  /^(?:hint: |remote: |Enumerating objects|Counting objects|Compressing objects|Writing objects|Delta compression|Total \d|To \S|From \S|Receiving objects|Resolving deltas|Auto-merging |warning: (?:in the working copy|LF will|CRLF will)|branch '.{1,300}' set up to track|Updating [0-9a-f]{7,40}\.\.| (?:create|delete) mode \d|The file will have)/.test(
    line,
  )
