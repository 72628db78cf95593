import { BUNDLE_TOKENS_DEFAULT } from '../../limits.ts'
import { stateAt } from '../../memory/at.ts'
import { loadTokenizer } from '../../memory/tokenizer.ts'
import { packetOf } from '../../prompt/prompt.ts'
import { counterOf } from '../../prompt/tokens/counter.ts'
import { bundleOf, renderBundle } from '../../run/bundle.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { agentMeant, type WhichOptions } from '../names.ts'
import { paint, print, printJson, remark } from '../output.ts'

export interface EscalateOptions extends CommonOptions, WhichOptions {
  readonly tokens?: number
}

/** What somebody else needs to help an agent: where it stands, what it tried, and the raw text behind it. */
export async function escalateCommand(agent: string | undefined, options: EscalateOptions): Promise<number> {
  return withStore(options, async (store) => {
    const agentId = await agentMeant(store, agent, options)
    const { state, last } = await stateAt(store, agentId, { turn: Number.MAX_SAFE_INTEGER })
    const tokenizer = await loadTokenizer(state.settings.tokenizer)
    const packet = packetOf(state, counterOf(tokenizer))
    const reason =
      last.type === 'run_end' ? `${last.data.reason}, ${last.data.summary}` : 'the run has not ended'
    const budget = options.tokens ?? BUNDLE_TOKENS_DEFAULT
    const bundle = await bundleOf(store, agentId, packet, reason, tokenizer, budget)
    const text = renderBundle(bundle)
    if (options.json) printJson(bundle)
    else {
      print(text)
      remark(paint('dim', `${tokenizer.count(text)} of ${budget} tokens, ${bundle.excerpts.length} excerpts`))
    }
    return 0
  })
}
