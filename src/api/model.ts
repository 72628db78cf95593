/** `twotrack/model`: the port to what chooses the next call, and its adapters. */

export { modelFault } from '../model/faults.ts'
export { firstCandidate } from '../model/first-candidate.ts'
export { type FunctionGemmaOptions, functiongemma } from '../model/functiongemma.ts'
export type { Model, ModelAnswer, ModelFault, ModelRequest } from '../model/model.ts'
export { type OpenAIOptions, openai } from '../model/openai.ts'
export { recorded } from '../model/recorded.ts'
export { type ScriptedAnswer, scripted } from '../model/scripted.ts'
export type { ServerOptions } from '../model/servers.ts'
