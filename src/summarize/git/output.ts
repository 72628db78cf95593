import type { GitCall } from './command.ts'
import { type FileChange, readFileChange } from './diff.ts'
import { type Commit, onelineCommit, readCommit } from './log.ts'
import { isChatter, type Said, saidIn } from './said.ts'
import { type ChangedFile, changedFile, namedFile, type Totals, totalsIn } from './stat.ts'
import { readLongStatus, readShortStatus, type Status } from './status.ts'

/** What stands in the output of one or several git calls, whatever their order. */
export interface GitOutput {
  readonly changes: readonly FileChange[]
  readonly files: readonly ChangedFile[]
  readonly totals: Totals | undefined
  readonly status: Status | undefined
  readonly commits: readonly Commit[]
  readonly said: readonly Said[]
  /** Lines that are none of these. */
  readonly rest: readonly string[]
}

/** Forms that only the command tells apart from any other text. */
interface Asked {
  readonly short: boolean
  readonly oneline: boolean
  readonly names: boolean
}

export function readGitOutput(lines: readonly string[], calls: readonly GitCall[]): GitOutput {
  const asked = askedBy(calls)
  const changes: FileChange[] = []
  const files: ChangedFile[] = []
  const commits: Commit[] = []
  const said: Said[] = []
  const rest: string[] = []
  const states: Status[] = []
  let totals: Totals | undefined
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    if (line.trim() === '') {
      at++
      continue
    }
    const change = readFileChange(lines, at)
    const commit = change ? undefined : readCommit(lines, at)
    const found = change || commit ? undefined : statusAt(lines, at, asked)
    if (change) changes.push(change.change)
    if (commit) commits.push(commit.commit)
    if (found) states.push(found.status)
    const read = change ?? commit ?? found
    if (read) {
      at = read.end
      continue
    }
    at++
    const file = changedFile(line) ?? (asked.names ? namedFile(line) : undefined)
    const one = file || !asked.oneline ? undefined : onelineCommit(line)
    const sum = totalsIn(line)
    const words = saidIn(line)
    if (file) files.push(file)
    else if (one) commits.push(one)
    else if (sum) totals = sum
    else if (words) {
      said.push(words)
      if (words.bad) rest.push(line)
    } else rest.push(line)
  }
  return { changes, files, totals, status: joined(states), commits, said, rest }
}

const statusAt = (lines: readonly string[], at: number, asked: Asked) =>
  readLongStatus(lines, at) ??
  (asked.short || /^(?:## \S|# branch\.)/.test(lines[at] ?? '') ? readShortStatus(lines, at) : undefined)

/** One status that other lines break into several. */
const joined = (states: readonly Status[]): Status | undefined =>
  states.length === 0
    ? undefined
    : {
        branch: states.findLast(({ branch }) => branch !== '')?.branch ?? '',
        asides: [...new Set(states.flatMap(({ asides }) => asides))],
        entries: states.flatMap(({ entries }) => entries),
      }

function askedBy(calls: readonly GitCall[]): Asked {
  const has = (call: GitCall, pattern: RegExp) => call.args.some((arg) => pattern.test(arg))
  return {
    short: calls.some(
      (call) => call.subcommand === 'status' && has(call, /^(?:-[a-z]*[sz][a-z]*|--short|--porcelain.*)$/),
    ),
    oneline: calls.some((call) => ['log', 'reflog', 'show', 'rev-list', 'cherry'].includes(call.subcommand)),
    names: calls.some((call) => has(call, /^--name-only$/)),
  }
}

/** How many of the filled lines were understood, from 0 to 1. */
export function understood(lines: readonly string[], { rest }: GitOutput): number {
  const filled = lines.filter((line) => line.trim() !== '').length
  const open = rest.filter((line) => !isChatter(line)).length
  return filled === 0 ? 0 : (filled - open) / filled
}
