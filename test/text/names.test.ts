import { expect, test } from 'vitest'
import { specificNames } from '../../src/text/names.ts'

test('a path counts by itself and by its last part', () => {
  expect(specificNames('in src/color/a_one.ts line 40')).toEqual(['src/color/a_one.ts', 'a_one.ts', '40'])
})

test('digits begin a name when a word follows them, and not with a unit or in a date', () => {
  expect(specificNames('4XGCCM, 8c1cafe at 2026-05-08T16:00:58 in 10ms')).toEqual([
    '4xgccm',
    '8c1cafe',
    '2026',
    '05',
    '08',
    '00',
    '58',
    '10',
  ])
})

test('line breaks and characters written as escapes are no part of a name', () => {
  expect(specificNames(String.raw`done.\nTask_one\u2003two_more`)).toEqual(['task_one', 'two_more'])
  expect(specificNames(String.raw`D:\src\names.go`)).toEqual(['names.go'])
})

test('what was cut short, and marks around it, are no names', () => {
  expect(specificNames('…first_one second_o… third_one')).toEqual(['first_one', 'third_one'])
  expect(specificNames('├──fourth_one→fifth_one')).toEqual(['fourth_one', 'fifth_one'])
})
