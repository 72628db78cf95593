import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { folderWith, twotrack } from './run.ts'

const BOOKSHOP = fileURLToPath(new URL('../../examples/bookshop.jsonl', import.meta.url))
const AGENT = 'import-bookshop'

async function bookshop(limit: number): Promise<string> {
  const cwd = folderWith()
  const set = `runner.memory.packet_size_limit=${limit}`
  expect(await twotrack(cwd, ['import', BOOKSHOP, '--set', set])).toMatchObject({ code: 0 })
  return cwd
}

test('blindspots lists the worst first, with the line, the harm and who is to blame', async () => {
  const cwd = await bookshop(300)
  const text = await twotrack(cwd, ['blindspots', AGENT, '--most', '3'])
  expect(text).toMatchObject({ code: 0, stderr: '' })
  expect(text.stdout).toMatch(/^1 log, 29 decisions; before \d+ of them the packet lacked/)
  expect(text.stdout).toMatch(/ 1\. turn \d+: the packet lacked #\d+ lines? \d+.*: .*named|failed/)
  expect(text.stdout).toMatch(/to blame: (view|summarizer|cap|replaced)/)
  const json = JSON.parse((await twotrack(cwd, ['blindspots', '--all', '--json'])).stdout)
  expect(json).toMatchObject({ logs: [{ agent_id: AGENT }] })
  expect(json.spots).toHaveLength(10)
  const scores = json.spots.map((spot: { score: number }) => spot.score)
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
})

test('whatif shows what would change, side by side, and gates', async () => {
  const cwd = await bookshop(1500)
  const smaller = await twotrack(cwd, ['whatif', AGENT, '--limit', '300', '--gate'])
  expect(smaller).toMatchObject({ code: 1, stderr: '' })
  expect(smaller.stdout).toContain('more is lost than won')
  expect(await twotrack(cwd, ['whatif', AGENT, '--limit', '3000', '--gate'])).toMatchObject({ code: 0 })
  const file = join(cwd, 'terse.mjs')
  writeFileSync(
    file,
    "export default { name: 'terse', summarize: () => ({ summary: 'Done', output: null }) }\n",
  )
  const sides = await twotrack(cwd, ['whatif', AGENT, '--summarizers', 'terse.mjs', '--turn', '8'])
  expect(sides.stdout).toMatch(/^GOAL: .* {2,}GOAL: /m)
  expect(sides.stdout).toMatch(/ > .*→ Done/)
  expect(await twotrack(cwd, ['whatif', AGENT])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--summarizers, --limit or --view'),
  })
  writeFileSync(file, 'export default 7\n')
  const wrong = ['whatif', AGENT, '--summarizers', 'terse.mjs']
  expect(await twotrack(cwd, wrong, { fresh: true })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is no summarizer'),
  })
})
