import { realpath } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { collectCommand } from '../collect-command.ts'
import type { Formatter, Linter, LintProblem, LintProblems } from './linter.ts'
import type { ToolProgram } from './programs.ts'
import { readCheck } from './report.ts'
import type { LinterRow, ToolRow } from './rows.ts'
import { wordsOf } from './scripts.ts'
import type { Tree } from './tree.ts'

/** Whole projects are linted with types in one go; that takes its time. */
const DEADLINE_MS = 900_000
/** Of all paths of one command line. */
const PATHS_CHARS_MAX = 100_000
const FILES = '{files}'

export interface ToolUse<Row extends ToolRow> {
  readonly row: Row
  readonly program: ToolProgram
  readonly config: string
  /** Where it runs, relative to the project's top. */
  readonly folder: string
  /** What of the project's own command line is kept. */
  readonly subcommand?: string | undefined
  readonly flags?: readonly string[]
  readonly covers: (path: string) => boolean
}

export function commandLinter(usage: ToolUse<LinterRow>): Linter {
  const { row, config, covers } = usage
  const { fix, fixRule, ruleOf = (code: string) => code } = row
  const write = async (tree: Tree, paths: readonly string[], command: string, rule = '') => {
    for (const part of parts(paths)) {
      const { exit_code, text } = await run(tree, part, usage, command, rule)
      tree.written(part)
      // It may have been writing.
      if (exit_code === null) throw cantRun(row.name, text, exit_code)
    }
  }
  return {
    name: labelOf(usage),
    config,
    covers,
    last: row.last,
    check: (tree, paths) => problemsFound(tree, paths, usage),
    ...(fix && { fix: (tree, paths) => write(tree, paths, fix) }),
    ...(fixRule && { fixRule: (tree, paths, code) => write(tree, paths, fixRule, ruleOf(code)) }),
  }
}

export const commandFormatter = (usage: ToolUse<ToolRow & { readonly fix: string }>): Formatter => ({
  name: labelOf(usage),
  config: usage.config,
  async write(tree, paths) {
    for (const part of parts(paths)) {
      const { exit_code, text } = await run(tree, part, usage, usage.row.fix)
      tree.written(part)
      if (exit_code !== 0) throw cantRun(usage.row.name, text, exit_code)
    }
  },
})

const labelOf = ({ row, program: { label = row.name, version } }: ToolUse<ToolRow>): string =>
  `${label} ${version}`.trim()

async function problemsFound(
  tree: Tree,
  paths: readonly string[],
  usage: ToolUse<LinterRow>,
): Promise<LintProblems> {
  const problems = new Map<string, LintProblem[]>()
  const top = await realpath(tree.root)
  const { row, folder, flags = [] } = usage
  // A project may have warnings fail its check: alone they show it by how it ends.
  const isStrict = flags.some((flag) => /^--(deny|max|error-on)-warnings/.test(flag))
  for (const part of row.check.includes(FILES) ? parts(paths) : [[]]) {
    const { stdout, text, exit_code } = await run(tree, part, usage, row.check)
    const reported = exit_code === null ? undefined : readCheck(row.report, stdout, exit_code, row.name)
    if (!reported) throw cantRun(row.name, text, exit_code)
    const areCounted = exit_code !== 0 && (isStrict || reported.every(({ isWarning }) => isWarning))
    for (const { path, isWarning, ...named } of reported) {
      const problem = isWarning && !areCounted ? { ...named, isWarning } : named
      const own = relative(top, resolve(top, folder, path))
        .split(sep)
        .join('/')
      problems.set(own, [...(problems.get(own) ?? []), problem])
    }
  }
  return problems
}

async function run(
  tree: Tree,
  paths: readonly string[],
  usage: ToolUse<ToolRow>,
  command: string,
  rule = '',
) {
  const { root, signal } = tree
  const { program, folder, subcommand = usage.row.subcommands?.at(-1) ?? '', flags = [] } = usage
  await tree.settle()
  const own = paths.map((path) => relative(folder, path).split(sep).join('/'))
  const files = own.map((path) => (path.startsWith('-') ? `./${path}` : path))
  const args = wordsOf(command)
    .slice(1)
    .flatMap((word) =>
      word === FILES
        ? files
        : word === '{flags}'
          ? flags
          : word.replace('{rule}', rule).replace('{subcommand}', subcommand),
    )
  const { file, args: first = [], env = {} } = program
  const options = { root, cwd: folder === '' ? '.' : folder, signal, deadlineMs: DEADLINE_MS, env }
  return collectCommand([file, ...first, ...args], { ...options, allow: [{ program: file }] })
}

function parts(paths: readonly string[]): string[][] {
  const all: string[][] = []
  let chars = Number.POSITIVE_INFINITY
  for (const path of paths) {
    chars += path.length + 1
    if (chars > PATHS_CHARS_MAX) {
      all.push([])
      chars = path.length + 1
    }
    all.at(-1)?.push(path)
  }
  return all
}

function cantRun(name: string, text: string, exit_code: number | null): TwotrackError {
  const how = exit_code === null ? 'was killed, or stopped at its deadline' : `ended with ${exit_code}`
  const said = text.trim().slice(0, 400) || `nothing, and ${how}`
  return new TwotrackError('bad_config', `${name} could not run; it said: ${said}`)
}
