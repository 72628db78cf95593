/**
 * Run before a script: its `success()`, `partial()` and `error()`, as in TypeScript (../result.ts). The value of the
 * whole says whether one of them made a value: what the script only read somewhere is data, whatever its fields.
 */
export const PRELUDE = `(() => {
  const made = new WeakSet()
  const make = (outcome, result, summary, knowledge, stated, error) => {
    const value = { result, summary, knowledge_delta: knowledge, outcome, ...error, ...stated }
    made.add(value)
    return value
  }
  globalThis.success = (result, summary, knowledge = {}, stated = {}) =>
    make('success', result, summary, knowledge, stated)
  globalThis.partial = (result, summary, knowledge = {}, stated = {}) =>
    make('partial', result, summary, knowledge, stated)
  globalThis.error = (message, summary = 'Error: ' + message, stated = {}) =>
    make('error', null, summary, {}, stated, { error: message })
  const { has } = made
  return (value) => typeof value === 'object' && value !== null && has.call(made, value)
})()`
