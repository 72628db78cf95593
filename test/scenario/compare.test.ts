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

test('compare with the embedded default counts transcripts too, and leaves no proposals behind', async () => {
  const cwd = folderWith({ 'app.py': `A = 1;\n${many}` })
  const { code, stdout } = await twotrack(cwd, ['compare', 'lint', 'app.py', '--no-hub', '--json'])
  expect(code).toBe(0)
  const [packet, messages, both] = (JSON.parse(stdout) as Compared[]).map(
    ({ prompt_tokens }) => prompt_tokens,
  )
  expect(packet).toHaveLength(3)
  expect(messages?.at(-1)).toBeGreaterThan(packet?.at(-1) ?? 0)
  expect(both?.at(-1)).toBeGreaterThan(messages?.at(-1) ?? 0)
  expect((await twotrack(cwd, ['changes'])).stdout).toBe('No proposed changes.\n')
  await expectIntact(cwd)
})
