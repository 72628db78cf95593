import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin } from '../../files/confine.ts'
import { plainPath } from '../../summarize/place.ts'
import { readable } from '../../summarize/readable.ts'
import type { ToolReport } from '../../summarize/reports/report.ts'
import { readCrash, readReport } from '../../summarize/reports/reports.ts'
import { type CommandResult, runCommand } from '../../tool/command/run.ts'
import type { ToolContext } from '../../tool/tool.ts'
import { canaryFor, type LoadedCode } from './canary.ts'
import type { Runner } from './runner.ts'

/** One command that was run, what it reported, and which code it loaded. */
export interface Ran {
  readonly runner: Runner
  readonly files: readonly string[]
  readonly ended: CommandResult
  readonly report: ToolReport | undefined
  readonly seen: LoadedCode
}

/** The one place that runs a project's tests. */
export async function runGroup(runner: Runner, files: readonly string[], context: ToolContext): Promise<Ran> {
  const { workspace: root, project, signal, keep, offline = false } = context
  const { NODE_OPTIONS: nodeOptions = '', ...env } = runner.env ?? {}
  const canary = await canaryFor({ workspace: root, project, roots: runner.roots ?? [''], nodeOptions })
  const shared = {
    root,
    signal,
    offline,
    cwd: runner.folder === '' ? '.' : runner.folder,
    path: [join(root, runner.folder, 'node_modules', '.bin'), join(root, 'node_modules', '.bin')],
    // Tests of colours would fail where none are wanted; into a pipe nobody writes them unasked.
    env: { NO_COLOR: undefined, ...env, ...canary.env },
  }
  try {
    const argv = runner.argv(files)
    const ended = await runCommand(argv, {
      ...shared,
      allow: [{ program: argv[0] ?? '' }],
      ...(keep ? { keep } : {}),
    })
    const text = readable(ended.text)
    const read = readReport(text)
    const report = read?.kind === 'tests' ? read : crashIn(text, ended.exit_code, await realpath(root))
    return { runner, files, ended, report, seen: await canary.read() }
  } finally {
    await canary.remove()
  }
}

/** A runner that dies in the workspace's own code, before it reports anything, says that the tests can't be loaded. */
function crashIn(text: string, exit: CommandResult['exit_code'], top: string): ToolReport | undefined {
  const problems = exit === 0 ? [] : (readCrash(text)?.problems ?? [])
  const own = problems.findLast(({ path = '' }) => {
    const plain = plainPath(path)
    return isWithin(top, plain) && !plain.includes('/node_modules/')
  })
  return own && { tool: 'tests', kind: 'tests', counts: { errors: 1 }, problems: [own] }
}

/** Why nothing can be said of the tests: they did not run, or not on the workspace's code. */
export function whyNoResult({ runner, ended, report, seen }: Ran, top: string): string | undefined {
  const { name } = runner
  if (ended.stopped !== undefined)
    return `${name} was stopped (${ended.stopped}) after ${ended.duration_ms} ms`
  const [other] = seen.others
  if (other) {
    const more = seen.others.length > 1 ? ` and ${seen.others.length - 1} more` : ''
    const path = other.path.replace(`${top}/`, '')
    return `no result, because ${name} loaded other code: ${path}${more}, in place of ${other.own} of the workspace`
  }
  if (!seen.reported) return `no result: it could not be seen which code ${name} ran`
  if (report?.kind !== 'tests') return `${name} ended with ${ended.exit_code} and no report`
  return undefined
}
