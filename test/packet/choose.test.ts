import { describe, expect, test } from 'vitest'
import type { Draft } from '../../src/event/event.ts'
import type { Json } from '../../src/event/json.ts'
import { firstOfSame, notes, subjectOf } from '../../src/packet/notes.ts'
import { renderOutline } from '../../src/prompt/outline.ts'
import { given } from '../../src/testing/index.ts'

const learned = (knowledge: Record<string, Json>): Draft => ({
  type: 'correction',
  data: { by: 'test', note: 'learned' },
  delta: { update_knowledge: knowledge },
})

const called = (args: Json): Draft => ({
  type: 'tool_call',
  data: { call_id: 'c', tool: 'read', args, effect: 'pure' },
})

const listed = (count: number) =>
  notes(
    '',
    Array.from({ length: count }, (_, at) => [
      at + 1,
      `export function handler_${at}(request_${at}, reply_${at}) {`,
    ]),
  )

describe('choosing knowledge', () => {
  test('all of it is shown while it fits', () => {
    const { prompt } = given([]).when(learned({ 'src/a.ts': listed(3) }))
    expect(prompt).toContain('- src/a.ts\n  1 export function handler_0')
    expect(prompt).toContain('handler_2')
  })

  test('where there is room a line is shown though all its names are known', () => {
    const flight = (seats: number) =>
      notes('', [
        [0, 'flight HAT041 at 07:00'],
        [0, `seats left: ${seats}`],
      ])
    const { prompt } = given([]).when(learned({ 'search one': flight(9), 'search two': flight(8) }))
    expect(prompt.match(/flight HAT041/g)).toHaveLength(2)
    expect(prompt).not.toContain('also')
  })

  test('a line of a file that was read twice is shown once', () => {
    const line: [number, string] = [12, 'const first_one = 1']
    const { prompt } = given([learned({ 'src/a.ts lines 10-20': notes('', [line]) })]).when(
      learned({ 'src/a.ts lines 12-30': notes('', [line]) }),
    )
    expect(prompt.match(/first_one/g)).toHaveLength(1)
  })

  test('notes on one file share one head, however its path is written', () => {
    const { prompt } = given([
      learned({ '/repo/src/a.ts lines 10-11': notes('', [[10, 'const first_one = 1']]) }),
    ]).when(learned({ 'src/a.ts (search "x")': notes('', [[40, 'const second_one = 2']]) }))
    expect(prompt.match(/a\.ts/g)).toHaveLength(1)
    expect(prompt).toContain('  10 const first_one = 1\n  40 const second_one = 2')
  })

  test('files of one folder stand together, each with its whole path', () => {
    const { prompt } = given([
      learned({ 'src/color/a_one.ts': listed(1) }),
      learned({ 'src/terminal/c_three.ts': listed(1) }),
    ]).when(learned({ 'src/color/b_two.ts': notes('', [[1, 'const other_name = 1']]) }))
    const heads = prompt.split('\n').filter((line) => line.startsWith('- src/'))
    expect(heads.map((head) => head.slice(2).split(':')[0])).toEqual([
      'src/terminal/c_three.ts',
      'src/color/a_one.ts',
      'src/color/b_two.ts',
    ])
  })

  test('a name known from several notes on a file is said once, with its lines in order', () => {
    const text = renderOutline({
      ...given([]).when(learned({})).packet,
      knowledge: {
        'src/a.ts lines 60-90': {
          value: { about: '', lines: [], names: ['85,60 the_name', 'bare_name'] },
          source_turn: 1,
        },
        'src/a.ts (search "x")': {
          value: { about: '', lines: [], names: ['40 the_name', '12 other_name', 'My File.txt'] },
          source_turn: 2,
        },
      },
    })
    expect(text).toContain('- src/a.ts: 12 other_name 40,60,85 the_name bare_name "My File.txt"')
  })

  test('of plain texts the latest two stand whole, older ones as a short line', () => {
    const said = (turn: number) => ({ [`user said in turn ${turn}`]: `${turn} ${'word '.repeat(30)}end` })
    const { prompt } = given([learned(said(1)), learned(said(2))]).when(learned(said(3)))
    const ends = prompt.split('\n').filter((line) => line.startsWith('- user said') && line.endsWith('end'))
    expect(ends.map((line) => line.slice(0, 21))).toEqual(['- user said in turn 2', '- user said in turn 3'])
    expect(prompt).toMatch(/^- user said in turn 1: 1 word .*…$/m)
  })

  test('when room is short, a name that calls use stays and the rest is cut', () => {
    const crowd = Object.fromEntries(
      Array.from({ length: 40 }, (_, file) => [`src/file_${file}.ts`, listed(20)]),
    )
    const run = { packet_size_limit: 400 }
    const used = [called({ path: 'src/wanted.ts' }), called({ path: 'src/wanted.ts' })]
    const { prompt } = given(
      [learned({ 'src/wanted.ts': notes('', [[7, 'class TheOne {']]) }), ...used],
      run,
    ).when(learned(crowd))
    expect(prompt).toContain('wanted.ts')
  })

  test('a listed name counts however plain it is', () => {
    const { prompt } = given([]).when(learned({ 'listing of .': notes('', [], ['Makefile', 'build']) }))
    expect(prompt).toContain('- listing of .: Makefile build')
  })
})

describe('subjects', () => {
  test('a key says a place, then an aside', () => {
    expect(subjectOf('src/a.ts lines 10-40')).toBe('src/a.ts')
    expect(subjectOf('src/a.ts (search "x")')).toBe('src/a.ts')
    expect(subjectOf('$ git log')).toBe('$ git log')
  })

  test('the same file from several folders is one; two files of one name are not', () => {
    const first = firstOfSame([
      '/repo/src/a.ts',
      'src/a.ts',
      'a.ts',
      'lib/a.ts',
      'D:\\repo\\src\\b.ts',
      'src/b.ts',
    ])
    expect(first.get('src/a.ts')).toBe('/repo/src/a.ts')
    expect(first.get('lib/a.ts')).not.toBe('/repo/src/a.ts')
    expect(first.get('src/b.ts')).toBe('D:\\repo\\src\\b.ts')
  })
})
