import { describe, expect, test } from 'vitest'
import type { Draft } from '../../src/event/event.ts'
import type { Json } from '../../src/event/json.ts'
import { firstOfSame, notes, subjectOf } from '../../src/packet/notes.ts'
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

  test('notes on one file share one head, however its path is written', () => {
    const { prompt } = given([
      learned({ '/repo/src/a.ts lines 10-11': notes('', [[10, 'const first_one = 1']]) }),
    ]).when(learned({ 'src/a.ts (search "x")': notes('', [[40, 'const second_one = 2']]) }))
    expect(prompt.match(/a\.ts/g)).toHaveLength(1)
    expect(prompt).toContain('  10 const first_one = 1\n  40 const second_one = 2')
  })

  test('files of one folder name it once', () => {
    const { prompt } = given([]).when(
      learned({
        'src/color/a_one.ts': listed(1),
        'src/color/b_two.ts': notes('', [[1, 'const other_name = 1']]),
      }),
    )
    expect(prompt).toContain('- src/color/a_one.ts')
    expect(prompt).toContain('- …/b_two.ts')
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
    expect(prompt).toContain('also Makefile, build')
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
