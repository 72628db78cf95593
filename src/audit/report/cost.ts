import type { EventFor } from '../../core/event/event.ts'
import { type ModelUse, sums } from './report.ts'

/** What a million tokens cost, by the model's name. */
export interface Prices {
  readonly currency: string
  readonly models: Readonly<Record<string, { readonly prompt: number; readonly completion: number }>>
}

export const noPrices: Prices = { currency: 'USD', models: {} }

const MILLION = 1_000_000
/** Part of this program, so nobody is paid for it. */
export const EMBEDDED = 'first-candidate'

/** Notes what models were asked. A server's own count of tokens goes before ours; what got no answer is counted by nobody. */
export class Usage {
  readonly #uses: ModelUse[] = []
  /** The request that has no answer yet. */
  #asked: EventFor<'model_request'>['data'] | undefined

  request(data: EventFor<'model_request'>['data']): void {
    this.#settle(this.#asked?.model)
    this.#asked = data
  }

  response({ model, usage, latency_ms }: EventFor<'model_response'>['data']): void {
    // A recording may not say what was sent.
    const sent = usage?.prompt_tokens ?? this.#asked?.prompt_tokens ?? 0
    if (this.#asked || usage) this.#settle(this.#asked?.model ?? model, sent, usage, latency_ms)
  }

  uses(): ModelUse[] {
    this.#settle(this.#asked?.model)
    return together(this.#uses)
  }

  #settle(
    model: string | undefined,
    prompt_tokens = 0,
    usage?: EventFor<'model_response'>['data']['usage'],
    answer_ms = 0,
  ): void {
    this.#asked = undefined
    if (model === undefined) return
    const completion_tokens = usage?.completion_tokens ?? 0
    const counted_here = usage ? 0 : 1
    this.#uses.push({ model, requests: 1, prompt_tokens, completion_tokens, counted_here, answer_ms })
  }
}

/** The same models together, those with most tokens first. */
export const together = (uses: readonly ModelUse[]): ModelUse[] =>
  [...Map.groupBy(uses, ({ model }) => model)]
    .map(([model, same]) => ({
      model,
      ...sums(same, 'requests', 'prompt_tokens', 'completion_tokens', 'counted_here', 'answer_ms'),
    }))
    .sort((a, b) => b.prompt_tokens - a.prompt_tokens)

export function priced({ cost: _, ...use }: ModelUse, { models }: Prices): ModelUse {
  const known = Object.hasOwn(models, use.model) ? models[use.model] : undefined
  const price = known ?? (use.model === EMBEDDED ? { prompt: 0, completion: 0 } : undefined)
  if (!price) return use
  const cost = use.prompt_tokens * price.prompt + use.completion_tokens * price.completion
  return { ...use, cost: rounded(cost / MILLION) }
}

/** Of what has a price; undefined where nothing has. Millionths: less than any price is a matter of floating point. */
export function costOf(uses: readonly ModelUse[]): number | undefined {
  const costs = uses.flatMap(({ cost }) => cost ?? [])
  return costs.length === 0 ? undefined : rounded(costs.reduce((sum, cost) => sum + cost, 0))
}

const rounded = (money: number): number => Math.round(money * MILLION) / MILLION
