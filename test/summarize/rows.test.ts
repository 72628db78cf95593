import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { rows } from '../../src/summarize/table/rows.ts'
import type { SeenCall } from '../../src/testing/summarizer.ts'
import { learned } from './learned.ts'

const learn = (text: string, call: SeenCall = {}) => {
  const { said, outcome, about, lines } = learned(rows, { text, ...call })
  return { said, outcome, about, lines }
}
const run = (command: string): SeenCall => ({ tool: 'shell', args: { command } })

const ANN_AND_BO = {
  about: '2 rows, each id | name | city',
  lines: ['1 | Ann Lee | Berlin', '2 | Bo | Oslo'],
}

describe('rows are told by their columns, however they were printed', () => {
  test.for([
    [
      'psql',
      ' id |  name   |  city  \n----+---------+--------\n  1 | Ann Lee | Berlin\n  2 | Bo      | Oslo\n(2 rows)\n',
    ],
    [
      'mysql',
      '+----+---------+--------+\n| id | name    | city   |\n+----+---------+--------+\n|  1 | Ann Lee | Berlin |\n|  2 | Bo      | Oslo   |\n+----+---------+--------+\n2 rows in set (0.00 sec)',
    ],
    [
      'mysql \\G',
      '*************************** 1. row ***************************\n  id: 1\nname: Ann Lee\ncity: Berlin\n*************************** 2. row ***************************\n  id: 2\nname: Bo\ncity: Oslo\n',
    ],
    [
      'psql -x',
      '-[ RECORD 1 ]\nid   | 1\nname | Ann Lee\ncity | Berlin\n-[ RECORD 2 ]\nid   | 2\nname | Bo\ncity | Oslo\n',
    ],
    [
      'sqlite3 -box',
      '┌────┬─────────┬────────┐\n│ id │  name   │  city  │\n├────┼─────────┼────────┤\n│ 1  │ Ann Lee │ Berlin │\n│ 2  │ Bo      │ Oslo   │\n└────┴─────────┴────────┘',
    ],
    [
      'sqlite3 -column',
      'id  name     city  \n--  -------  ------\n1   Ann Lee  Berlin\n2   Bo       Oslo  \n',
    ],
    ['Markdown', '| id | name | city |\n|---|:---:|---|\n| 1 | Ann Lee | Berlin |\n| 2 | Bo | Oslo |'],
    ['CSV', 'id,name,city\n1,"Ann Lee",Berlin\n2,Bo,Oslo\n'],
    ['TSV', 'id\tname\tcity\n1\tAnn Lee\tBerlin\n2\tBo\tOslo\n'],
  ])('%s', ([, text]) => {
    const { said, about, lines } = learn(text ?? '')
    expect(said).toBe('2 rows of id, name, city from tool')
    expect({ about, lines }).toEqual(ANN_AND_BO)
  })

  test('a data frame as it is printed', () => {
    const text =
      '       city  people\n0    Berlin     364\n1      Oslo      70\n2  New York     833\n\n[3 rows x 2 columns]'
    expect(learn(text)).toMatchObject({
      said: '3 rows of #, city, people from tool',
      lines: ['0 | Berlin | 364', '1 | Oslo | 70', '2 | New York | 833'],
    })
  })

  test('rows that a database gave are the rows that are learned', () => {
    const database = new DatabaseSync(':memory:')
    database.exec('create table stock (sku text, label text, amount integer, note text)')
    const insert = database.prepare('insert into stock values (?, ?, ?, ?)')
    for (let at = 1; at <= 40; at++) insert.run(`S-${at}`, `part, "number" ${at}`, at * 3, null)
    const all = database.prepare('select * from stock').all()
    database.close()
    const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`
    const csv = ['sku,label,amount,note', ...all.map((row) => Object.values(row).map(cell).join(','))].join(
      '\n',
    )
    const { said, lines } = learn(csv, run('sqlite3 -csv -header shop.db "select * from stock"'))
    expect(said).toMatch(/^40 rows of sku, label, amount, note from \$ sqlite3/)
    expect(lines).toHaveLength(40)
    expect(lines[6]).toBe('S-7 | 21 | part, "number" 7')
  })
})

describe('what a database says besides rows', () => {
  test('one row is told by its values', () => {
    expect(
      learn(' count \n-------\n    42\n(1 row)\n', run('psql -c "select count(*) from users"')).said,
    ).toMatch(/^1 row: count 42 from/)
  })

  test('values without names count as rows only where a database was asked', () => {
    const text = '1|Ann|Berlin\n2|Bo|Oslo\n'
    expect(learn(text, run('cd data && sqlite3 app.db "select * from users"'))).toMatchObject({
      said: expect.stringMatching(/^2 rows from/),
      lines: ['1 | Ann | Berlin', '2 | Bo | Oslo'],
    })
    expect(learn(text).said).toBeUndefined()
  })

  test.for([
    [
      'psql -c "select * from orders"',
      'ERROR:  relation "orders" does not exist\nLINE 1: select *',
      "relation 'orders' does not exist",
    ],
    [
      'mysql -e "select 1 from x"',
      "ERROR 1146 (42S02) at line 1: Table 'shop.x' doesn't exist",
      "Table 'shop.x' doesn't exist",
    ],
    ['sqlite3 a.db "select * from x"', 'Parse error near line 1: no such table: x', 'no such table: x'],
    ['sqlite3 a.db "select * from x"', 'Error: in prepare, no such table: x', 'no such table: x'],
  ])('the error of %s', ([command, text, error]) => {
    expect(learn(text ?? '', run(command ?? ''))).toMatchObject({
      said: expect.stringContaining(`SQL error "${error}"`),
      outcome: 'error',
    })
  })

  test('how many rows were changed', () => {
    expect(learn('INSERT 0 3\nUPDATE 2\n', run('psql -f seed.sql')).said).toMatch(/^5 rows affected from/)
    expect(learn('Query OK, 1 row affected (0.01 sec)', run('mysql shop')).said).toMatch(/^1 row affected/)
    expect(learn('CREATE TABLE\n', run('psql -f schema.sql')).said).toMatch(/^CREATE TABLE from/)
  })

  test('nothing is no rows; a tool that takes a statement is a database too', () => {
    expect(learn('', { tool: 'run_query', args: { sql: 'SELECT id FROM users WHERE 1 = 0' } }).said).toMatch(
      /^No rows/,
    )
    expect(learn(' id | name \n----+------\n(0 rows)\n', run('psql shop')).said).toMatch(
      /^No rows of id, name/,
    )
  })
})

describe('what is no table is left to others', () => {
  test.for([
    ['prose with commas', 'First, we look at it.\nThen, we change it.\nLast, we test it.'],
    ['a tree of files', 'src\n├── a.ts\n│   └── b.ts\n└── c.ts'],
    ['numbered lines', '     1\timport a\n     2\timport b\n     3\timport c'],
    ['one line', 'Task created: engine, routes, jobs'],
    ['a log', '2024-05-01 10:00:00 started\n2024-05-01 10:00:01 done'],
    [
      'mostly prose with a small table',
      `${'A line of prose.\n'.repeat(30)}| a | b |\n|---|---|\n| 1 | 2 |\n`,
    ],
  ])('%s', ([, text]) => {
    expect(learn(text ?? '').said).toBeUndefined()
  })

  test('hostile tables end', () => {
    for (const text of [
      `${'|'.repeat(200_000)}\n${'-'.repeat(200_000)}\n${'|'.repeat(200_000)}`,
      `${'a,'.repeat(100_000)}b\n`.repeat(3),
      '"'.repeat(300_000),
      `${'-'.repeat(100)} `.repeat(3_000),
      '-[ RECORD 1 ]\n'.concat(...Array.from({ length: 20_000 }, (_, at) => `column${at} | ${at}\n`)),
    ])
      learn(text, run('psql shop'))
  })
})
