/** A short session in the form of each harness: a task, two calls of one answer, one that failed, last words. */
export const TASK = 'The total of the cart is wrong'
export const SOURCE = 'def total(items):\n    return sum(items) + 1\n'
export const AT = (second: number) => new Date(Date.UTC(2026, 4, 1, 10, 0, second)).toISOString()
export const lines = (...values: object[]) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`
