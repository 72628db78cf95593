import { expect, test } from 'vitest'
import type { Draft } from '../../../src/core/event/event.ts'
import { estimate } from '../../../src/core/tokens/estimate.ts'
import { call, person, promptOf, result, thought } from './drafts.ts'

const write = (path: string, lines: number): Draft[] => [
  call('bash', { command: 'x' }),
  result(`Wrote ${path}`, '', [{ kind: 'write', path, text: 'x\n'.repeat(lines) }]),
]

test('all files that one command changed are told', () => {
  const files = ['one', 'two', 'three'].map(
    (name) => ({ kind: 'touch', path: `src/${name}.ts`, said: 'sed -i s/a/b/' }) as const,
  )
  const text = promptOf([call('bash', { command: 'x' }), result('Ran', '', files)])
  expect(text).toContain('- src/one.ts\n- src/two.ts\n- src/three.ts\n  sed -i s/a/b/\n')
})

test('of many files those of which most changed are told, then the last ones, and how many are not', () => {
  const small = Array.from({ length: 60 }, (_, at) => write(`src/part-${100 + at}/small.ts`, 1))
  const text = promptOf([...write('src/main.ts', 300), ...small.flat()], { packetSizeLimit: 600 })
  expect(text).toContain('- src/main.ts: +300\n')
  expect(text).toContain('- src/part-159/small.ts: +1\n')
  expect(text).toMatch(/- \d+ more changed files\n/)
})

test('the last words of a person are told beside a long output', () => {
  const text = promptOf(
    [
      person('Put the port into the settings, please.'),
      call('bash', { command: 'cat log' }),
      result('Read', Array.from({ length: 2_000 }, (_, at) => `line ${at} of the log`).join('\n')),
      thought('Now I write.'),
    ],
    { packetSizeLimit: 500 },
  )
  expect(text).toContain('THE PERSON SAID\n- (turn 0) Put the port into the settings, please.')
})

test('a long message hides neither the first words of a person nor those between', () => {
  const text = promptOf(
    [
      person('The page is empty when the cart has no rows.'),
      person('Never amend a commit.'),
      person(`This is what I see:\n${'a line of a log\n'.repeat(400)}and then nothing.`),
    ],
    { packetSizeLimit: 600 },
  )
  expect(text).toContain('- (turn 0) The page is empty when the cart has no rows.')
  expect(text).toContain('- (turn 0) Never amend a commit.')
  expect(text).toContain('- (turn 0) This is what I see:')
  expect(text).toContain('and then nothing.')
})

test('what the model told a person before they answered is told, and stands with no step', () => {
  const text = promptOf([
    thought('I look first.'),
    call('bash', { command: 'cat cart.ts' }),
    result('Read cart.ts', ''),
    thought('The cart is emptied twice. Shall I mend the caller (A) or the cart (B)?'),
    person('B, please.'),
    call('bash', { command: 'cat b.ts' }),
    result('Read b.ts', ''),
    thought('Now I write.'),
  ])
  expect(text).toContain('YOU TOLD THEM\n- (turn 0) The cart is emptied twice. Shall I mend the caller (A)')
  expect(text.match(/emptied twice/g)).toHaveLength(1)
  expect(text).toMatch(/you said:\n {2}I look first/)
})

test('in a very small packet the last words of a person stay, and what of the earlier ones is not told is said', () => {
  const looks = Array.from({ length: 12 }, (_, at) => [
    thought(`I look at part ${at}, because the total comes from there.`),
    call('bash', { command: `cat part_${at}.py` }),
    result(`Read part_${at}.py`, `value_${at} = ${at}\n`.repeat(90)),
  ]).flat()
  const steps = [
    person('My first rule: keep the shop as it is, and do not touch the web folder at all, please.'),
    ...looks,
    person('Now tests please, no mocks: use the fixtures of the shop, and name each after what it shows.'),
    ...looks.slice(0, 6),
  ]
  const text = promptOf(steps, { packetSizeLimit: 80 })
  expect(text).toContain('Now tests please, no mocks')
  expect(text).toContain('- 1 more message of the person (#2)')
  const all = promptOf(steps, { packetSizeLimit: 200 })
  expect(all).toContain('Now tests please, no mocks')
  expect(all).toContain('My first rule')
  expect(all).not.toContain('more message')
})

test('the counts of what is left out stay within the limit where little more than the goal fits', () => {
  const folder = `/srv/${'some_long_folder/'.repeat(8)}`
  const steps = Array.from({ length: 40 }, (_, at) => [
    person(`Rule ${at}: keep it.`),
    ...write(`${folder}part_${at}.py`, 1),
  ]).flat()
  for (let words = 20; words < 40; words++) {
    const goal = 'abc '.repeat(words)
    const packetSizeLimit = estimate.count(promptOf([thought('')], { goal })) + 48
    const text = promptOf(steps, { goal, packetSizeLimit })
    expect(estimate.count(text), `${words} words`).toBeLessThanOrEqual(packetSizeLimit)
    expect(text).toMatch(/- \d+ more messages of the person \(#2-#\d+\)/)
  }
})

test('where there is space the words of the oldest of many steps are told too', () => {
  const steps = Array.from({ length: 140 }, (_, at) => [
    thought(`Step ${at} looks at part ${at}.`),
    call('bash', { command: `look ${at}` }),
    result(`Looked at ${at}`, `seen ${at}`),
  ])
  const text = promptOf(steps.flat(), { packetSizeLimit: 200_000, promptBudget: 300_000 })
  expect(text).toContain('Step 3 looks at part 3.')
})

test('a file that was there before and is gone is told, one that the run had made itself is not', () => {
  const remove = (path: string): Draft[] => [
    call('bash', { command: 'rm' }),
    result('Removed', '', [{ kind: 'remove', path }]),
  ]
  const text = promptOf([...write('scratch.py', 3), ...remove('scratch.py'), ...remove('old.ts')])
  expect(text).toContain('CHANGED SO FAR\n- old.ts: deleted\n')
  expect(text).not.toContain('- scratch.py')
})
