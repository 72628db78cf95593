import { expect, test } from 'vitest'
import { atOnce } from '../src/at-once.ts'

const tick = () => new Promise((done) => setImmediate(done))

test('never more at once than allowed, all of them in the end, and results in the order of the items', async () => {
  let open = 0
  let most = 0
  const results = await atOnce([...Array(25).keys()], 4, async (item) => {
    most = Math.max(most, ++open)
    await tick()
    open--
    return item * 2
  })
  expect(most).toBe(4)
  expect(results).toEqual([...Array(25).keys()].map((item) => item * 2))
})

test('after a failure nothing new is begun, and what was begun comes to its end first', async () => {
  const ended: number[] = []
  const work = async (item: number) => {
    if (item === 1) throw new Error('broken')
    await tick()
    ended.push(item)
  }
  await expect(atOnce([0, 1, 2, 3, 4], 2, work)).rejects.toThrow('broken')
  expect(ended).toEqual([0])
})

test('nothing new is begun once the signal aborts', async () => {
  const stop = new AbortController()
  const begun: number[] = []
  await atOnce(
    [0, 1, 2, 3],
    1,
    async (item) => {
      begun.push(item)
      if (item === 1) stop.abort()
    },
    stop.signal,
  )
  expect(begun).toEqual([0, 1])
})
