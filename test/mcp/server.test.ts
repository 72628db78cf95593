import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, onTestFinished, test } from 'vitest'
import { environment, imported, MAIN } from '../cli/run.ts'

const env = Object.fromEntries(
  Object.entries(environment()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
)
const started = { command: process.execPath, args: [MAIN, 'mcp'], stderr: 'ignore' as const }
type Asked = { name: string; arguments: Record<string, unknown> }
type Answer = { content?: unknown; isError?: unknown; toolResult?: unknown }

async function answersTo(ask: (asked: Asked) => Promise<object>) {
  const text = async (name: string, given: Record<string, unknown>) => {
    const answer: Answer = await ask({ name, arguments: given })
    const [part] = Array.isArray(answer.content) ? (answer.content as { text?: string }[]) : []
    return { text: part?.text ?? '', isError: answer.isError === true }
  }
  return text
}

test.each(['auto', 'legacy'] as const)(
  'the client of the SDK (%s) asks about a recorded run',
  async (mode) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(new StdioClientTransport({ ...started, cwd: await imported(), env }))
    onTestFinished(() => client.close())
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(['runs', 'packet', 'recall', 'search', 'why', 'diff', 'blind_spots', 'verify'])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    const text = await answersTo((asked) => client.callTool(asked))
    expect(JSON.parse((await text('runs', {})).text)).toMatchObject([
      { agent_id: 'import-trajectory', turns: 10 },
    ])
    expect((await text('packet', { agent: 'trajectory', turn: 6 })).text).toContain('STEPS')
    expect((await text('packet', { agent: 'trajectory', turn: 99 })).isError).toBe(true)
    expect((await text('recall', { agent: 'trajectory', seq: 4, bytes: 50 })).text).toContain('"total"')
    expect((await text('search', { agent: 'trajectory', text: 'AttributeError' })).text).toContain('"seq"')
    expect((await text('why', { agent: 'trajectory', of: '/goal' })).text).toContain('"sources"')
    expect((await text('diff', { agent: 'trajectory', from: 1, to: 2 })).text).not.toBe('[]')
    expect((await text('blind_spots', { agent: 'trajectory' })).text).toContain('"spots"')
    expect(JSON.parse((await text('verify', {})).text)).toMatchObject({ ok: true })
    expect(await text('runs', { most: -1 }).catch(() => ({ isError: true }))).toMatchObject({ isError: true })
  },
)

test('the client of the SDK of before asks the same', async () => {
  const client = new Client1({ name: 'test', version: '1' })
  await client.connect(new Stdio1({ ...started, cwd: await imported(), env }))
  onTestFinished(() => client.close())
  const text = await answersTo((asked) => client.callTool(asked))
  expect(JSON.parse((await text('runs', {})).text)).toMatchObject([{ agent_id: 'import-trajectory' }])
})
