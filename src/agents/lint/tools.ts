import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import type { Json, JsonObject } from '../../core/event/json.ts'
import { messageOf } from '../../errors.ts'
import { error, partial, type Stated, success, type ToolResult } from '../../tool/result.ts'
import { defineTool, filesOf, type ToolContext } from '../../tool/tool.ts'
import { linesAround } from '../excerpt.ts'
import type { Linted } from './group.ts'
import { lintedFile, lintedOne } from './linted.ts'
import type { Issue } from './linter.ts'
import { toolRequests } from './requests.ts'

const runLinter = defineTool({
  name: 'run_linter',
  description:
    'Checks the file and counts its lint issues; with check_only false it first applies all safe fixes.',
  effect: 'idempotent',
  trustRequests: toolRequests,
  filesOnly: true,
  input: z.strictObject({ check_only: z.boolean().default(true).describe('true: change nothing') }),
  async run({ check_only }, context) {
    try {
      const fix = check_only ? undefined : await takeFixes(context)
      return checkedResult(fix?.after ?? (await lintedFile(context)), fix)
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
  trustRequests: toolRequests,
  filesOnly: true,
  input: z.strictObject({}),
  async run(_, context) {
    const fix = await takeFixes(context)
    const { before, after } = fix
    const knowledge = fixKnowledge(fix)
    if (fix.fixed === 0) {
      const why = before.refused === undefined ? '' : ` Not proposed: ${before.refused}.`
      const said = `${before.by} had nothing to fix safely in ${before.path}.${why}`
      return partial({ fix_applied: false, linter: before.by }, said, knowledge, open(after))
    }
    return success(
      { fix_applied: true, codes: [...fix.codes], linter: before.by, ...refusedIn(before) },
      `Fixed ${issues(fix.fixed)} in ${before.path}: ${fix.codes.join(', ')}.`,
      { ...knowledge, lint_errors_remaining: after.found.length },
      { ...open(after), supersedes: OUTDATED },
    )
  },
})

const applyFix = defineTool({
  name: 'apply_fix',
  description: 'Applies the fix of one lint issue, named by its code and line.',
  effect: 'effect',
  trustRequests: toolRequests,
  filesOnly: true,
  input: z.strictObject({
    issue_code: z.string().min(1).max(200).describe('the code as run_linter gives it'),
    line_number: z.int().positive(),
  }),
  async run({ issue_code: code, line_number: line }, context) {
    const { path, fixed, refused } = await lintedOne(context, { code, line })
    const knowledge = { fix_applied: fixed !== undefined, last_fix_issue_code: code, last_fix_line: line }
    if (!fixed) {
      const why = refused === undefined ? `${code} has no fix there` : `the fix is not taken: ${refused}`
      return partial({ ...knowledge }, `${path}:${line}: ${why}; nothing changed.`, knowledge)
    }
    await filesOf(context).write(path, fixed.text)
    const after = await lintedFile(context)
    return success(
      { ...knowledge },
      `Fixed ${code} at ${path}:${line}.`,
      { ...knowledge, changed_files: [path], lint_errors_remaining: after.found.length },
      { ...open(after), supersedes: OUTDATED },
    )
  },
})

/** What a fix makes untrue until the linter has run again. */
const OUTDATED = ['lint_errors_fixable', 'next_issue']
const OPEN_MAX = 20

/** The problems that are open now, and the lines around the one to look at next. The output would say the same again. */
function open({ path, text, found }: Linted): Stated {
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
  readonly before: Linted
  readonly after: Linted
  readonly fixed: number
  readonly codes: readonly string[]
}

async function takeFixes(context: ToolContext): Promise<Fix> {
  const before = await lintedFile(context)
  if (!before.fixed) return { before, after: before, fixed: 0, codes: [] }
  await filesOf(context).write(before.path, before.fixed.text)
  const left = before.fixed.left.map((one) => ({ ...one, fixable: false }))
  const gone = before.found.filter(({ fixable }) => fixable)
  return {
    before,
    after: { ...before, text: before.fixed.text, found: left },
    fixed: gone.length,
    codes: [...new Set(gone.map(({ code }) => code))],
  }
}

const fixKnowledge = ({ fixed, before: { path } }: Fix): Record<string, Json> => ({
  fix_applied: fixed > 0,
  lint_errors_fixed: fixed,
  ...(fixed > 0 ? { changed_files: [path] } : {}),
})

const refusedIn = ({ refused }: Linted): { not_proposed?: string } =>
  refused === undefined ? {} : { not_proposed: refused }

function checkedResult(linted: Linted, fix: Fix | undefined): ToolResult {
  const { path, found, by } = linted
  const fixable = found.filter((issue) => issue.fixable)
  const refused = refusedIn(fix?.before ?? linted)
  const knowledge = {
    lint_errors_remaining: found.length,
    lint_errors_fixable: fixable.length,
    next_issue: nextIssue(fixable[0] ?? found[0]),
    ...(fix ? fixKnowledge(fix) : {}),
    ...(refused.not_proposed === undefined ? {} : { fix_refused: refused.not_proposed }),
  }
  const result = {
    linter: by,
    ...(fix ? { fixed: fix.fixed } : {}),
    fixable: fixable.length,
    total: found.length,
    issues: found.map(({ code, line, column, message, fixable: isFixable }) => ({
      ...{ path, code, line, column, message, fixable: isFixable },
    })),
    ...refused,
  }
  const done = fix && fix.fixed > 0 ? `Fixed ${issues(fix.fixed)}; ` : ''
  if (found.length === 0)
    return success(result, `${done}${path} has no lint issues left.`, knowledge, open(linted))
  const why = refused.not_proposed === undefined ? '' : `. Not proposed: ${refused.not_proposed}`
  return partial(
    result,
    `${done}${issues(found.length)} in ${path}, ${fixable.length} fixable: ${listed(found)}${why}`,
    knowledge,
    open(linted),
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

/** What looks at the file, and what was wrong before the agent began, so that its result can say what it fixed. */
const linterConfig: ContextProvider = async (context) => {
  const { by, found } = await lintedFile(context)
  return { linter: by, lint_errors_at_start: found.length }
}

export const lintCode: AgentCode = {
  tools: Object.fromEntries([runLinter, applyFixes, applyFix].map((tool) => [tool.name, tool])),
  context: { linter_config: Object.assign(linterConfig, { filesOnly: true }) },
  summarizers: {},
}
