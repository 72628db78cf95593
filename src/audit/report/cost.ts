import type { EventFor } from '../../core/event/event.ts'
import type { ModelUse } from './report.ts'

/** What a million tokens cost, by the model's name. */
export interface Price {
  readonly prompt: number
  readonly completion: number
}

export interface Prices {
  readonly currency: string
  readonly models: Readonly<Record<string, Price>>
}

export const noPrices: Prices = { currency: 'USD', models: {} }

const MILLION = 1_000_000
/** Part of this program, so nobody is paid for it. */
const EMBEDDED = 'first-candidate'
const NOTHING: Price = { prompt: 0, completion: 0 }

/** Notes what models were asked. A server's own count of tokens goes before ours. */
export class Usage {
  readonly #uses: ModelUse[] = []
  /** The request that has no answer yet. */
  #asked: EventFor<'model_request'>['data'] | undefined

  request(data: EventFor<'model_request'>['data']): void {
    this.#settle()
    this.#asked = data
  }

  response({ model, usage, latency_ms = 0 }: EventFor<'model_response'>['data']): void {
    const asked = this.#asked
    this.#asked = undefined
    if (!asked && !usage) return // a recording that does not say what was sent
    this.#uses.push({
      model: asked?.model ?? model,
      requests: 1,
      prompt_tokens: usage?.prompt_tokens ?? asked?.prompt_tokens ?? 0,
      completion_tokens: usage?.completion_tokens ?? 0,
      counted_here: usage ? 0 : 1,
      answer_ms: latency_ms,
    })
  }

  uses(): ModelUse[] {
    this.#settle()
    return together(this.#uses)
  }

  /** A request without an answer was sent all the same. */
  #settle(): void {
    const { model, prompt_tokens } = this.#asked ?? {}
    this.#asked = undefined
    if (model === undefined || prompt_tokens === undefined) return
    this.#uses.push({
      model,
      requests: 1,
      prompt_tokens,
      completion_tokens: 0,
      counted_here: 1,
      answer_ms: 0,
    })
  }
}

/** The sum of each of these fields over all rows. */
export const sums = <K extends string>(
  rows: readonly Readonly<Record<K, number>>[],
  ...fields: readonly K[]
): Record<K, number> =>
  Object.fromEntries(
    fields.map((field) => [field, rows.reduce((sum, row) => sum + row[field], 0)]),
  ) as Record<K, number>

/** The same models together, those with most tokens first. */
export const together = (uses: readonly ModelUse[]): ModelUse[] =>
  [...Map.groupBy(uses, ({ model }) => model)]
    .map(([model, same]) => ({
      model,
      ...sums(same, 'requests', 'prompt_tokens', 'completion_tokens', 'counted_here', 'answer_ms'),
    }))
    .sort((a, b) => b.prompt_tokens - a.prompt_tokens)

export function priced({ cost: _, ...use }: ModelUse, prices: Prices): ModelUse {
  const known = Object.hasOwn(prices.models, use.model) ? prices.models[use.model] : undefined
  const price = known ?? (use.model === EMBEDDED ? NOTHING : undefined)
  if (!price) return use
  const cost = (use.prompt_tokens * price.prompt + use.completion_tokens * price.completion) / MILLION
  return { ...use, cost: rounded(cost) }
}

/** Millionths: less than any price is a matter of floating point. */
export const rounded = (money: number): number => Math.round(money * MILLION) / MILLION
