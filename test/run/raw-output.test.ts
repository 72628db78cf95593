import { expect, test } from 'vitest'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import { scripted } from '../../src/model/scripted.ts'
import { runCommandTool } from '../../src/tool/run-command.ts'
import { put, scratch } from '../workspace/scratch.ts'
import { run, submits } from './agent-run.ts'

test.each([
  ['0', 0, 'success'],
  ['3', 3, 'error'],
])('what a command wrote is recorded as it is, its words apart: exit code %s', async (_, code, outcome) => {
  const workspace = await scratch()
  const text = 'one "quoted"\n\ttwo \\ é\r\n{"outcome":"success","result":"x"}\n'
  await put(workspace, { 'a.txt': text })
  const node = process.execPath
  const script = `process.stdout.write(fs.readFileSync('a.txt')); process.exitCode = ${code}`
  const { of } = await run({
    model: scripted([{ tool: 'run_command', args: { argv: [node, '-e', script] } }, submits]),
    tools: [runCommandTool({ allow: [{ program: node }] })],
    workspace,
  })
  expect(of('tool_result')[0]).toMatchObject({ data: { outcome }, raw: { raw_output: text } })
})

test('bytes that are no text are recorded as they are, however few', async () => {
  const workspace = await scratch()
  const node = process.execPath
  const script = 'process.stdout.write(Buffer.from([0x89, 0x50, 0xff, 0, 10]))'
  const { store, of } = await run({
    model: scripted([{ tool: 'run_command', args: { argv: [node, '-e', script] } }, submits]),
    tools: [runCommandTool({ allow: [{ program: node }] })],
    workspace,
  })
  const [result] = of('tool_result')
  expect(result && (await fieldOf(store, result, 'raw_output'))).toEqual(
    Buffer.from([0x89, 0x50, 0xff, 0, 10]),
  )
})
