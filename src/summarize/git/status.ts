import { unquoted } from './diff.ts'

export interface Status {
  /** Empty when the output does not say. */
  readonly branch: string
  /** `ahead 2`, `behind 1`, `no commits yet`, `rebase in progress`. */
  readonly asides: readonly string[]
  readonly entries: readonly StatusEntry[]
}

export interface StatusEntry {
  /** `modified`, `staged new file`, `untracked`, `conflict`. */
  readonly state: string
  readonly path: string
}

interface Found {
  readonly status: Status
  readonly end: number
}

const BEGINS = /^(?:On branch |HEAD detached (?:at|from) |Not currently on any branch)/
const HEADINGS: Readonly<Record<string, string>> = {
  'Changes to be committed:': 'staged ',
  'Changes not staged for commit:': '',
  'Unmerged paths:': 'conflict, ',
  'Untracked files:': 'untracked',
  'Ignored files:': 'ignored',
}
const CLOSES =
  /^(?:no changes added to commit|nothing (?:added )?to commit|Untracked files not listed|It took |No commits yet)/

/** What `git status` writes for people. */
export function readLongStatus(lines: readonly string[], at: number): Found | undefined {
  const first = lines[at] ?? ''
  if (!BEGINS.test(first)) return undefined
  const branch = first.replace(/^On branch /, '')
  const asides: string[] = []
  const entries: StatusEntry[] = []
  let heading: string | undefined
  let end = at + 1
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ''
    const text = line.trim()
    const under = HEADINGS[text]
    if (under !== undefined) heading = under
    else if (text === '' || text.startsWith('(use "') || text.startsWith('(all ') || text.startsWith('(fix '))
      continue
    else if (/^(?:Your branch |and have |You have unmerged|You are |Last command|Next command)/.test(text))
      asides.push(...asideIn(text))
    else if (CLOSES.test(text)) {
      if (text.startsWith('No commits')) asides.push('no commits yet')
    } else if (heading !== undefined && /^\s/.test(line)) entries.push(entryUnder(heading, text))
    else break
  }
  return { status: { branch, asides, entries }, end }
}

function asideIn(text: string): string[] {
  const distance = /^Your branch is (ahead|behind) .{1,300} by (\d{1,9}) commit/.exec(text)
  if (distance) return [`${distance[1]} ${distance[2]}`]
  const both = /^and have (\d{1,9}) and (\d{1,9}) different commits/.exec(text)
  if (both) return [`ahead ${both[1]}, behind ${both[2]}`]
  const doing = /^You are currently (\w{1,30})/.exec(text)
  if (doing) return [`${doing[1]} in progress`]
  return text.startsWith('You have unmerged') ? ['unmerged paths'] : []
}

function entryUnder(heading: string, text: string): StatusEntry {
  const named = /^([a-z][a-z ]{2,20}):\s{1,20}(\S.*)$/.exec(text)
  if (!named || heading === 'untracked' || heading === 'ignored')
    return { state: heading, path: unquoted(text) }
  return { state: `${heading}${named[1]}`, path: unquoted(named[2] ?? '') }
}

const LETTERS: Readonly<Record<string, string>> = {
  M: 'modified',
  A: 'new file',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'typechange',
}
const SHORT = /^(?:([ MADRCTU?!])([ MADRCTU?!])|([MADRCTU])) (\S.*)$/
const BRANCH = /^## (?:No commits yet on )?(\S{1,300}?)(?:\.\.\.\S{1,300})?(?: \[([^\]]{1,60})\])?$/

/** `git status --short` and both porcelain forms. The letters alone prove nothing: the caller knows what was asked. */
export function readShortStatus(lines: readonly string[], at: number): Found | undefined {
  let branch = ''
  const asides: string[] = []
  const entries: StatusEntry[] = []
  let end = at
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ''
    const head = BRANCH.exec(line)
    if (head) {
      branch = head[1] ?? ''
      if (head[2] !== undefined) asides.push(head[2])
      continue
    }
    if (line.startsWith('# branch.head ')) branch = line.slice('# branch.head '.length)
    if (line.startsWith('# branch.')) continue
    const entry = shortEntry(line) ?? porcelainEntry(line)
    if (!entry) break
    entries.push(entry)
  }
  return end === at ? undefined : { status: { branch, asides, entries }, end }
}

function shortEntry(line: string): StatusEntry | undefined {
  const match = SHORT.exec(line)
  if (!match) return undefined
  // A first line whose leading space was trimmed away has one letter left.
  const [, index = ' ', tree = match[3] ?? ' ', , path = ''] = match
  return { state: stateOf(index, tree), path: unquoted(path) }
}

/** Porcelain version 2: `1 .M N... 100644 100644 100644 <hash> <hash> path`. */
function porcelainEntry(line: string): StatusEntry | undefined {
  if (line.startsWith('? ')) return { state: 'untracked', path: unquoted(line.slice(2)) }
  const match = /^([12u]) ([.MADRCTU])([.MADRCTU]) [NS][.CMU]{3} /.exec(line)
  if (!match) return undefined
  const before = match[1] === '1' ? 8 : match[1] === '2' ? 9 : 10
  const path = line.split(' ').slice(before).join(' ').split('\t', 1)[0] ?? ''
  const [index, tree] = [match[2], match[3]].map((letter) => (letter === '.' ? ' ' : (letter ?? ' ')))
  return { state: match[1] === 'u' ? 'conflict' : stateOf(index ?? ' ', tree ?? ' '), path: unquoted(path) }
}

function stateOf(index: string, tree: string): string {
  if (index === '?' || tree === '?') return 'untracked'
  if (index === '!') return 'ignored'
  const pair = index + tree
  if (pair.includes('U') || pair === 'AA' || pair === 'DD') return 'conflict'
  const staged = LETTERS[index]
  const later = LETTERS[tree]
  if (staged === undefined) return later ?? 'changed'
  return later === undefined ? `staged ${staged}` : `staged ${staged}, then ${later}`
}
