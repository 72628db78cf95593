import { describe, expect, test } from 'vitest'
import type { Draft } from '../../../../src/core/event/event.ts'
import { firstThatFit } from '../../../../src/core/view/desk1/fit.ts'
import { given } from '../../../../src/testing/given.ts'
import { call, person, promptOf, result, thought } from './drafts.ts'

describe('where not all fits', () => {
  test('a list that is gone through item by item stays at hand', () => {
    const codes = Array.from({ length: 12 }, (_, at) => `ORD${at}XKQ`)
    const filler = (at: number) =>
      Array.from({ length: 60 }, (_, n) => `row ${n} of order_${at}: value_${n * at}`).join('\n')
    const steps = codes
      .slice(0, 9)
      .flatMap((code, at) => [call('bash', { command: `show ${code}` }), result(`Order ${code}`, filler(at))])
    const text = promptOf([
      call('bash', { command: 'orders' }),
      result('12 orders', codes.join('\n')),
      ...steps,
    ])
    for (const code of codes) expect(text).toContain(code)
  })

  test('what was done is told before what was only looked at', () => {
    const looked = (at: number): Draft[] => {
      const seen = result(`Read module_${at}.py`, `value_${at} = ${at}\n`.repeat(60))
      const [action] = seen.delta?.add_action ?? []
      return [
        call('bash', { command: `cat module_${at}.py` }),
        { ...seen, delta: { add_action: [{ ...action, looked: true }] } } as Draft,
      ]
    }
    const text = promptOf(
      [
        call('bash', { command: 'write reproduce.py' }),
        result('Wrote reproduce.py', ''),
        ...Array.from({ length: 40 }, (_, at) => looked(at)).flat(),
      ],
      { packetSizeLimit: 1_000 },
    )
    expect(text).toContain('Wrote reproduce.py')
    expect(text).not.toContain('Read module_3.py')
  })

  test('earlier steps are told by their kind, each by the last of them', () => {
    const tested = (at: number) => [
      call('bash', { command: `pytest tests/unit_${at}` }),
      result(`$ pytest tests/unit_${at}: failed`, `value_${at} = ${at}\n`.repeat(60)),
    ]
    const edited = (at: number) => [
      call('bash', { command: `fix ${at}` }),
      result(`Edited cart.py: line ${at}`, `value_${at} = ${at}\n`.repeat(60)),
    ]
    const steps = Array.from({ length: 20 }, (_, at) => [...tested(at), ...edited(at)]).flat()
    const { packet } = given(steps.slice(0, -1), { packetSizeLimit: 1_200 }).when(steps.at(-1) as Draft)
    const edit = packet.earlier.findLast(({ summary }) => summary.startsWith('Edited cart.py'))
    expect(edit?.summary).toMatch(/^Edited cart\.py: line \d+ \(\d+ times\)$/)
  })

  test('of an earlier step that is too long its end stays: it says how it went', () => {
    const long = `value = 1\n`.repeat(60)
    const script = Array.from({ length: 15 }, (_, at) => `--option-${at}`).join(' ')
    const others = Array.from({ length: 20 }, (_, at) => [
      call('look', { at: `${at}` }),
      result('Looked at it', long),
    ])
    const steps = [
      call('bash', { command: `deploy ${script}` }),
      result(`$ deploy ${script}: "2 of 3 hosts are up"`, long),
      ...others.flat(),
    ]
    const text = promptOf(steps, { packetSizeLimit: 1_000 })
    expect(text).toMatch(/- #3 bash deploy --option.*….* → "2 of 3 hosts are up"/)
  })

  test('a command that was run before is told as it was called, and what changed since can be seen', () => {
    const command = 'cd shop && python -m pytest tests/test_cart.py -q 2>&1 | tail -20'
    const long = `value = 1\n`.repeat(60)
    const others = Array.from({ length: 20 }, (_, at) => [
      call('look', { at: `${at}` }),
      result(`Looked at ${at}`, long),
    ])
    const steps = [
      call('bash', { command }),
      result('$ python -m pytest tests/test_cart.py: all 8 tests passed', long),
      call('edit', { path: 'cart.py' }),
      result('Edited cart.py', '', [{ kind: 'write', path: 'cart.py', text: 'x = 1\n' }]),
      ...others.flat(),
    ]
    const text = promptOf(steps, { packetSizeLimit: 800 })
    expect(text).toContain(`- #3 bash ${command} → all 8 tests passed`)
    expect(text).toContain('- cart.py (last at #5)')
  })

  test('what the person answered is told, and the answer once', () => {
    const plan = Array.from({ length: 8 }, (_, at) => `Cancel reservation R00${at}Q.`).join('\n')
    const long = Array.from({ length: 300 }, (_, at) => `word_${at} = ${at}`).join('\n')
    const others = Array.from({ length: 8 }, (_, at) => [
      call('look', { at: `${at}` }),
      result(`Looked ${at}`, long),
    ])
    const steps = [
      call('respond', { message: plan }),
      result('The user answered "yes, all of them" to "Cancel"', ''),
      person('yes, all of them'),
    ]
    const text = promptOf([...steps, ...others.flat()], { packetSizeLimit: 1_500 })
    expect(text).toContain('Cancel reservation R005Q.')
    expect(text.split('yes, all of them')).toHaveLength(2)
  })

  test('the index holds names of earlier calls and outputs that are not shown', () => {
    const long = Array.from({ length: 400 }, (_, at) => `word ${at} of it`).join('\n')
    const steps = [
      call('bash', { command: 'wc -l src/shop/cart.py' }),
      result('Counted', '12'),
      call('bash', { command: 'head src/shop/cart.py' }),
      result('Counted', `${long.slice(0, 2_000)}\nreservation ZFA04Y\n${long}`),
      ...Array.from({ length: 8 }, (_, at) => [call('look', { at: `${at}` }), result('Looked', long)]).flat(),
    ]
    const { packet, prompt } = given(steps.slice(0, -1), { packetSizeLimit: 1_200 }).when(
      steps.at(-1) as Draft,
    )
    expect(packet.index).toEqual([
      { kind: 'call', path: '', names: 'src/shop/cart.py', ref: 5 },
      { kind: 'output', path: '', names: 'ZFA04Y', ref: 5 },
    ])
    expect(prompt).toContain('SEEN BEFORE\n- in calls: src/shop/cart.py\n- in outputs: ZFA04Y\n')
  })

  test('what the model spoke of comes first in the index, then files; what has digits hardly', () => {
    const words = (from: string) =>
      Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => `${from}_${letter}`).join('\n')
    const long = Array.from({ length: 300 }, (_, at) => `word ${at} of it`).join('\n')
    const steps = [
      call('list', {}),
      result('Listed', `${words('plain')}\nfindParcel\nPARCEL_48213\nparcels.py\n${words('other')}`),
      thought('The bug must be in findParcel, later.'),
      ...Array.from({ length: 14 }, (_, at) => [
        thought(`Step ${at} of the work.`),
        call('look', { at: `${at}` }),
        result('Looked', long),
      ]).flat(),
    ]
    const { packet } = given(steps.slice(0, -1), { packetSizeLimit: 900 }).when(steps.at(-1) as Draft)
    expect(packet.index.map(({ names }) => names.split(', ').slice(0, 2))).toEqual([
      ['findParcel', 'parcels.py'],
    ])
    expect(packet.index[0]?.names).not.toContain('PARCEL_48213')
  })

  test('fields of a line are no names: one of them may be a password', () => {
    const line = 'db.internal:5432:app:deploy:qwerty99secret'
    const long = Array.from({ length: 300 }, (_, at) => `word ${at} of it`).join('\n')
    const steps = [
      call('list', {}),
      result(
        'Listed',
        `${line}\nsettings_file\n+++ b/shop/cart.py\nlib/util.py:31: x\nhttp://localhost:8080/api/orders\n________`,
      ),
      ...Array.from({ length: 6 }, (_, at) => [call('look', { at: `${at}` }), result('Looked', long)]).flat(),
    ]
    const { packet } = given(steps.slice(0, -1), { packetSizeLimit: 900 }).when(steps.at(-1) as Draft)
    const names = packet.index.map((entry) => entry.names).join()
    expect(names).toContain('settings_file')
    expect(names).toContain('http://localhost:8080/api/orders')
    expect(names).toMatch(/(?<!\/)shop\/cart\.py/)
    expect(names).toMatch(/lib\/util\.py(?!:)/)
    expect(names).not.toMatch(/qwerty99secret|____/)
  })

  test('while there is space, every step stands with its words and its output', () => {
    const steps = Array.from({ length: 60 }, (_, at) => [
      thought(`Idea ${at}.`),
      call('look', { at: `${at}` }),
      result(`Saw ${at}`, `out_${at};`),
    ]).flat()
    const { packet } = given(steps.slice(0, -1), { packetSizeLimit: 4_000 }).when(steps.at(-1) as Draft)
    expect(packet.recent_actions.map(({ output }) => output)).toEqual(
      Array.from({ length: 60 }, (_, at) => `out_${at};`),
    )
    expect(packet.thoughts).toHaveLength(60)
  })

  test('while there is space, every file stands', () => {
    const reads = Array.from({ length: 40 }, (_, at) => [
      call('read', { path: `m${at}.py` }),
      result(`Read m${at}.py`, '', [{ kind: 'read', path: `m${at}.py`, from: 1, text: `x = ${at}` }]),
    ]).flat()
    const { packet } = given(reads.slice(0, -1), { packetSizeLimit: 8_000 }).when(reads.at(-1) as Draft)
    expect(packet.files).toHaveLength(40)
  })

  test('a list goes on with what is smaller than the item that does not fit', () => {
    expect(firstThatFit([30, 200, 40, 50], 100, (tokens) => tokens)).toEqual([30, 40])
  })

  test('the index tells what is defined in the files read last', () => {
    const text = Array.from({ length: 120 }, (_, at) => `def handle_${at}(order):\n    return order + ${at}`)
    const read = result('Read orders.py', '', [
      { kind: 'read', path: 'orders.py', from: 1, text: text.join('\n') },
    ])
    const { packet } = given([call('read', { path: 'orders.py' })], { packetSizeLimit: 1_000 }).when(read)
    const [entry] = packet.index
    expect(entry).toMatchObject({ kind: 'file', path: 'orders.py' })
    expect(entry?.names).toMatch(/^handle_\d+, handle_\d+/)
  })

  test('a goal that is too long shows its beginning and what of it is at hand', () => {
    const chapters = Array.from(
      { length: 40 },
      (_, at) => `## Part ${at}\nChange module_${at}.py so that it counts.`,
    )
    const goal = ['Do all of this:', ...chapters].join('\n')
    const steps = [call('bash', { command: 'cat module_31.py' }), result('Read module_31.py', 'x = 1')]
    const text = promptOf(steps, { goal, goalTokensMax: 150, packetSizeLimit: 300 })
    expect(text).toContain('GOAL: Do all of this:')
    expect(text).toContain('Change module_31.py')
    expect(text).not.toContain('Change module_20.py')
    // Nothing is shortened while there is space.
    expect(promptOf(steps, { goal, goalTokensMax: 150 })).toContain('Change module_20.py')
  })

  test('of a goal that is too long, what comes after the part at hand stands too, and how it ends', () => {
    const chapters = Array.from({ length: 40 }, (_, at) => `Change module_${at}.py so that it counts.`)
    const goal = ['Do all of this:', ...chapters, 'Never print a file whole.'].join('\n')
    const steps = [call('bash', { command: 'cat module_20.py' }), result('Read module_20.py', 'x = 1')]
    const text = promptOf(steps, { goal, goalTokensMax: 150, packetSizeLimit: 300 })
    expect(text).toContain('Change module_21.py')
    expect(text).not.toContain('Change module_17.py')
    expect(text).toContain('Never print a file whole.')
  })

  test('earlier steps stand in the order in which they came, among the words that led to them', () => {
    const long = Array.from({ length: 60 }, (_, at) => `row_${at} of a long output`).join('\n')
    const tries = Array.from({ length: 8 }, (_, at) => [
      thought(`Try ${at}.`),
      call('bash', { command: `./try_${at}.sh` }),
      result(`$ ./try_${at}.sh: failed`, long),
    ]).flat()
    const text = promptOf(tries, { packetSizeLimit: 800 })
    const refs = [...text.matchAll(/^- #(\d+) /gm)].map(([, ref]) => Number(ref))
    expect(refs.length).toBeGreaterThan(3)
    expect(refs).toEqual(refs.toSorted((a, b) => a - b))
    const [, last = ''] = text.split('LAST STEPS')
    expect(last).toMatch(/you said:\n {2}Try 5\.\n- #\d+ .*try_5\.sh/)
  })

  test('the steps just before the newest are told first, whatever was run long ago', () => {
    const long = Array.from({ length: 90 }, (_, at) => `row_${at} of a long output`).join('\n')
    const edit = (at: number) => [
      call('edit', { path: 'notes.md', old: long, new: `${long} ${at}` }),
      result(`Edited notes.md: line ${at}`, ''),
    ]
    const steps = [
      ...Array.from({ length: 9 }, (_, at) => [
        call('bash', { command: `./old_${at}.sh --with some --more options` }),
        result(`$ ./old_${at}.sh: done`, 'done'),
      ]).flat(),
      ...[1, 2, 3].flatMap(edit),
      call('look', {}),
      result('Looked', long),
    ]
    const { packet } = given(steps.slice(0, -1), { packetSizeLimit: 600 }).when(steps.at(-1) as Draft)
    const told = packet.earlier.map(({ summary }) => summary)
    expect(told.slice(-2)).toEqual(['Edited notes.md: line 2', 'Edited notes.md: line 3 (3 times)'])
  })

  test('a call in one very long line is shown as far as there is space', () => {
    const words = Array.from({ length: 400 }, (_, at) => `word_${at}`).join(' ')
    const steps = [call('bash', { command: words }), result('Said', 'ok'), thought('Go on.')]
    const shown = promptOf(steps, { packetSizeLimit: 1_000 })
    expect(shown).toContain('word_100')
    expect(shown).not.toContain('word_200')
  })

  test('files that are left out are named, with the lines of them that are known', () => {
    const text = Array.from({ length: 30 }, (_, at) => `value_${at} = compute_${at}(${at})`).join('\n')
    const read = (path: string, from: number) => [
      call('read', { path }),
      result(`Read ${path}`, '', [{ kind: 'read', path, from, text }]),
    ]
    const steps = [...read('a.py', 1), ...read('a.py', 31), ...read('a.py', 100), ...read('b.py', 1)]
    const busy = [call('bash', { command: 'ls' }), result('Listed', `${text}\n`.repeat(9))]
    const { packet } = given([...steps, ...busy].slice(0, -1), { packetSizeLimit: 600 }).when(
      busy.at(-1) as Draft,
    )
    expect(packet.omitted.at(-1)).toBe('2 files: b.py 1-30; a.py 1-60, 100-129')
  })
})
