import type { JsonObject } from '../core/event/json.ts'
import { modelFault } from './faults.ts'
import type { Model, ModelAnswer, ModelFault, ModelRequest } from './model.ts'

/** One answer of a script: calls in short form, text alone, or a fault to act out. */
export type ScriptedAnswer =
  | { readonly tool: string; readonly args?: JsonObject }
  | { readonly text: string }
  | { readonly fault: ModelFault }
  | ModelAnswer

/**
 * Answers from a script: a list, taken in order, or a function of the request and of how
 * many answers went before. When the list is used up it fails with `no_answer_recorded`.
 */
export function scripted(
  answers:
    | readonly ScriptedAnswer[]
    | ((request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>),
): Model {
  const take = typeof answers === 'function' ? answers : fromList(answers)
  let asked = 0
  return {
    name: 'scripted',
    format: 'text',
    async answer(request, signal) {
      signal.throwIfAborted()
      const scripted = await take(request, asked++)
      if ('fault' in scripted) {
        throw modelFault(scripted.fault, `The script asks for the fault "${scripted.fault.kind}" here.`)
      }
      if ('calls' in scripted) return scripted
      if ('text' in scripted) return { text: scripted.text, calls: [], finish: 'stop' }
      const call_id = `call_${request.prompt.packet.turn}_${asked}`
      const call = { call_id, tool: scripted.tool, args: scripted.args ?? {} }
      return { text: '', calls: [call], finish: 'tool_calls' }
    },
  }
}

const fromList = (answers: readonly ScriptedAnswer[]) => (_request: ModelRequest, index: number) => {
  const answer = answers[index]
  if (answer) return answer
  throw modelFault(
    { kind: 'no_answer_recorded', retry: false },
    `The script has ${answers.length} answers and was asked for one more. Add answers, or end with submit_result.`,
  )
}
