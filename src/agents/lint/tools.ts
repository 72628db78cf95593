import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import { messageOf, missingPackage, TwotrackError } from '../../errors.ts'
import type { Json, JsonObject } from '../../event/json.ts'
import { readInside, writeInside } from '../../files/files.ts'
import { languageOf } from '../../nodes/grammar.ts'
import { textOf } from '../../nodes/node-file.ts'
import { nodePath } from '../../nodes/node-path.ts'
import { error, partial, type Stated, success, type ToolResult } from '../../tool/result.ts'
import { defineTool, type ToolContext } from '../../tool/tool.ts'
import { linesAround } from '../excerpt.ts'
import type { Issue, Linter, LintPlace } from './linter.ts'
import { pluginRequests } from './plugins.ts'

/** The linter of a file's language, and the file as it is now. */
async function lintPlace(context: ToolContext): Promise<{ linter: Linter; place: LintPlace }> {
  const { workspace, node, signal, trusts } = context
  const path = nodePath(node.id)
  const language = languageOf(path)
  if (language === null)
    throw new TwotrackError('bad_argument', `${path} is no Python, TypeScript or JavaScript file.`)
  const text = textOf(path, await readInside(workspace, path))
  const place = { workspace, path, text, signal, ...(trusts ? { trusts } : {}) }
  return { linter: await linterOf(language.name), place }
}

/** Loaded when it is first needed: each brings some 10 MB. */
async function linterOf(language: string): Promise<Linter> {
  try {
    return language === 'python' ? (await import('./ruff.ts')).ruff : (await import('./oxlint.ts')).oxlint
  } catch (thrown) {
    throw missingPackage(thrown, 'Linting')
  }
}

const runLinter = defineTool({
  name: 'run_linter',
  description:
    'Checks the file and counts its lint issues; with check_only false it first applies all safe fixes.',
  effect: 'idempotent',
  trustRequests: pluginRequests,
  input: z.strictObject({ check_only: z.boolean().default(true).describe('true: change nothing') }),
  async run({ check_only }, context) {
    try {
      const { linter, place } = await lintPlace(context)
      const fix = check_only ? undefined : await applied(linter, place)
      return await checkedResult(linter, { ...place, text: fix?.text ?? place.text }, fix)
    } catch (thrown) {
      if (context.signal.aborted) throw thrown
      // What an earlier run found is no longer known to be so.
      return error(messageOf(thrown), undefined, { supersedes: [...OUTDATED, 'lint_errors_remaining'] })
    }
  },
})

const applyFixes = defineTool({
  name: 'apply_fixes',
  description: 'Applies every safe fix of the linter to the file.',
  effect: 'idempotent',
  trustRequests: pluginRequests,
  input: z.strictObject({}),
  async run(_, context) {
    const { linter, place } = await lintPlace(context)
    const fix = await applied(linter, place)
    const knowledge = fixKnowledge(fix, place.path)
    const left = open({ ...place, text: fix.text }, fix.left)
    if (fix.fixed === 0)
      return partial(
        { fix_applied: false },
        `${linter.name} had nothing to fix safely in ${place.path}.`,
        knowledge,
        left,
      )
    return success(
      { fix_applied: true, codes: [...fix.codes] },
      `Fixed ${issues(fix.fixed)} in ${place.path}: ${fix.codes.join(', ')}.`,
      { ...knowledge, lint_errors_remaining: fix.left.length },
      { ...left, supersedes: OUTDATED },
    )
  },
})

const applyFix = defineTool({
  name: 'apply_fix',
  description: 'Applies the fix of one lint issue, named by its code and line.',
  effect: 'effect',
  trustRequests: pluginRequests,
  input: z.strictObject({
    issue_code: z.string().min(1).max(200).describe('the code as run_linter gives it'),
    line_number: z.int().positive(),
  }),
  async run({ issue_code: code, line_number: line }, context) {
    const { linter, place } = await lintPlace(context)
    const text = await linter.fixOne(place, { code, line })
    const knowledge = { fix_applied: text !== place.text, last_fix_issue_code: code, last_fix_line: line }
    if (text === place.text)
      return partial(
        { ...knowledge },
        `${place.path}:${line}: ${code} has no fix there; nothing changed.`,
        knowledge,
      )
    await writeInside(place.workspace, place.path, text)
    const left = await linter.find({ ...place, text })
    return success(
      { ...knowledge },
      `Fixed ${code} at ${place.path}:${line}.`,
      { ...knowledge, changed_files: [place.path], lint_errors_remaining: left.length },
      { ...open({ ...place, text }, left), supersedes: OUTDATED },
    )
  },
})

