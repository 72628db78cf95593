import { cut } from '../../text/cut.ts'
import { onOneLine, quoted } from '../../text/lines.ts'
import { isQuiet, keepsLines, type Program } from '../../text/shell.ts'
import { highlightsIn } from '../highlights.ts'
import { failedStep, type Observation, type Summarizer, type Summary } from '../summarizer.ts'
import { linesOf } from '../within.ts'
import { changesIn, commitsIn, statusIn } from './changes.ts'

const TAKES_VALUE = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path'])
/** Lines in which git says what it did, and what it could not do. */
const DONE =
  /^(?:\[\S.{0,200} [0-9a-f]{7,40}\] |Switched to |Already |HEAD is now at |Updated \d{1,9} paths? from |Saved working |Dropped |Deleted branch |No local changes |Everything up-to-date|Fast-forward|Merge made by|Successfully rebased |Cloning into |\s{0,4}[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}\s| \* \[new )/
const FAILED = /^(?:CONFLICT \(|fatal: |error: | ! \[)/
const MESSAGES_SHOWN = 2
const MESSAGES_MAX = 40
/** A refusal is short; an `error:` in long output may be that of a hook. */
const REFUSAL_LINES_MAX = 40
const HIGHLIGHTS_MAX = 40
/** What it means that a call showed nothing. */
const NOTHING: Readonly<Record<string, string>> = {
  diff: 'no changes',
  status: 'clean working tree',
  log: 'no commits',
  stash: 'no stashes',
}

/** Git ran, and nothing else that shows anything; or the output begins as only git's does. */
export const git: Summarizer = {
  name: 'git',
  summarize(seen) {
    const { intent, programs } = seen.call
    if (intent.kind !== 'run' && intent.kind !== 'other') return undefined
    const asked = programs.flatMap(([first, ...filters]) =>
      first && filters.every(keepsLines) ? (subcommandOf(first) ?? []) : [],
    )
    const others = programs.some(([first]) => first && !subcommandOf(first) && !isQuiet(first))
    const sure = (asked.length > 0 && !others) || BEGINS.test(seen.shown.slice(0, 300))
    return sure ? summaryOf(seen, asked) : undefined
  },
}

const BEGINS = /^\s{0,80}(?:diff --git |On branch \S|HEAD detached at |commit [0-9a-f]{40}\b)/

/** The word after `git` and git's own options. */
function subcommandOf({ name, args }: Program): string | undefined {
  if (name !== 'git' && args[0] !== 'git') return undefined
  let at = name === 'git' ? 0 : 1
  while (args[at]?.startsWith('-')) at += TAKES_VALUE.has(args[at] ?? '') ? 2 : 1
  return args[at] ?? ''
}

function summaryOf(seen: Observation, asked: readonly string[]): Summary | undefined {
  const { label } = seen.call
  const [only] = asked.length === 1 ? asked : []
  if (seen.shown === '') {
    const nothing = seen.outcome === 'error' ? undefined : NOTHING[only ?? '']
    return nothing === undefined ? undefined : { summary: `${label}: ${nothing}`, output: null }
  }
  const { lines, place } = linesOf(seen.shown)
  const matching = (pattern: RegExp) =>
    lines.flatMap((line, at) => (pattern.test(line) ? [at] : [])).slice(0, MESSAGES_MAX)
  const bad = lines.length > REFUSAL_LINES_MAX ? [] : matching(FAILED)
  const good = matching(DONE)
  const changes = changesIn(lines)
  const messages = [...bad.slice(0, MESSAGES_SHOWN), ...good.slice(0, MESSAGES_SHOWN)]
  const parts = [
    ...messages.map((at) => quoted(cut(onOneLine(lines[at] ?? ''), 200))),
    ...(changes ? [changes.text] : []),
    ...(asked.includes('status') || /^On branch /m.test(seen.shown) ? statusIn(lines) : []),
    ...commitsIn(
      lines,
      asked.some((word) => word === 'log' || word === 'reflog' || word === 'show'),
    ),
  ]
  if (parts.length === 0) return undefined
  const summary = cut(`${label}: ${parts.join('; ')}`, 290)
  const failed = seen.outcome === 'error' || (bad.length > 0 && good.length === 0)
  const highlights = [...bad, ...(changes?.heads ?? []), ...good]
  return {
    ...(failed ? failedStep(summary) : { summary }),
    ...(!failed && bad.length > 0 ? { outcome: 'partial' } : {}),
    highlights: (highlights.length > 0 ? highlights : highlightsIn(lines))
      .slice(0, HIGHLIGHTS_MAX)
      .map(place),
  }
}
