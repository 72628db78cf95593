import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addLine, type Line, total } from './cart.ts'
import { formatPrice } from './format.ts'

const book: Line = { isbn: '978-0', title: 'Tides', price: 12.5, copies: 1 }

test('the same book twice is one line', () => {
  const [line] = addLine(addLine([], book), book)
  assert.equal(line?.copies, 2)
})

test('a coupon takes ten percent off', () => {
  assert.equal(total([book, { ...book, isbn: '978-1', price: 7.5 }], 'SPRING'), 18)
})

test('cents have two digits', () => {
  assert.equal(formatPrice(4.05), '4.05 €')
})