/** What a fix makes untrue until the linter has run again. */
const OUTDATED = ['lint_errors_fixable', 'next_issue']
const OPEN_MAX = 20

/** The problems that are open now, and the lines around the one to look at next. The output would say the same again. */
function open({ path, text }: LintPlace, found: readonly Issue[]): Stated {
  const next = found.find(({ fixable }) => fixable) ?? found[0]
  const lines = found
    .slice(0, OPEN_MAX)
    .map(
      ({ line, code, message, fixable }) =>
        `${path}:${line} ${code} ${message}${fixable ? ' (safe fix)' : ''}`,
    )
  const more = found.length - lines.length
  return {
    diagnostics: [null, ...lines, ...(more > 0 ? [`and ${more} more in ${path}`] : [])],
    focus: next ? linesAround(path, text, next.line) : null,
    output: null,
  }
}

interface Fix {
  readonly text: string
  readonly fixed: number
  readonly codes: readonly string[]
  /** What is found after it. */
  readonly left: readonly Issue[]
}

async function applied(linter: Linter, place: LintPlace): Promise<Fix> {
  const before = await linter.find(place)
  if (before.length === 0) return { text: place.text, fixed: 0, codes: [], left: [] }
  const { text, left } = await linter.fixAll(place)
  if (text === place.text) return { text, fixed: 0, codes: [], left: before }
  await writeInside(place.workspace, place.path, text)
  const count = (issues: readonly Issue[], code: string) =>
    issues.filter((issue) => issue.code === code).length
  const codes = [...new Set(before.map(({ code }) => code))]
  return {
    text,
    // A fix can bring to light what it stood in front of.
    fixed: Math.max(1, before.length - left.length),
    codes: codes.filter((code) => count(left, code) < count(before, code)),
    left,
  }
}

const fixKnowledge = ({ fixed }: Fix, path: string): Record<string, Json> => ({
  fix_applied: fixed > 0,
  lint_errors_fixed: fixed,
  ...(fixed > 0 ? { changed_files: [path] } : {}),
})

async function checkedResult(linter: Linter, place: LintPlace, fix: Fix | undefined): Promise<ToolResult> {
  const found = await linter.check(place)
  const fixable = found.filter((issue) => issue.fixable)
  const knowledge = {
    lint_errors_remaining: found.length,
    lint_errors_fixable: fixable.length,
    next_issue: nextIssue(fixable[0] ?? found[0]),
    ...(fix ? fixKnowledge(fix, place.path) : {}),
  }
  const result = {
    linter: linter.name,
    ...(fix ? { fixed: fix.fixed } : {}),
    fixable: fixable.length,
    total: found.length,
    issues: found.map((issue) => ({ path: place.path, ...issue })),
  }
  const done = fix && fix.fixed > 0 ? `Fixed ${issues(fix.fixed)}; ` : ''
  const left = open(place, found)
  if (found.length === 0)
    return success(result, `${done}${place.path} has no lint issues left.`, knowledge, left)
  return partial(
    result,
    `${done}${issues(found.length)} in ${place.path}, ${fixable.length} fixable: ${listed(found)}`,
    knowledge,
    left,
  )
}

const nextIssue = (issue: Issue | undefined): JsonObject | null =>
  issue === undefined ? null : { code: issue.code, line: issue.line }

const issues = (count: number): string => `${count} lint ${count === 1 ? 'issue' : 'issues'}`

const listed = (found: readonly Issue[]): string =>
  found
    .slice(0, 8)
    .map(({ code, line }) => `${code} line ${line}`)
    .join(', ')

/** What was wrong before the agent began, so that its result can say what it fixed. */
const linterConfig: ContextProvider = async (context) => {
  const { linter, place } = await lintPlace(context)
  const [found, configuration] = await Promise.all([linter.find(place), linter.configuration(place)])
  return { linter: linter.name, linter_config: configuration, lint_errors_at_start: found.length }
}

export const lintCode: AgentCode = {
  tools: Object.fromEntries([runLinter, applyFixes, applyFix].map((tool) => [tool.name, tool])),
  context: { linter_config: linterConfig },
  summarizers: {},
}
