/** A price as people write it. */
export function formatPrice(amount: number, currency = '€'): string {
  return `${Math.floor(amount)}.${Math.round((amount % 1) * 100)} ${currency}`
}

export const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`)
