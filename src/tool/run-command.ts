import { z } from 'zod'
import { defined } from '../core/event/json.ts'
import { type CommandResult, type RunCommandOptions, runCommand } from './command/run.ts'
import { markStated } from './result.ts'
import { StoredOutput } from './stored-output.ts'
import { defineTool, type Tool } from './tool.ts'

export type { RunCommandOptions } from './command/run.ts'

/**
 * The tool `run_command`: runs what `options.allow` lets through, in the agent's workspace. Its result is the
 * command's output as text; an exit code other than 0 is an error, unless a summarizer reads it better (lint
 * issues, failed tests).
 */
export function runCommandTool(options: RunCommandOptions): Tool {
  const programs = options.allow.map(({ program, starts = [] }) => [program, ...starts].join(' '))
  return defineTool({
    name: 'run_command',
    description: `Runs a program in the workspace, without a shell. Allowed: ${programs.join('; ') || 'none'}.`,
    effect: 'effect',
    input: z.strictObject({
      argv: z.array(z.string()).min(1).max(256).describe('the program and its arguments, one item each'),
      cwd: z.string().optional().describe('folder in the workspace to run in'),
    }),
    async run({ argv, cwd }, { workspace, signal, keep, offline = false }) {
      const result = await runCommand(argv, {
        ...options,
        offline: offline || (options.offline ?? false),
        root: workspace,
        ...defined({ signal, cwd, keep }),
      })
      const shown = shownOf(argv, result)
      return result.raw ? new StoredOutput(result.raw, shown) : shown
    },
  })
}

/** The output as it is, without a summary of its own: the summarizers know that of linters and test runners better. */
function shownOf(argv: readonly string[], result: CommandResult) {
  const left = result.left ? `; it left processes that do not end: ${result.left.join(', ')}` : ''
  const problem = problemOf(result) ?? (left && 'ended')
  if (!problem) return markStated({ result: result.text, outcome: 'success' as const })
  const error = `${argv.join(' ').slice(0, 200)} ${problem}${left}`
  return markStated({ result: result.text, outcome: 'error' as const, error })
}

function problemOf({ exit_code, stopped, bytes, duration_ms }: CommandResult): string | undefined {
  if (stopped === 'deadline') return `was stopped after ${duration_ms} ms, its deadline`
  if (stopped === 'cancelled') return 'was cancelled'
  if (stopped === 'output_limit') return `was stopped: it wrote more than ${bytes} bytes`
  if (exit_code === null) return 'was killed by a signal'
  return exit_code === 0 ? undefined : `ended with exit code ${exit_code}`
}
