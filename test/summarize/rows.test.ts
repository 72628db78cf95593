import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { rows } from '../../src/summarize/rows.ts'
import { testSummarizer } from '../../src/testing/summarizer.ts'

const told = (args: Json, text: string) => testSummarizer(rows, { tool: 'db', args, text })

describe('rows', () => {
  test.for([
    ['psql', ' id | name\n----+------\n  1 | Ann\n  2 | Ben\n(2 rows)\n', '2 rows of id, name'],
    [
      'mysql',
      '+----+------+\n| id | name |\n+----+------+\n|  1 | Ann  |\n+----+------+\n1 row in set (0.00 sec)\n',
      '1 row of id, name',
    ],
    ['Markdown', '| id | name |\n|---|---|\n| 1 | Ann |\n| 2 | Ben |\n', '2 rows of id, name'],
  ] as const)('%s', ([, text, said]) => {
    expect(told({}, text)?.summary).toBe(`db: ${said}`)
  })

  test('prose and trees are no tables', () => {
    for (const text of ['Hello, world.\nIt is late, is it?\nYes, it is.', '├── a\n│   └── b\n└── c'])
      expect(told({}, text)).toBeUndefined()
  })
})

describe('a database that was asked', () => {
  const asked = (text: string) => told({ command: 'psql -c "select 1"' }, text)

  test('an error, changed rows, nothing', () => {
    expect(asked('ERROR:  relation "x" does not exist')).toMatchObject({ outcome: 'error' })
    expect(told({ sql: 'select 1' }, 'ERROR:  relation "x" does not exist')).toMatchObject({
      outcome: 'error',
    })
    expect(asked('INSERT 0 3\nUPDATE 2')?.summary).toContain('5 rows')
    expect(asked('')?.summary).toContain('no rows')
  })
})
