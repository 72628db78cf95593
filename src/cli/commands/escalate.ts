import { withAgent } from '../../app/context.ts'
import { answerEscalation, escalationBundle } from '../../app/escalation.ts'
import type { WhichOptions } from '../../app/names.ts'
import { defined } from '../../core/event/json.ts'
import type { Store } from '../../core/store/store.ts'
import { BUNDLE_TOKENS_DEFAULT } from '../../limits.ts'
import { type CommandWords, LAST_AGENT, wholeNumber } from '../command.ts'
import { readInput } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, remark, safe, self, typed } from '../output.ts'

interface EscalateOptions extends CommonOptions, WhichOptions {
  readonly tokens?: number
  readonly answer?: string
  readonly by?: string
}

/** What somebody else needs to help an agent, or, with `--answer`, their help put back. */
const escalateCommand = (agent: string | undefined, options: EscalateOptions): Promise<Found> =>
  withAgent(agent, options, (store, agentId) =>
    options.answer === undefined
      ? bundleFor(store, agentId, options)
      : putAnswer(store, agentId, options.answer, options),
  )

async function bundleFor(
  store: Store,
  agentId: string,
  { tokens: budget = BUNDLE_TOKENS_DEFAULT, json }: EscalateOptions,
): Promise<Found> {
  const { bundle, text, tokens } = await escalationBundle(store, agentId, budget)
  if (!json) remark(paint('dim', `${tokens} of ${budget} tokens`))
  return { json: bundle, lines: () => [text] }
}

async function putAnswer(
  store: Store,
  agent_id: string,
  file: string,
  { by }: EscalateOptions,
): Promise<Found> {
  const text = await readInput(file)
  const { event, recorded } = await answerEscalation(store, agent_id, { text, ...defined({ model: by }) })
  return {
    json: { agent_id, seq: event.seq, recorded },
    lines: () => [
      `${recorded ? 'Recorded as' : 'It is there already:'} event ${event.seq} of ${safe(agent_id)}.`,
      paint('dim', `Next: ${self} resume ${typed(agent_id)}`),
    ],
  }
}

export default {
  takes: '[agent]',
  examples: [
    'escalate lint#3 --tokens 4000',
    'twotrack escalate lint#3 --answer advice.txt && twotrack resume lint#3',
    'twotrack escalate lint#3 | llm -m large | twotrack escalate lint#3 --answer - --by large',
  ],
  options: [
    LAST_AGENT,
    ['--tokens <n>', 'size of the bundle (default: 6000)', wholeNumber],
    ['--answer <file>', 'record the answer in this file, or from standard input for -'],
    ['--by <model>', 'with --answer: the model that gave it (default: a person)'],
  ],
  call: escalateCommand,
} satisfies CommandWords
