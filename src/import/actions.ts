import { isObject, type Json, type JsonObject } from '../core/event/json.ts'
import { countAt } from './fields.ts'
import { aboutOf, type Format } from './format.ts'
import { modelStep, type Step } from './trajectory.ts'

/**
 * A trajectory as JSON lines: `{"meta": {task, …}}`, then one line per action
 * `{turn, tool, args, raw_output, is_error}`.
 */
export const actionLines: Format = {
  name: 'actions',
  lines([first = {}], file) {
    const { meta } = first
    const isHead = isObject(meta) && !Object.values(first).some(Array.isArray)
    if (!isHead && !isAction(first)) return undefined
    const { task = `Imported from ${file}`, ...rest } = isHead ? meta : {}
    const goal = typeof task === 'string' ? task : JSON.stringify(task)
    const origin = { file, ...(isHead ? { meta: rest } : {}) }
    return {
      about: { ...aboutOf('import', { goal }), origin },
      reader: () => ({ step: (line, number) => (isHead && line['meta'] ? [] : stepsOf(line, number, file)) }),
    }
  },
}

const isAction = (value: JsonObject): boolean => typeof value['tool'] === 'string' && 'raw_output' in value

function stepsOf(value: JsonObject, number: number, file: string): Step[] {
  if (!isAction(value)) {
    const begins = JSON.stringify(value).slice(0, 80)
    const text = `${file}, line ${number}: not an action ({"turn", "tool", "args", "raw_output"}): ${begins}`
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
