/**
 * A second reading of session files, which shares nothing with the importers: it walks all of their JSON and counts what has the
 * marks of a call or of an answer, each id once, wherever it stands.
 */
export function countedIn(text: string): { calls: number; answers: number } {
  const calls = new Set<string>()
  const answers = new Set<string>()
  let unnamed = 0
  let unanswered = 0
  const isTrajectory = /"trajectory":\s*\[\s*\{/.test(text)
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(one)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const has = (name: string) => (name in value ? String(value[name as keyof typeof value]) : undefined)
    const type = has('type') ?? ''
    const kind = has('kind') ?? ''
    if (type === 'tool_use') calls.add(has('id') ?? '')
    if (type === 'tool_result') answers.add(has('tool_use_id') ?? '')
    if (/_call$/.test(type) && has('call_id')) calls.add(has('call_id') ?? '')
    if (/_call_output$/.test(type)) answers.add(has('call_id') ?? '')
    if (has('functionResponse') === undefined && has('args') && has('status') && has('name')) {
      calls.add(has('id') ?? '')
      if (has('result') !== '') answers.add(has('id') ?? '')
    }
    if (type === 'tool' && has('callID')) {
      calls.add(has('callID') ?? '')
      if (/"status":"(?:completed|error)"/.test(JSON.stringify(value))) answers.add(has('callID') ?? '')
    }
    if (kind === 'ActionEvent') calls.add(has('tool_call_id') ?? '')
    if (kind === 'ObservationEvent' || kind === 'AgentErrorEvent') answers.add(has('tool_call_id') ?? '')
    const of = (name: string): { length: number } | undefined => {
      const list = Object.entries(value).find(([key]) => key === name)?.[1]
      return Array.isArray(list) ? list : undefined
    }
    // ATIF: what an agent did in a step, with or without a call of it.
    if (has('source') === 'agent' && has('step_id') !== undefined) {
      const observed = 'observation' in value && value.observation
      const seen = observed && typeof observed === 'object' && 'results' in observed ? observed.results : []
      const count = Array.isArray(seen) ? seen.length : 0
      unnamed += Math.max(of('tool_calls')?.length ?? 0, count)
      unanswered += Math.max((of('tool_calls')?.length ?? 0) - count, 0)
    }
    // SWE-agent's history, where there is no trajectory: nothing comes after what was done last.
    const history = 'history' in value && !isTrajectory ? value.history : undefined
    const last: unknown = Array.isArray(history) ? history.at(-1) : undefined
    if (/"role":"assistant"/.test(JSON.stringify(last) ?? '')) unanswered++
    if (has('role') === 'assistant' && (has('action') ?? '') !== '' && !isTrajectory) unnamed++
    if (has('observation') !== undefined && (has('action') ?? '') !== '' && kind === '') unnamed++
    if (has('role') === 'assistant' && /```(?:mswea_bash_command|bash)\n/.test(has('content') ?? ''))
      unnamed++
    // The same is kept twice where a request is: what was sent is no call of its own.
    for (const [name, one] of Object.entries(value)) if (name !== 'args' && name !== 'input') walk(one)
  }
  const parsed = (line: string): unknown => {
    try {
      return JSON.parse(line)
    } catch {
      return undefined
    }
  }
  const whole = parsed(text)
  for (const value of whole === undefined ? text.split('\n').map(parsed) : [whole]) {
    const isCopy =
      typeof value === 'object' &&
      value !== null &&
      'type' in value &&
      /^(?:api-request|progress)/.test(String(value.type))
    if (!isCopy) walk(value)
  }
  if (calls.size + answers.size === 0) return { calls: unnamed, answers: unnamed - unanswered }
  // An answer whose call is lost is recorded with a call of its own.
  return { calls: new Set([...calls, ...answers]).size, answers: answers.size }
}
