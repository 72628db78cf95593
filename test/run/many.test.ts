import { expect, test } from 'vitest'
import { many, type Task } from '../../src/run/many.ts'

const never = new AbortController().signal

test('never more at once than allowed, and all of them in the end', async () => {
  let open = 0
  let most = 0
  const tasks = Array.from(
    { length: 25 },
    (_, index): Task<number> => ({
      id: `task-${index}`,
      async run() {
        most = Math.max(most, ++open)
        await new Promise((done) => setImmediate(done))
        open--
        return index
      },
    }),
  )
  const ended = await many(tasks, 4, never)
  expect(most).toBe(4)
  expect(ended.map((end) => 'value' in end && end.value).sort((a, b) => Number(a) - Number(b))).toEqual([
    ...tasks.keys(),
  ])
})

test('higher priorities go first, equal ones in their order', async () => {
  const begun: string[] = []
  const task = (id: string, priority?: number): Task<void> => ({
    id,
    ...(priority === undefined ? {} : { priority }),
    async run() {
      begun.push(id)
    },
  })
  await many([task('a'), task('b', 2), task('c'), task('d', 2), task('e', -1)], 1, never)
  expect(begun).toEqual(['b', 'd', 'a', 'c', 'e'])
})

test('one that throws, at once or later, leaves the others alone', async () => {
  const tasks: Task<string>[] = [
    { id: 'good', run: async () => 'fine' },
    { id: 'bad', run: () => Promise.reject(new Error('broken')) },
    {
      id: 'worse',
      run: () => {
        throw new Error('broken at once')
      },
    },
    { id: 'last', run: async () => 'fine too' },
  ]
  const seen: string[] = []
  const ended = await many(tasks, 1, never, ({ id }) => seen.push(id))
  expect(seen).toEqual(['good', 'bad', 'worse', 'last'])
  expect(ended).toEqual([
    { id: 'good', value: 'fine' },
    { id: 'bad', failed: 'broken' },
    { id: 'worse', failed: 'broken at once' },
    { id: 'last', value: 'fine too' },
  ])
})

test('nothing new begins after an abort; what runs is waited for', async () => {
  const stop = new AbortController()
  const tasks = Array.from(
    { length: 10 },
    (_, index): Task<number> => ({
      id: `${index}`,
      async run() {
        if (index === 2) stop.abort()
        await new Promise((done) => setImmediate(done))
        return index
      },
    }),
  )
  const ended = await many(tasks, 2, stop.signal)
  expect(ended.length).toBeLessThanOrEqual(4)
  expect(ended.every((end) => 'value' in end)).toBe(true)
})

test('nothing to do is nothing', async () => {
  expect(await many([], 8, never)).toEqual([])
})
