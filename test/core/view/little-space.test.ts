import { describe, expect, test } from 'vitest'
import type { Draft } from '../../../src/core/event/event.ts'
import { given } from '../../../src/testing/given.ts'
import { call, person, promptOf, result, thought } from './drafts.ts'

describe('where not all fits', () => {
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

  test('of steps before the last ones, those of other kinds are told before more of the same', () => {
    const edited = (at: number) => [
      call('bash', { command: `fix ${at}` }),
      result(`Edited cart.py: line ${at}`, `value_${at} = ${at}\n`.repeat(60)),
    ]
    const steps = [
      call('bash', { command: 'pytest tests/unit' }),
      result('$ pytest tests/unit: failed', 'x = 1\n'.repeat(60)),
      ...Array.from({ length: 60 }, (_, at) => edited(at)).flat(),
    ]
    expect(promptOf(steps, { packetSizeLimit: 1_000 })).toContain('#3 $ pytest tests/unit: failed')
  })

  test('of an earlier step that is too long its end stays: it says how it went', () => {
    const long = `value = 1\n`.repeat(60)
    const script = Array.from({ length: 15 }, (_, at) => `--option-${at}`).join(' ')
    const others = Array.from({ length: 20 }, (_, at) => [
      call('look', { at: `${at}` }),
      result('Looked at it', `${at}\n${long}`),
    ])
    const steps = [
      call('bash', { command: `deploy ${script}` }),
      result(`$ deploy ${script}: "2 of 3 hosts are up"`, long),
      ...others.flat(),
    ]
    const text = promptOf(steps, { packetSizeLimit: 1_000 })
    expect(text).toMatch(/- #3 \$ deploy --option.*….*: "2 of 3 hosts are up"/)
  })

  test('a command that was run before is told with how it ended, and what changed since can be seen', () => {
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
    expect(text).toContain('- #3 $ python -m pytest tests/test_cart.py: all 8 tests passed')
    expect(text).toContain('- cart.py: +1')
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
    expect(packet.recent_actions.map(({ said }) => said)).toEqual(
      Array.from({ length: 60 }, (_, at) => `Idea ${at}.`),
    )
  })

  test('while there is space, every file stands', () => {
    const reads = Array.from({ length: 40 }, (_, at) => [
      call('read', { path: `m${at}.py` }),
      result(`Read m${at}.py`, '', [{ kind: 'read', path: `m${at}.py`, from: 1, text: `x = ${at}` }]),
    ]).flat()
    const { packet } = given(reads.slice(0, -1), { packetSizeLimit: 8_000 }).when(reads.at(-1) as Draft)
    expect(packet.files).toHaveLength(40)
  })

  test('a goal that is too long shows how it begins and how it ends', () => {
    const chapters = Array.from({ length: 40 }, (_, at) => `Change module_${at}.py so that it counts.`)
    const goal = ['Do all of this:', ...chapters, 'Never print a file whole.'].join('\n')
    const steps = [call('bash', { command: 'cat module_20.py' }), result('Read module_20.py', 'x = 1')]
    const text = promptOf(steps, { goal, goalTokensMax: 150, packetSizeLimit: 300 })
    expect(text).toContain('GOAL: Do all of this:\n  Change module_0.py')
    expect(text).toContain('Never print a file whole.')
    expect(text).not.toContain('Change module_17.py')
    // Nothing is shortened while there is space.
    expect(promptOf(steps, { goal, goalTokensMax: 150 })).toContain('Change module_17.py')
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
    const [, last = ''] = text.split('STEPS\n')
    expect(last).toMatch(/you said:\n {2}Try 6\.\n- #\d+ .*try_6\.sh/)
  })

  test('words that led to one call stand in the order in which they were said, before the call as after it', () => {
    const words = ['Answer ONE', 'Answer TWO', 'Answer THREE']
    const before = words.map(thought)
    const inOrder = /Answer ONE\n[\s\S]*Answer TWO\n[\s\S]*Answer THREE/
    expect(promptOf(before)).toMatch(inOrder)
    expect(promptOf([...before, call('look', {}), result('Looked', 'ok')])).toMatch(inOrder)
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
    const told = packet.recent_actions.map(({ summary }) => summary)
    expect(told.slice(-4, -1)).toEqual([1, 2, 3].map((at) => `Edited notes.md: line ${at}`))
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
    const busy = [call('bash', { command: 'ls' }), result('Listed', `${text}\n`.repeat(30))]
    const { packet } = given([...steps, ...busy].slice(0, -1), { packetSizeLimit: 1_500 }).when(
      busy.at(-1) as Draft,
    )
    expect(packet.files.map(({ path, known }) => `${path} ${known}`)).toEqual([
      'a.py 1-60, 100-129',
      'b.py 1-30',
    ])
  })
})
