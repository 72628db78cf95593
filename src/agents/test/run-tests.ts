import { realpath } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { z } from 'zod'
import { isObject, type JsonObject } from '../../core/event/json.ts'
import { messageOf } from '../../errors.ts'
import { isWithin } from '../../files/confine.ts'
import { readInside } from '../../files/files.ts'
import { nodePath } from '../../nodes/source-path.ts'
import { plainPath } from '../../summarize/place.ts'
import { readable } from '../../summarize/readable.ts'
import type { Problem } from '../../summarize/reports/report.ts'
import { testSentence } from '../../summarize/reports/reported.ts'
import { readCrash } from '../../summarize/reports/reports.ts'
import { error, partial, success, type ToolResult } from '../../tool/result.ts'
import { StoredOutput } from '../../tool/stored-output.ts'
import { defineTool, type ToolContext } from '../../tool/tool.ts'
import { projectTests } from '../../trust/trust.ts'
import { codeNow } from '../code.ts'
import { linesAround } from '../excerpt.ts'
import { type Related, testsFor } from './related.ts'
import { type Ran, runGroup, whyNoResult } from './run-group.ts'
import type { Runner } from './runner.ts'
import { runnerFor } from './runner-for.ts'

const FAILURES_MAX = 50
/** Of failures among the open problems; how many more there are is said. */
const OPEN_MAX = 20
const WHY_KNOWN_MAX = 5
/** Of what a runner said that ended without a report. */
const SAID_CHARS_MAX = 200
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
    if (path === undefined) return testsRunFor([about], context)
    return runRelated([{ path, reason: 'was asked for' }], [about], context)
  },
})

export async function testsRunFor(
  about: readonly string[],
  context: ToolContext,
): Promise<ToolResult | StoredOutput> {
  const code = await codeNow(context)
  const related = about.flatMap((path) => testsFor(code, path))
  return runRelated([...new Map(related.map((one) => [one.path, one])).values()], about, context)
}

async function runRelated(
  related: readonly Related[],
  about: readonly string[],
  context: ToolContext,
): Promise<ToolResult | StoredOutput> {
  if (related.length === 0) return noTests(about)
  return runAll(related, about, context).catch((thrown: unknown) => {
    if (context.signal.aborted) throw thrown
    return notRun(messageOf(thrown))
  })
}

/** Tests of several packages have runners of their own; one of them without a result is no result. */
async function runAll(
  related: readonly Related[],
  about: readonly string[],
  context: ToolContext,
): Promise<ToolResult | StoredOutput> {
  const groups = new Map<string, { runner: Runner; files: string[] }>()
  for (const { path } of related) {
    const runner = await runnerFor(context, path)
    const key = `${runner.name}\0${runner.folder}`
    const group = groups.get(key) ?? { runner, files: [] }
    group.files.push(path)
    groups.set(key, group)
  }
  const top = await realpath(context.workspace)
  const ran: Ran[] = []
  for (const { runner, files } of groups.values()) {
    const one = await runGroup(runner, files, context)
    const problem = whyNoResult(one, top)
    if (problem !== undefined) return stored(one, noResult(one, problem, top))
    ran.push(one)
  }
  const why = related.map(({ path, reason }) => `${path} ${reason}`)
  const [first] = ran
  const shown = await withFocus(testsResult(ran, about, why, top), context.workspace)
  return first && ran.length === 1 ? stored(first, shown) : shown
}

const stored = ({ ended }: Ran, shown: ToolResult): ToolResult | StoredOutput =>
  ended.raw ? new StoredOutput(ended.raw, shown) : shown

const noTests = (about: readonly string[]): ToolResult =>
  success({ passed: 0, failed: 0, files: [] }, `No tests belong to ${about.join(', ')}.`, {
    tests_files: [],
    tests_passed: 0,
    tests_failed: 0,
    tests_errors: 0,
    test_failures: [],
  })

