import { isObject, type Json, type JsonObject, tryParse } from '../core/event/json.ts'
import { countAt } from './fields.ts'
import { modelStep, type Step, type Trajectory } from './trajectory.ts'

/** A line of a file that holds something, with its place there. */
export interface GroundingLine {
  readonly number: number
  readonly content: string
}

/**
 * A trajectory as JSON lines: `{"meta": {task, …}}`, then one line per action
 * `{turn, tool, args, raw_output, is_error}`.
 */
export function fromActionLines(lines: readonly GroundingLine[], name: string): Trajectory | undefined {
  const first = tryParse(lines[0]?.content.trim() ?? '')
  if (!isObject(first)) return undefined
  const meta = isObject(first['meta']) ? (first['meta'] as JsonObject) : undefined
  if (!meta && !isAction(first)) return undefined
  const { task = `Imported from ${name}`, ...rest } = meta ?? {}
  return {
    goal: typeof task === 'string' ? task : JSON.stringify(task),
    instructions: '',
    origin: { file: name, ...(meta ? { meta: rest } : {}) },
    steps: lines.slice(meta ? 1 : 0).flatMap((line) => stepsOf(line, name)),
  }
}

const isAction = (value: Record<string, unknown>): boolean =>
  typeof value['tool'] === 'string' && 'raw_output' in value

function stepsOf({ number, content }: GroundingLine, name: string): Step[] {
  const value = tryParse(content)
  if (!isObject(value) || !isAction(value)) {
    const text = `${name}, line ${number}: not an action ({"turn", "tool", "args", "raw_output"}): ${content.slice(0, 80)}`
    return [{ kind: 'remark', where: 'import', text }]
  }
  const { tool, args, raw_output, is_error, thought } = value
  return [
    modelStep({
      turn: countAt(value, 'turn'),
      // What Python writes for nothing.
      text: typeof thought === 'string' && thought !== 'None' ? thought : '',
      calls: [{ tool: String(tool), args: (args ?? {}) as Json }],
    }),
    { kind: 'result', output: raw_output as Json, is_error: typeof is_error === 'boolean' ? is_error : null },
  ]
}
