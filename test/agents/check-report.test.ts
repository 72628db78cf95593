import { describe, expect, test } from 'vitest'
import { readCheck } from '../../src/agents/lint/report.ts'
import { checkSchema } from '../../src/config/checks.ts'

const row = { name: 'own', files: '*.py', check: 'own {files}' }
const OWN = '^(?<path>(?:[a-z]+/?)+):(?<line>\\d+)(?::(?<column>\\d+))? (?<severity>\\w+) (?<message>.+)$'

describe('a pattern of a project’s own, for the lines of its check', () => {
  test('gives the groups that matched', () => {
    const found = readCheck(OWN, 'src/a:3 warn two\nsrc/b:4:7 error three\nno more', 1, 'own')
    expect(found).toEqual([
      { path: 'src/a', line: 3, column: 1, code: 'own', message: 'two', isWarning: true },
      { path: 'src/b', line: 4, column: 7, code: 'own', message: 'three' },
    ])
  })

  test('is done with a line that RegExp would try in more ways than there is time for', () => {
    const hard = 'a'.repeat(20_000)
    expect(readCheck(OWN, `${hard}\nsrc/a:3 error two`, 1, 'own')).toHaveLength(1)
  })

  test.each([
    ['looks ahead', '^(?=x)(?<path>.+):(?<line>\\d+) (?<message>.+)$'],
    ['is none', '(?<path>(?<line>(?<message>'],
    ['has no message', '^(?<path>.+):(?<line>\\d+)$'],
    ['only speaks of a group', '\\(?<path>(?<line>\\d+)(?<message>.+)'],
  ])('is refused where it %s', (_, report) => {
    expect(checkSchema.safeParse({ ...row, report }).success).toBe(false)
    expect(checkSchema.safeParse({ ...row, report: OWN }).success).toBe(true)
  })
})
