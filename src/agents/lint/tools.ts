import { z } from 'zod'
import type { AgentCode, ContextProvider } from '../../agent/agent.ts'
import { defined } from '../../core/event/json.ts'
import { messageOf } from '../../errors.ts'
import { error, partial, type Stated, success, type ToolResult } from '../../tool/result.ts'
import { defineTool, filesOf } from '../../tool/tool.ts'
import { changedLines } from '../changed-lines.ts'
import { linesAround } from '../excerpt.ts'
import type { Linted } from './group.ts'
import { lintedFile } from './linted.ts'
import { toolRequests } from './requests.ts'

const ofProject = { trustRequests: toolRequests, filesOnly: true } as const

const runLinter = defineTool({
  ...ofProject,
  name: 'run_linter',
  description: 'Checks the file and counts its lint issues; changes nothing.',
  effect: 'pure',
  input: z.strictObject({}),
  async run(_, context) {
    try {
      return checkedResult(await lintedFile(context))
    } catch (thrown) {
      if (context.signal.aborted) throw thrown
      // What an earlier run found is no longer known to be so.
      const supersedes = [...OUTDATED, 'lint_errors_remaining', 'lint_warnings_remaining']
      const why = messageOf(thrown)
      return { ...error(why, undefined, { supersedes }), knowledge_delta: { linter_failure: why } }
    }
  },
})

const applyFixes = defineTool({
  ...ofProject,
  name: 'apply_fixes',
  description: 'Applies every safe fix of the linter to the file.',
  effect: 'idempotent',
  input: z.strictObject({}),
  async run(_, context) {
    const before = await lintedFile(context)
    const { path, by: linter, fixed, refused } = before
    if (!fixed) {
      const said = `${linter} had nothing to fix safely in ${path}.${refused ? ` Not proposed: ${refused}.` : ''}`
      const knowledge = { fix_applied: false, lint_errors_fixed: 0 }
      return partial({ fix_applied: false, linter }, said, knowledge, openIssues(before))
    }
    await filesOf(context).write(path, fixed.text)
    const gone = before.found.filter(({ fixable }) => fixable)
    const codes = [...new Set(gone.map(({ code }) => code))]
    const found = fixed.left.map((one) => ({ ...one, fixable: false }))
    return success(
      { fix_applied: true, codes, linter, ...defined({ not_proposed: refused }) },
      `Fixed ${issues(gone.length)} in ${path}: ${codes.join(', ')}.`,
      {
        ...{ fix_applied: true, lint_errors_fixed: gone.length, changed_files: [path] },
        ...left(found),
      },
      {
        ...openIssues({ path, text: fixed.text, found }),
        files: changedLines(path, before.text, fixed.text),
        supersedes: OUTDATED,
      },
    )
  },
})

/** What a fix makes untrue until the linter has run again. */
const OUTDATED = ['lint_errors_fixable', 'next_issue']
/** Of all that is left, warnings are what the linter does not fail for. */
const left = (found: Linted['found']) => ({
  lint_errors_remaining: found.length,
  lint_warnings_remaining: found.filter(({ isWarning }) => isWarning).length,
})

const OPEN_MAX = 20
const LISTED_MAX = 8

/** The problems that are open now, and the lines around the one to look at next. The output would say the same again. */
function openIssues({ path, text, found }: Pick<Linted, 'path' | 'text' | 'found'>): Stated {
  const next = found.find(({ fixable }) => fixable) ?? found[0]
  const lines = found
    .slice(0, OPEN_MAX)
    .map(
      ({ line, code, message, isWarning, fixable }) =>
        `${path}:${line} ${code} ${message}${isWarning ? ' (warning)' : ''}${fixable ? ' (safe fix)' : ''}`,
    )
  const more = found.length - lines.length
  return {
    diagnostics: [null, ...lines, ...(more > 0 ? [`and ${more} more in ${path}`] : [])],
    focus: next ? linesAround(path, text, next.line) : null,
    output: null,
  }
}

function checkedResult(linted: Linted): ToolResult {
  const { path, found, by: linter, refused } = linted
  const fixable = found.filter((issue) => issue.fixable)
  const next = fixable[0] ?? found[0]
  const knowledge = {
    ...left(found),
    lint_errors_fixable: fixable.length,
    next_issue: next ? { code: next.code, line: next.line } : null,
    ...defined({ fix_refused: refused }),
  }
  const issuesFound = found.map((issue) => ({ path, ...issue }))
  const result = {
    ...{ linter, fixable: fixable.length, total: found.length, issues: issuesFound },
    ...defined({ not_proposed: refused }),
  }
  if (found.length === 0)
    return success(result, `${path} has no lint issues left.`, knowledge, openIssues(linted))
  const listed = found.slice(0, LISTED_MAX).map(({ code, line }) => `${code} line ${line}`)
  const why = refused === undefined ? '' : `. Not proposed: ${refused}`
  const said = `${issues(found.length)} in ${path}, ${fixable.length} fixable: ${listed.join(', ')}${why}`
  return partial(result, said, knowledge, openIssues(linted))
}

const issues = (count: number): string => `${count} lint ${count === 1 ? 'issue' : 'issues'}`

/** What looks at the file, and what was wrong before the agent began, so that its result can say what it fixed. */
const linterConfig: ContextProvider = async (context) => {
  const { by, found } = await lintedFile(context)
  return { linter: by, lint_errors_at_start: found.length }
}

export const lintCode: AgentCode = {
  tools: Object.fromEntries([runLinter, applyFixes].map((tool) => [tool.name, tool])),
  context: { linter_config: Object.assign(linterConfig, { filesOnly: true }) },
  summarizers: {},
}
