import { TwotrackError } from '../errors.ts'
import { isObject, type Json, type JsonObject, tryParse } from '../event/json.ts'
import { fromTraceEntry } from '../event/upgrade.ts'
import type { Step, Trajectory } from './trajectory.ts'

/** A line of a file that holds something, with its place there. */
export interface Line {
  readonly number: number
  readonly content: string
}

/**
 * A trajectory as JSON lines: `{"meta": {task, …}}`, then one line per action
 * `{turn, tool, args, raw_output, is_error}`. Trace entries of the early formats are read as well.
 */
export function fromActionLines(lines: readonly Line[], name: string): Trajectory | undefined {
  const first = tryParse(lines[0]?.content.trim() ?? '')
  if (!isObject(first)) return undefined
  const meta = isObject(first['meta']) ? (first['meta'] as JsonObject) : undefined
  if (!meta && !isAction(first) && !fromTraceEntry(first)) return undefined
  const task = meta?.['task']
  return {
    goal:
      typeof task === 'string' ? task : task === undefined ? `Imported from ${name}` : JSON.stringify(task),
    instructions: '',
    origin: { file: name, ...(meta ? { meta: withoutTask(meta) } : {}) },
    steps: [...stepsOf(meta ? lines.slice(1) : lines, name)],
  }
}

const withoutTask = ({ task: _task, ...rest }: JsonObject): JsonObject => rest

const isAction = (value: Record<string, unknown>): boolean =>
  typeof value['tool'] === 'string' && 'raw_output' in value

function* stepsOf(lines: readonly Line[], name: string): Iterable<Step> {
  for (const { number, content } of lines) {
    const value = tryParse(content)
    if (!isObject(value) || !isAction(flat(value))) {
      throw new TwotrackError(
        'bad_import',
        `${name}, line ${number}: not an action ({"turn", "tool", "args", "raw_output"}): ${content.slice(0, 80)}`,
        { details: { line: number } },
      )
    }
    yield stepOf(flat(value))
  }
}

/** The nested early form keeps its output under `data`. */
const flat = (value: Record<string, unknown>): Record<string, unknown> =>
  !('raw_output' in value) && isObject(value['data']) ? { ...value['data'], ...value } : value

function stepOf(value: Record<string, unknown>): Step {
  const { turn, tool, args, raw_output, is_error, thought } = value
  const entry = fromTraceEntry(value)
  const summary = entry?.delta.actions.join('; ')
  return {
    kind: 'turn',
    ...(typeof turn === 'number' && Number.isInteger(turn) && turn >= 0 ? { turn } : {}),
    text: typeof thought === 'string' ? thought : '',
    calls: [
      {
        tool: String(tool),
        args: (args ?? {}) as Json,
        output: raw_output as Json,
        is_error: typeof is_error === 'boolean' ? is_error : null,
        ...(entry
          ? {
              learned: {
                ...(summary ? { summary } : {}),
                knowledge: entry.delta.knowledge,
                diagnostics: entry.delta.diagnostics,
              },
            }
          : {}),
      },
    ],
  }
}
