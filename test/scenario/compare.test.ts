import { expect, test } from 'vitest'
import { folderWith, twotrack } from '../cli/run.ts'
import * as reply from '../model/replies.ts'
import { expectIntact, modelServer } from './project.ts'

interface Compared {
  readonly context: string
  readonly end: string
  readonly turns: number
  readonly prompt_tokens: readonly number[]
}

/** A file whose lint report is long: the transcript carries each one along. */
const many = Array.from({ length: 30 }, (_, at) => `def step_${at}():\n    value_${at} = ${at}\n`).join(
  '\n\n',
)
const READS = 12

test('compare: the packet stays flat, the transcript grows, and all three end the same', async () => {
  const cwd = folderWith({ 'app.py': many })
  const server = await modelServer((index) => {
    const step = index % (READS + 1)
    const submit = { summary: 'Looked.', issues_fixed: 0, issues_remaining: 30, changed_files: [] }
    return reply.says({
      calls: [
        step === READS
          ? { tool: 'submit_result', args: submit }
          : { tool: 'read_file', args: { path: 'app.py', from_line: step * 5 + 1 } },
      ],
    })
  })
  const asks = ['--model', 'openai:test', '--url', `${server.url}/v1`, '--no-hub']
  const { code, stdout, stderr } = await twotrack(cwd, ['compare', 'lint', 'app.py', ...asks, '--json'])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const rows = JSON.parse(stdout) as Compared[]
  expect(rows.map(({ context, end, turns }) => [context, end, turns])).toEqual([
    ['packet', 'submitted', READS + 1],
    ['messages', 'submitted', READS + 1],
    ['both', 'submitted', READS + 1],
  ])
  const [packet, messages] = rows.map(({ prompt_tokens }) => prompt_tokens)
  const growth = (tokens: readonly number[] = []) => (tokens.at(-1) ?? 0) - (tokens[2] ?? 0)
  expect(growth(messages)).toBeGreaterThan(5 * Math.max(100, growth(packet)))
  expect(Math.max(...(packet ?? []))).toBeLessThan(8_000)
  await expectIntact(cwd)
})
