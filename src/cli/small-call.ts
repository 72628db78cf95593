import type { LoadedConfig } from '../config/load.ts'
import { Memory } from '../memory/memory.ts'
import { modelFaultOf } from '../model/faults.ts'
import { memoryStore } from '../store/memory.ts'
import { modelFor } from './model.ts'

const TOOL = {
  name: 'say',
  description: 'Says one word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
}
const ANSWER_TOKENS_MAX = 64

/**
 * Asks the model for one small call: a wrong name, a key that is missing or a server that is something else show here
 * instead of in a hundred agents. Says how it went, and rejects where nothing came.
 */
export async function smallCall(loaded: LoadedConfig): Promise<string> {
  const { config, sources } = loaded
  const model = modelFor({
    ...loaded,
    config: { ...config, model: { ...config.model, max_tokens: ANSWER_TOKENS_MAX } },
    sources: { ...sources, 'model.max_tokens': '--set' },
  })
  const store = memoryStore()
  const memory = await Memory.open({ store, agent_id: 'small-call', goal: 'Say "ready".', tools: [TOOL] })
  const begun = performance.now()
  try {
    const request = { prompt: await memory.prompt(), tools: [TOOL], callRequired: true }
    const { calls } = await model.answer(request, new AbortController().signal)
    const took = `${Math.round(performance.now() - begun)} ms`
    return calls.length > 0 ? `made a call in ${took}` : `answered in ${took}, with words instead of a call`
  } catch (thrown) {
    // One that thinks first has not come to its call within so few tokens; it is there.
    if (modelFaultOf(thrown)?.kind === 'truncated') return 'answers'
    throw thrown
  } finally {
    await memory.close()
    await store.close()
  }
}
