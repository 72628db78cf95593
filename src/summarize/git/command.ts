import { isQuiet, keepsLines, type Program, type ShellCommand } from '../../text/shell.ts'

/** One `git …` of a shell command. */
export interface GitCall {
  readonly subcommand: string
  readonly args: readonly string[]
  /** From `-C dir`; empty when it ran where the shell stood. */
  readonly folder: string
  /** What its output went through: `| head -20`. */
  readonly filters: readonly Program[]
}

export interface GitCommand {
  readonly calls: readonly GitCall[]
  /** Whether all that the command shows is git's. */
  readonly alone: boolean
}

const TAKES_VALUE = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path'])
/** The git calls in a shell command, with options of git itself (`-C dir`, `--no-pager`) passed over. */
export function gitCommand(programs: ShellCommand): GitCommand {
  const calls: GitCall[] = []
  let alone = true
  for (const [first, ...filters] of programs) {
    const words = first === undefined ? undefined : gitWords(first)
    if (words && first?.into === undefined && filters.every(keepsLines)) calls.push({ ...words, filters })
    else if (first && !words && first.into === undefined && !isQuiet(first)) alone = false
  }
  return { calls, alone: alone && calls.length > 0 }
}

/** The subcommand and its words; a program that is given `git …` to run counts as git. */
function gitWords({ name, args }: Program): Omit<GitCall, 'filters'> | undefined {
  const isGit = /^git(\.exe)?$/i.test(name)
  if (!isGit && args[0] !== 'git') return undefined
  let at = isGit ? 0 : 1
  let folder = ''
  while (args[at]?.startsWith('-')) {
    if (args[at] === '-C') folder = args[at + 1] ?? ''
    at += TAKES_VALUE.has(args[at] ?? '') ? 2 : 1
  }
  return { subcommand: args[at] ?? '', args: args.slice(at + 1), folder }
}