function testsResult(
  ran: readonly Ran[],
  about: readonly string[],
  why: readonly string[],
  top: string,
): ToolResult {
  const counts = { passed: 0, failed: 0, errors: 0, skipped: 0 }
  for (const { report, ended } of ran) {
    const { passed = 0, failed = 0, errors = 0, skipped = 0 } = report?.counts ?? {}
    counts.passed += passed
    counts.failed += failed
    // A file that can't be loaded is often no test of its own.
    counts.errors += errors + (failed + errors === 0 && ended.exit_code !== 0 ? 1 : 0)
    counts.skipped += skipped
  }
  const names = [...new Set(ran.map(({ runner }) => runner.name))].join(', ')
  const files = ran.flatMap((one) => [...one.files])
  const failures = ran.flatMap((one) => failuresOf(one, top)).slice(0, FAILURES_MAX)
  const all = Math.max(failures.length, counts.failed + counts.errors)
  const named = failures.slice(0, OPEN_MAX)
  const output = ran.map(({ ended }) => ended.text).join('\n')
  const knowledge = {
    test_runner: names,
    tests_files: files,
    tests_why: why.slice(0, WHY_KNOWN_MAX),
    tests_passed: counts.passed,
    tests_failed: counts.failed,
    tests_errors: counts.errors,
    test_failures: known(failures, all),
  }
  const exit_code = ran.find(({ ended }) => ended.exit_code !== 0)?.ended.exit_code ?? 0
  const result = { runner: names, files, why: [...why], ...counts, failures, exit_code, output }
  const stated = {
    diagnostics: [
      null,
      ...named.map(({ name, message }) => `${name}: ${message}`),
      ...(all > named.length ? [`and ${all - named.length} more`] : []),
    ],
    output: output.replaceAll(`${top}/`, ''),
  }
  const sentence = `${testSentence(counts)} (${names})`
  if (counts.failed + counts.errors > 0)
    return partial(result, `${sentence}: ${known(failures, all).join('; ')}`, knowledge, stated)
  const tried = ran.some(({ seen }) => about.some((path) => seen.loaded.has(path)))
  return success(
    result,
    tried ? `${sentence}.` : `${sentence}, and none of them loaded ${about.join(', ')}.`,
    knowledge,
    stated,
  )
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

function noResult({ ended: { text } }: Ran, why: string, top: string): ToolResult {
  const output = text.replaceAll(`${top}/`, '')
  const crash = readCrash(readable(output))?.problems.at(-1)?.message
  const said =
    crash?.slice(0, SAID_CHARS_MAX) ?? output.trim().split('\n').slice(-3).join(' ').slice(-SAID_CHARS_MAX)
  const words = why.startsWith('no result') ? why : `${why}: ${said}`
  return notRun(words.replace(/^no/, 'No'), { result: { output: text }, output })
}

/** Why the tests did not run stays known, to be told at the end. */
const notRun = (why: string, stated?: Parameters<typeof error>[2]): ToolResult => ({
  ...error(why, undefined, { ...stated, supersedes: COUNTS }),
  knowledge_delta: { tests_failure: why },
})

function failuresOf({ report, runner }: Ran, top: string): JsonObject[] {
  return (report?.problems ?? []).slice(0, FAILURES_MAX).map((problem) => {
    const path = problem.path && insidePath(problem.path, top, runner.folder)
    const place = whereOf(path, problem)
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

const whereOf = (path: string | undefined, { line }: Problem): string =>
  path === undefined ? '' : line === undefined ? path : `${path}:${line}`

/** Runners write absolute paths, or such from their own folder; the packet holds those of the project. */
function insidePath(path: string, top: string, folder: string): string {
  const plain = plainPath(path)
  if (isWithin(top, plain)) return relative(top, plain)
  return isAbsolute(plain) ? plain : join(folder, plain)
}

function known(failures: readonly JsonObject[], all: number): string[] {
  const shown = failures
    .slice(0, FAILURES_KNOWN_MAX)
    .map(({ name }) => String(name).slice(0, FAILURE_CHARS_MAX))
  const more = all - shown.length
  return more > 0 ? [...shown, `and ${more} more`] : shown
}
