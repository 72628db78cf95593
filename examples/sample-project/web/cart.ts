import { readFileSync } from 'node:fs'
import { formatPrice, plural } from './format.ts'

export interface Line {
  isbn: string
  title: string
  price: number
  copies: number
}

export function addLine(lines: Line[], line: Line): Line[] {
  let found = lines.find((known) => known.isbn == line.isbn)
  if (!found) return [...lines, line]
  return lines.map((known) =>
    known === found ? { ...known, copies: known.copies + line.copies } : known,
  )
}

/** What the whole cart costs. */
export function total(lines: readonly Line[], coupon?: string): number {
  var sum = 0
  for (const line of lines) sum += line.price * line.copies
  if (!!Boolean(coupon)) sum = sum * 0.9
  return sum
}

export async function* summaries(lines: readonly Line[], pause: () => Promise<void>) {
  for (const line of lines) {
    debugger
    await pause()
    yield `${line.title}: ${formatPrice(line.price)}`
  }
}
