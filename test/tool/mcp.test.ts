import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import { scripted } from '../../src/model/scripted.ts'
import { startAgent } from '../../src/run/start.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { mcpTools } from '../../src/tool/mcp.ts'
import type { McpServerSpec } from '../../src/tool/mcp-server.ts'
import { eventsOf } from '../frameworks/events.ts'

const official = (name: string) =>
  fileURLToPath(
    new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
  )
const server = (name: string, ...args: string[]): McpServerSpec => ({
  name,
  command: process.execPath,
  args: [official(name), ...args],
})
function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), 'twotrack-mcp-')))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('tools of the official file server work as tools: what they give is in the log and in the packet', async () => {
  const cwd = folder()
  writeFileSync(join(cwd, 'notes.txt'), 'The key is under the mat.\n')
  const { tools, close } = await mcpTools({
    ...server('filesystem', cwd),
    tools: ['read_text_file', 'write_file', 'list_directory'],
  })
  onTestFinished(close)
  expect(tools.map(({ name, effect }) => [name, effect])).toEqual([
    ['read_text_file', 'effect'],
    ['write_file', 'effect'],
    ['list_directory', 'effect'],
  ])
  const store = memoryStore()
  const model = scripted([
    { tool: 'list_directory', args: { path: cwd } },
    { tool: 'read_text_file', args: { path: join(cwd, 'notes.txt') } },
    { tool: 'read_text_file', args: { path: '/etc/passwd' } },
    { tool: 'write_file', args: { path: join(cwd, 'new.txt') } },
    { tool: 'submit_result', args: { summary: 'Under the mat.' } },
  ])
  const { packet } = await startAgent({ goal: 'Where is the key?', agentId: 'a', tools, model, store })
  expect(JSON.stringify(packet)).toContain('under the mat')
  const results = (await eventsOf(store, 'a')).filter((event) => event.type === 'tool_result')
  expect(results.map(({ data }) => data.outcome)).toEqual(['success', 'success', 'error', 'error', 'success'])
  const [listed, read, outside, malformed] = results
  expect(listed && (await fieldOf(store, listed, 'raw_output'))).toBe('[FILE] notes.txt')
  expect(read && (await fieldOf(store, read, 'raw_output'))).toBe('The key is under the mat.\n')
  expect(outside?.data.error).toContain('Access denied')
  expect(malformed?.data.error).toContain('content')
  expect(await verifyLog(store, 'a')).toMatchObject({ ok: true })
})

test('a server counts as harmless only where a person trusts it, and its declarations have a budget', async () => {
  const memory = { ...server('memory'), env: { MEMORY_FILE_PATH: join(folder(), 'memory.jsonl') } }
  const { tools, close } = await mcpTools({
    ...memory,
    trusted: true,
    tools: ['read_graph', 'create_entities'],
  })
  onTestFinished(close)
  const effects = Object.fromEntries(tools.map(({ name, effect }) => [name, effect]))
  expect(effects['read_graph']).toBe('pure')
  expect(effects['create_entities']).not.toBe('pure')
  await expect(mcpTools({ ...memory, declaration_tokens: 300 })).rejects.toThrow(
    /would take \d+ tokens of every prompt, and may take 300.*read_graph \d+/,
  )
  await expect(mcpTools({ ...memory, tools: ['fly'] })).rejects.toThrow(
    /has no tool "fly"; it has: .*read_graph/,
  )
  await expect(mcpTools({ name: 'gone', command: '/nowhere/server' })).rejects.toThrow(
    /"gone" could not be started/,
  )
})

test('every kind of content of the official test server is a result, and a server that dies is one too', async () => {
  const { tools, close } = await mcpTools({ ...server('everything'), declaration_tokens: 20_000 })
  onTestFinished(close)
  const call = async (name: string, args: Record<string, string | number>) => {
    const tool = tools.find((one) => one.name === name)
    const signal = AbortSignal.timeout(60_000)
    return tool?.run(args, { workspace: '.', node: { id: '-', type: 'task' }, signal })
  }
  expect(await call('echo', { message: 'hello' })).toMatchObject({ content: [{ text: 'Echo: hello' }] })
  expect(JSON.stringify(await call('get-tiny-image', {}))).toContain('image/png')
  expect(await call('get-structured-content', { location: 'Chicago' })).toHaveProperty('structuredContent')
})

test('a server that dies in the middle of a call, or floods it, is an error, and the next call starts it again', async () => {
  const cwd = folder()
  writeFileSync(
    join(cwd, 'mortal.mjs'),
    `import { createInterface } from 'node:readline'
     const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
     const inputSchema = { type: 'object', properties: {} }
     for await (const line of createInterface({ input: process.stdin })) {
       const { id, method, params } = JSON.parse(line)
       if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'm', version: '1' } })
       else if (method === 'tools/list') answer(id, { tools: ['die', 'flood', 'live'].map((name) => ({ name, inputSchema })) })
       else if (method === 'tools/call' && params.name === 'die') process.exit(3)
       else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: params.name === 'flood' ? 'x'.repeat(20e6) : 'alive' }] })
       else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } }))
     }`,
  )
  const { tools, close } = await mcpTools(
    { name: 'mortal', command: process.execPath, args: ['mortal.mjs'] },
    { cwd },
  )
  onTestFinished(close)
  const store = memoryStore()
  const model = scripted([
    { tool: 'die', args: {} },
    { tool: 'flood', args: {} },
    { tool: 'live', args: {} },
    { tool: 'submit_result', args: { summary: 'It lives.' } },
  ])
  await startAgent({ goal: 'Does it live?', agentId: 'a', tools, model, store })
  const results = (await eventsOf(store, 'a')).filter((event) => event.type === 'tool_result')
  expect(results.map(({ data }) => data.outcome)).toEqual(['error', 'error', 'success', 'success'])
  expect(results[0]?.data.error).toMatch(/MCP server "mortal" did not answer die/)
  expect(results[1]?.data.error).toMatch(/MCP server "mortal" did not answer flood/)
})
