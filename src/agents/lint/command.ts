import { readFile, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { TwotrackError } from '../../errors.ts'
import { collectCommand } from '../collect-command.ts'
import type { FormatterKind } from './formatters.ts'
import type { LinterKind, Reported } from './kinds.ts'
import type { Formatter, Linter, Problem, Problems } from './linter.ts'
import type { Program } from './programs.ts'
import type { Tree } from './tree.ts'

/** Whole projects are linted with types in one go; that takes its time. */
const DEADLINE_MS = 900_000
/** Of all paths of one command line. */
const PATHS_CHARS_MAX = 100_000

/** How the project runs a tool. */
export interface Usage {
  readonly program: Program
  /** Its name, where it is not that of the kind. */
  readonly label?: string
  readonly config: string
  /** Where it runs, relative to the project's top. */
  readonly folder: string
  /** What of the project's own command line is kept. */
  readonly command: readonly string[]
  readonly covers: (path: string) => boolean
  readonly env?: Readonly<Record<string, string>>
}

/** A linter of the project, run as the project runs it. */
export function commandLinter(kind: LinterKind, usage: Usage): Linter {
  const { program, label = kind.name, config, covers, command } = usage
  const { fix } = kind
  return {
    name: `${label} ${program.version}`,
    config,
    covers,
    ...(kind.whole ? { whole: true } : {}),
    check: (tree, paths) => checked(tree, paths, kind, usage),
    ...(fix && {
      async fix(tree, paths, options) {
        const { passes = 1, last = [] } = kind
        for (let pass = 1; pass <= passes; pass++)
          for (const part of parts(paths)) {
            const without = [...(options.without ?? []), ...(pass < passes && !options.only ? last : [])]
            const { exit_code, text } = await run(tree, part, usage, fix(command, { ...options, without }))
            tree.written(part)
            // It may have been writing.
            if (exit_code === null) throw cantRun(kind.name, text, exit_code)
          }
      },
    }),
  }
}

export function commandFormatter({ name, args }: FormatterKind, usage: Usage): Formatter {
  return {
    name: `${name} ${usage.program.version}`,
    config: usage.config,
    async write(tree, paths) {
      for (const part of parts(paths)) {
        const { exit_code, text } = await run(tree, part, usage, args)
        tree.written(part)
        if (exit_code !== 0) throw cantRun(name, text, exit_code)
      }
    },
  }
}

async function checked(
  tree: Tree,
  paths: readonly string[],
  kind: LinterKind,
  usage: Usage,
): Promise<Problems> {
  const problems = new Map<string, Problem[]>()
  const top = await realpath(tree.root)
  for (const part of kind.whole ? [[]] : parts(paths)) {
    const { stdout, text, exit_code } = await run(tree, part, usage, kind.check(usage.command))
    // 1 is for what was found, and 2 where tsc found something. A report before a crash is none.
    const isCrash = exit_code === null || exit_code > (kind.whole ? 2 : 1)
    const reported = isCrash ? undefined : kind.read(stdout, exit_code)
    if (!reported) throw cantRun(kind.name, text, exit_code)
    for (const { path, offset, ...one } of reported) {
      const own = relative(top, resolve(top, usage.folder, path))
        .split(sep)
        .join('/')
      const problem = offset === undefined ? one : { ...one, ...(await placeOf(join(top, own), offset)) }
      problems.set(own, [...(problems.get(own) ?? []), problem])
    }
  }
  return problems
}

async function run(tree: Tree, paths: readonly string[], usage: Usage, args: readonly string[]) {
  const { root, signal } = tree
  const { program, folder, env = {} } = usage
  await tree.settle()
  const own = paths.map((path) => relative(folder, path).split(sep).join('/'))
  const files = own.map((path) => (path.startsWith('-') ? `./${path}` : path))
  const allow = [{ program: program.file, starts: args.slice(0, 1) }]
  const options = { root, cwd: folder === '' ? '.' : folder, signal, allow, deadline_ms: DEADLINE_MS, env }
  return collectCommand([program.file, ...args, ...files], options)
}

async function placeOf(file: string, offset: number): Promise<Pick<Reported, 'line' | 'column'>> {
  const before = (await readFile(file)).subarray(0, offset).toString()
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') }
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
