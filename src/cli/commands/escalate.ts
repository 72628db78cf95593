import { BUNDLE_TOKENS_DEFAULT } from '../../limits.ts'
import { answerEscalation, escalationBundle } from '../../run/answer.ts'
import { renderBundle } from '../../run/bundle.ts'
import type { Store } from '../../store/store.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { readInput } from '../input.ts'
import { agentMeant, type WhichOptions } from '../names.ts'
import { paint, print, printJson, remark, safe, self } from '../output.ts'

export interface EscalateOptions extends CommonOptions, WhichOptions {
  readonly tokens?: number
  readonly answer?: string
  readonly by?: string
}

/** What somebody else needs to help an agent, or, with `--answer`, their help put back. */
export async function escalateCommand(agent: string | undefined, options: EscalateOptions): Promise<number> {
  return withStore(options, async (store) => {
    const agentId = await agentMeant(store, agent, options)
    return options.answer === undefined
      ? printBundle(store, agentId, options)
      : putAnswer(store, agentId, options.answer, options)
  })
}

async function printBundle(store: Store, agentId: string, options: EscalateOptions): Promise<number> {
  const budget = options.tokens ?? BUNDLE_TOKENS_DEFAULT
  const { bundle, tokenizer } = await escalationBundle(store, agentId, budget)
  const text = renderBundle(bundle)
  if (options.json) printJson(bundle)
  else {
    print(text)
    remark(paint('dim', `${tokenizer.count(text)} of ${budget} tokens, ${bundle.excerpts.length} excerpts`))
  }
  return 0
}

async function putAnswer(
  store: Store,
  agentId: string,
  file: string,
  { by, json }: EscalateOptions,
): Promise<number> {
  const text = await readInput(file)
  const { event, recorded } = await answerEscalation(store, agentId, {
    text,
    ...(by === undefined ? {} : { model: by }),
  })
  if (json) printJson({ agent_id: agentId, seq: event.seq, recorded })
  else {
    print(`${recorded ? 'Recorded as' : 'It is there already:'} event ${event.seq} of ${safe(agentId)}.`)
    print(paint('dim', `Next: ${self} resume ${safe(agentId)}`))
  }
  return 0
}
