import { cut } from '../../text/cut.ts'
import type { Observation, Summarizer, Summary } from '../summarizer.ts'
import { within } from '../within.ts'
import { type GitCall, gitCommand } from './command.ts'
import { readGitOutput, understood } from './output.ts'
import { gitSentence } from './sentence.ts'

/** The share of lines that must be understood; half of it where nothing but git ran. */
const UNDERSTOOD_MIN = 0.6
/** A refusal is short; an `error:` in long output may be that of a hook. */
const REFUSAL_LINES_MAX = 12
/** Of long output the beginning tells whether the rest is worth reading. */
const PROBE_LINES_MAX = 2_000

/** Git ran, and nothing else that shows anything; or the output begins as only git's does. */
export const git: Summarizer = {
  name: 'git',
  summarize(seen) {
    const calls = callsOf(seen)
    if (calls === undefined) return undefined
    const { alone } = calls
    return alone || beginsLikeGit(seen.shown) ? read(seen, calls.calls, alone) : undefined
  },
}

/** Git among other programs, or a diff from anywhere: by the output alone, once no report was found in it. */
export const gitOutput: Summarizer = {
  name: 'git-output',
  summarize(seen) {
    const calls = callsOf(seen)
    const asked = calls !== undefined && (calls.calls.length > 0 || HOLDS_GIT.test(seen.shown))
    return asked ? read(seen, calls.calls, false) : undefined
  },
}

function callsOf(seen: Observation): ReturnType<typeof gitCommand> | undefined {
  const { intent, programs } = seen.call
  if (intent.kind === 'run') return gitCommand(programs)
  return intent.kind === 'other' ? { calls: [], alone: false } : undefined
}

/** What no other program writes; the head of a plain `diff -u` is among it. */
const HOLDS_GIT =
  /^(?:diff --git |--- \S.{0,400}\n\+\+\+ \S|commit [0-9a-f]{40}\b|On branch \S|## \S{1,200}\.\.\.\S)/m

const beginsLikeGit = (text: string): boolean =>
  /^\s{0,80}(?:diff --git |On branch \S|HEAD detached at |commit [0-9a-f]{40}\b)/.test(text.slice(0, 200))

function read(seen: Observation, calls: readonly GitCall[], alone: boolean): Summary | undefined {
  const lines = within(seen.shown).split('\n')
  const [only] = alone && calls.length === 1 && seen.outcome !== 'error' ? calls : []
  const { label } = seen.call
  if (lines.every((line) => line.trim() === ''))
    return only && NOTHING[only.subcommand]
      ? { summary: `${label}: ${NOTHING[only.subcommand]}`, output: null }
      : undefined
  const least = alone ? UNDERSTOOD_MIN / 2 : UNDERSTOOD_MIN
  if (lines.length > PROBE_LINES_MAX && !isGits(lines.slice(0, PROBE_LINES_MAX), calls, least))
    return undefined
  const output = readGitOutput(lines, calls)
  const refused = alone && lines.length <= REFUSAL_LINES_MAX && output.said.some(({ bad }) => bad)
  if (!refused && understood(lines, output) < least) return undefined
  const sentence = gitSentence(output)
  if (sentence === '') return undefined
  const folder = calls.find((call) => call.folder !== '')?.folder ?? ''
  const problems = output.said.flatMap((said) => (said.bad ? [cut(said.sentence, 240)] : []))
  const failed = seen.outcome === 'error' || (problems.length > 0 && problems.length === output.said.length)
  return {
    summary: cut(`${label}: ${sentence}${folder ? ` in ${folder}` : ''}`, 290),
    ...(problems.length > 0 ? { outcome: failed ? 'error' : 'partial' } : {}),
    ...(problems.length > 0 ? { failedAttempt: cut(`${label}: ${problems[0]}`, 200) } : {}),
  }
}

const isGits = (lines: readonly string[], calls: readonly GitCall[], least: number): boolean =>
  understood(lines, readGitOutput(lines, calls)) >= least

/** What it means that a call showed nothing. */
const NOTHING: Readonly<Record<string, string>> = {
  diff: 'No changes',
  status: 'Clean working tree',
  log: 'No commits',
  stash: 'No stashes',
  grep: 'Nothing found',
}
