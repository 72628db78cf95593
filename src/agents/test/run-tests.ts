import { realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { messageOf } from '../../errors.ts'
import { isObject, type JsonObject } from '../../event/json.ts'
import { isWithin } from '../../files/confine.ts'
import { readInside } from '../../files/files.ts'
import { nodePath } from '../../nodes/node-path.ts'
import type { Problem, Report } from '../../summarize/reports/report.ts'
import { readReport } from '../../summarize/reports/reports.ts'
import { testSentence } from '../../summarize/reports/structured.ts'
import { type CommandResult, runCommand } from '../../tool/command/run.ts'
import { error, partial, success, type ToolResult } from '../../tool/result.ts'
import { StoredOutput } from '../../tool/stored-output.ts'
import { defineTool, type ToolContext } from '../../tool/tool.ts'
import { projectTests } from '../../trust/trust.ts'
import { linesAround } from '../excerpt.ts'
import { testsFor } from './related.ts'
import { type Runner, runnerFor } from './runner.ts'

const FAILURES_MAX = 50
/** What is no longer known once the tests could not be run. */
const COUNTS = ['tests_passed', 'tests_failed', 'tests_errors', 'test_failures']
/** Failures in the packet's knowledge, and the length of each: they must fit into one call. */
const FAILURES_KNOWN_MAX = 3
const FAILURE_CHARS_MAX = 100

export const runTests = defineTool({
  name: 'run_tests',
  description: 'Runs a test file, or all tests that belong to the file worked on.',
  // Tests are free to do anything, but they are made to be run again.
  effect: 'idempotent',
  input: z.strictObject({
    path: z.string().optional().describe('a test file; leave it out to run all that belong'),
  }),
  trustRequests: async () => [projectTests],
  async run({ path }, context) {
    const about = nodePath(context.node.id)
    const files = path === undefined ? await testsFor(context.workspace, about) : [path]
    const [first] = files
    if (first === undefined) return noTests(about)
    const runner = await runnerFor(context, first).catch((thrown: unknown) => messageOf(thrown))
    if (typeof runner === 'string') return error(runner, undefined, { supersedes: COUNTS })
    const ended = await run(runner, files, context)
    const top = await realpath(context.workspace)
    const shown = await withFocus(resultOf(runner, files, ended, top), context.workspace)
    return ended.raw ? new StoredOutput(ended.raw, shown) : shown
  },
})

async function run(runner: Runner, files: readonly string[], context: ToolContext): Promise<CommandResult> {
  const argv = runner.argv(files)
  const { workspace: root, signal, keep } = context
  return runCommand(argv, {
    root,
    signal,
    allow: [{ program: argv[0] ?? '' }],
    path: [join(root, 'node_modules', '.bin')],
    env: { PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: root },
    ...(keep ? { keep } : {}),
  })
}

const noTests = (path: string): ToolResult =>
  success({ passed: 0, failed: 0, files: [] }, `No tests belong to ${path}.`, {
    tests_files: [],
    tests_passed: 0,
    tests_failed: 0,
    tests_errors: 0,
    test_failures: [],
  })

function resultOf(runner: Runner, files: readonly string[], ended: CommandResult, top: string): ToolResult {
  const report = readReport(ended.text, { tool: runner.name.replace('node:test', 'node --test') })
  if (ended.stopped !== undefined)
    return notRun(runner, ended, `was stopped (${ended.stopped}) after ${ended.duration_ms} ms`, top)
  if (report?.kind !== 'tests')
    return notRun(runner, ended, `ended with ${ended.exit_code} and no report`, top)
  const { passed = 0, failed = 0, errors = 0, skipped = 0 } = report.counts
  const failures = failuresOf(report, top)
  // A file that can't be loaded is often no test of its own.
  const broken = failed + errors === 0 && ended.exit_code !== 0 ? 1 : 0
  const counts = { passed, failed, errors: errors + broken, skipped }
  const knowledge = {
    test_runner: runner.name,
    tests_files: [...files],
    tests_passed: passed,
    tests_failed: failed,
    tests_errors: counts.errors,
    test_failures: known(failures),
  }
  const result = {
    runner: runner.name,
    files: [...files],
    ...counts,
    failures,
    exit_code: ended.exit_code,
    output: ended.text,
  }
  const stated = {
    diagnostics: [null, ...failures.map(({ name, message }) => `${name}: ${message}`)],
    output: ended.text.replaceAll(`${top}/`, ''),
  }
  if (failed + counts.errors === 0)
    return success(result, `${testSentence(counts)} (${runner.name}).`, knowledge, stated)
  const listed = known(failures).join('; ')
  return partial(result, `${testSentence(counts)} (${runner.name}): ${listed}`, knowledge, stated)
}

/** The lines around the first failure, where the report says which they are. */
async function withFocus(shown: ToolResult, workspace: string): Promise<ToolResult> {
  const failures = isObject(shown.result) ? shown.result['failures'] : []
  const first = Array.isArray(failures) ? failures.find((one) => isObject(one) && 'line' in one) : undefined
  const { path, line } = isObject(first) ? first : {}
  if (typeof path !== 'string' || typeof line !== 'number') return { ...shown, focus: null }
  const text = await readInside(workspace, path).catch(() => undefined)
  return { ...shown, focus: text ? linesAround(path, text.toString(), line) : null }
}

function notRun(runner: Runner, { text }: CommandResult, why: string, top: string): ToolResult {
  const last = text.trim().split('\n').slice(-3).join(' ').slice(-200)
  const output = text.replaceAll(`${top}/`, '')
  return error(`${runner.name} ${why}: ${last}`, undefined, {
    result: { output: text },
    output,
    supersedes: COUNTS,
  })
}

function failuresOf({ problems }: Report, top: string): JsonObject[] {
  return problems.slice(0, FAILURES_MAX).map((problem) => {
    const path = problem.path === undefined ? undefined : insidePath(problem.path, top)
    const place = placeOf(path, problem)
    // unittest says the name twice: `test_a (tests.test_x.T.test_a)`.
    const test = problem.test?.replace(/ \([\w.]+\)$/, '')
    return {
      name: [place, test].filter(Boolean).join(' '),
      ...(path === undefined ? {} : { path }),
      ...(problem.line === undefined ? {} : { line: problem.line }),
      ...(test === undefined ? {} : { test }),
      message: problem.message,
    }
  })
}

const placeOf = (path: string | undefined, { line }: Problem): string =>
  path === undefined ? '' : line === undefined ? path : `${path}:${line}`

/** Runners write absolute paths; the packet holds those of the project. */
function insidePath(path: string, top: string): string {
  const plain = path.startsWith('file://') ? path.slice('file://'.length) : path
  return isWithin(top, plain) ? relative(top, plain) : plain.replace(/^\.\//, '')
}

function known(failures: readonly JsonObject[]): string[] {
  const shown = failures
    .slice(0, FAILURES_KNOWN_MAX)
    .map(({ name }) => String(name).slice(0, FAILURE_CHARS_MAX))
  const more = failures.length - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}
