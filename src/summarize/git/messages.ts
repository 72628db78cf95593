import { cut } from '../../text/cut.ts'
import { quoted } from '../../text/lines.ts'

/** What git says in one line of something that it did, or could not do. */
export interface GitMessage {
  readonly text: string
  readonly bad: boolean
  /** Its line, from 0. */
  readonly at: number
}

type Rule = readonly [RegExp, (match: readonly string[]) => string]

const DONE: readonly Rule[] = [
  [
    /^\[(\S{1,200}|detached HEAD)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/,
    ([, branch, hash, subject = '']) => `committed ${hash} on ${branch} ${quoted(subject)}`,
  ],
  [/^(?:Switched to (?:a new |and reset )?branch|Already on) '(.{1,300})'$/, ([, branch]) => `on ${branch}`],
  [
    /^HEAD is now at ([0-9a-f]{7,40}) (.*)$/,
    ([, hash, subject = '']) => `HEAD at ${hash} ${quoted(subject)}`,
  ],
  [/^Updated (\d{1,9} paths?) from /, ([, paths]) => `restored ${paths}`],
  [/^Saved working directory and index state (.*)$/, ([, what = '']) => `stashed ${quoted(what)}`],
  [/^(?:Dropped|Deleted branch) (\S.*)$/, ([, what]) => `dropped ${what}`],
  [
    /^(Everything up-to-date|Already up to date|Fast-forward|Merge made by|No local changes to save)/,
    ([text = '']) => text,
  ],
  [
    /^Successfully rebased and updated (?:refs\/heads\/)?(.{1,300}?)\.?$/,
    ([, branch]) => `rebased ${branch}`,
  ],
  [
    /^\s{0,4}([0-9a-f]{7,40})\.{2,3}([0-9a-f]{7,40})\s{1,9}(\S{1,300})\s{1,9}-> (\S{1,300})/,
    ([, from, to, , there]) => `${there} moved from ${from} to ${to}`,
  ],
  [
    /^ \* \[new (branch|tag)\]\s{1,99}(\S{1,300})\s{1,99}-> (\S{1,300})/,
    ([, kind, , there]) => `new ${kind} ${there}`,
  ],
  [/^Cloning into '(.{1,300})'/, ([, folder]) => `cloned into ${folder}`],
]
const FAILED: readonly Rule[] = [
  [/^CONFLICT \(.{1,60}\): (.*)$/, ([, what]) => `conflict: ${what}`],
  [/^(?:fatal|error): (.*)$/, ([, what = '']) => `failed, ${quoted(what)}`],
  [
    /^ ! \[(.{1,40})\]\s{1,99}(\S{1,300})\s{1,99}-> (\S{1,300})/,
    ([, why, , there]) => `push to ${there} ${why}`,
  ],
]
/** How any of these lines begins; most lines do not. */
const BEGINS =
  /^(?:\[|Switched|Already|HEAD is|Updated|Saved|Dropped|No local|Everything|Fast-|Merge made|Successfully|Deleted|\s{0,4}[0-9a-f]{7,40}\.\.| [*!] \[|Cloning|CONFLICT|fatal|error)/
const MESSAGES_MAX = 40

export function gitMessages(lines: readonly string[]): GitMessage[] {
  const found: GitMessage[] = []
  for (const [at, line] of lines.entries()) {
    if (found.length >= MESSAGES_MAX) break
    if (!BEGINS.test(line)) continue
    const done = matched(DONE, line)
    const text = done ?? matched(FAILED, line)
    if (text !== undefined) found.push({ text: cut(text, 200), bad: done === undefined, at })
  }
  return found
}

function matched(rules: readonly Rule[], line: string): string | undefined {
  for (const [pattern, tell] of rules) {
    const match = pattern.exec(line)
    if (match) return tell(match)
  }
  return undefined
}
