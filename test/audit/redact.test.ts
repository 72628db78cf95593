import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { redactStore } from '../../src/audit/redact/redact.ts'
import { redactText } from '../../src/audit/redact/texts.ts'
import { verifyLog } from '../../src/audit/verify.ts'
import type { Json } from '../../src/core/event/json.ts'
import { fieldOf } from '../../src/core/memory/blobs.ts'
import type { Store } from '../../src/core/store/store.ts'
import { Memory } from '../../src/memory.ts'
import { secretsOf } from '../../src/secrets/secrets.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { kvStore } from '../../src/store/kv/kv.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { StoredOutput } from '../../src/tool/stored-output.ts'
import { chars, secretsMade } from '../secrets/made.ts'

const gone = `Ada "L" ${chars(10, 'person')}`
const kept = `kept-${chars(10, 'kept')}`
const SEAL_BYTES = 32

/** Two agents that saw it everywhere, and one that did not. */
async function record(store: Store): Promise<void> {
  for (const agent_id of ['a', 'b', 'c']) {
    const what = agent_id === 'c' ? kept : `${gone} and ${kept}`
    const memory = await Memory.open({ store, agentId: agent_id, goal: `Write to ${what}.`, secrets: 'off' })
    for (let turn = 0; turn < 4; turn++) {
      await memory.startTurn()
      await memory.recordRequest(await memory.prompt(), 'm')
      const args = { to: what, long: turn === 2 ? `${what}\n`.repeat(2000) : '' }
      const call = await memory.recordCall({ tool: 'send', args })
      const output = turn === 1 ? `${what}\n`.repeat(2000) : turn === 3 ? { person: what } : what
      await memory.recordResult({ call, returned: output, args, log: what })
    }
    const raw = await memory.keep(Buffer.concat([Buffer.from([0xff, 0xc3, 0x28]), Buffer.from(what)]))
    await memory.recordResult({
      call: await memory.recordCall({ tool: 't', args: {} }),
      returned: new StoredOutput(raw, 'shown'),
    })
    await memory.recordRequest(await memory.prompt(), 'm')
    await memory.close()
  }
}

/** Every byte of a folder, compressed parts also as they read, escapes of JSON undone. */
async function bytesIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts: string[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const bytes = await readFile(join(entry.parentPath, entry.name))
    texts.push(bytes.toString('latin1'))
    if (/\.zst/.test(entry.name))
      texts.push(zstdDecompressSync(bytes.subarray(SEAL_BYTES)).toString('latin1'))
  }
  return texts.join('\n').replaceAll('\\', '')
}

async function folderWith(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'twotrack-redact-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function assertWhole(store: Store): Promise<void> {
  for (const agent of ['a', 'b', 'c'])
    expect(await verifyLog(store, agent)).toMatchObject({ ok: true, findings: [], prompts: 5 })
  const memory = await Memory.open({ store, agentId: 'a' })
  expect(memory.packet.goal).toContain(kept)
  await memory.close()
}

const redact = redactText(gone)
const options = { redact, reason: 'asked for' }

const stores: [string, (folder: string) => Store][] = [
  ['jsonl', (folder) => jsonlStore({ folder })],
  ['kv', (folder) => kvStore({ file: join(folder, 'agent.db') })],
  ['memory', () => memoryStore()],
]

describe.each(stores)('%s', (_name, open) => {
  test('nothing of it is left, all else is, each log verifies and its packets replay', async () => {
    const folder = await folderWith()
    const store = open(folder)
    await record(store)
    const heads = await Promise.all(['a', 'c'].map((agent) => store.head(agent)))
    const planned = await redactStore(store, { ...options, dry_run: true })
    expect(planned.logs.map(({ agent_id }) => agent_id)).toEqual(['a', 'b'])
    expect(await store.head('a')).toEqual(heads[0])
    const done = await redactStore(store, options)
    expect(done).toEqual({ ...planned, dry_run: false })
    expect(await redactStore(store, options)).toMatchObject({ logs: [], blobs: 0, left: false })
    await assertWhole(store)
    expect(await store.head('c')).toEqual(heads[1])
    const all: unknown[] = []
    for await (const event of store.read('a')) all.push(event)
    expect(all.at(-1)).toMatchObject({
      type: 'redacted',
      data: { by: 'redact', reason: 'asked for', pattern: 'a text', raw: [] },
    })
    expect(await verifyLog(store, 'a', heads[0])).toMatchObject({ ok: true })
    expect(await verifyLog(store, 'a', { seq: 3, hash: '0'.repeat(64) })).toMatchObject({ ok: false })
    await store.close()
    const left = (await bytesIn(folder)) + JSON.stringify(all).replaceAll('\\', '')
    expect(left).not.toContain(gone)
    expect(left).toContain(kept)
  })
})

test('further files under the folder lose it, links and what they lead to stay', async () => {
  const folder = await folderWith()
  const store = jsonlStore({ folder })
  await record(store)
  await mkdir(join(folder, 'workspaces/a/src'), { recursive: true })
  await writeFile(join(folder, 'workspaces/a/src/x.ts'), `// ${gone} ${kept}\n`)
  await writeFile(join(folder, 'export.jsonl'), JSON.stringify({ who: gone }))
  const done = await redactStore(store, { ...options, folder })
  expect(done.files).toEqual(['export.jsonl', join('workspaces', 'a', 'src', 'x.ts')])
  expect(await readFile(join(folder, 'workspaces/a/src/x.ts'), 'utf8')).toBe(`// [redacted] ${kept}\n`)
  expect(await bytesIn(folder)).not.toContain(gone)
})

test('a name goes however its accents are written, and from bytes that are no UTF-8', async () => {
  const folder = await folderWith()
  const store = jsonlStore({ folder })
  const name = 'Zo\u00eb \ud83e\udd84'
  const outputs = [
    `${name}, ${name.normalize('NFD')}, Zo\\u00eb \\ud83e\\udd84, ${encodeURIComponent(name).replace(/%../g, (code) => code.toLowerCase())}`,
    JSON.stringify({ inner: '{"who":"Zo\\u00eb \\ud83e\\udd84"}' }),
    Buffer.concat([Buffer.from([0xff, 0xc3]), Buffer.from(`\n${name} stays`), Buffer.from([0xfe])]),
    Buffer.from(`\ufeff${name}, in words of two bytes each`, 'utf16le'),
  ]
  const memory = await Memory.open({ store, agentId: 'a', goal: 'g' })
  for (const output of outputs) await memory.recordToolRun({ tool: 't', args: {} }, () => output)
  await memory.close()
  expect(await redactStore(store, { redact: redactText(name), reason: 'r' })).toMatchObject({ left: false })
  const left: Buffer[] = []
  for await (const event of store.read('a'))
    if (event.type === 'tool_result')
      left.push(Buffer.from((await fieldOf(store, event, 'raw_output')) as string | Uint8Array))
  expect(left.map((bytes) => bytes.toString('latin1').replaceAll('\0', ''))).toEqual([
    '[redacted], [redacted], [redacted], [redacted]',
    '{"inner":"{\\"who\\":\\"[redacted]\\"}"}',
    '\xff\xc3\n[redacted] stays\xfe',
    '\xff\xfe[redacted], in words of two bytes each',
  ])
})

test('secrets of a log that was recorded without a detector', async () => {
  const folder = await folderWith()
  const store = jsonlStore({ folder })
  const all = secretsMade('old')
  const page = all.map(({ text }) => text).join('\n\n')
  const memory = await Memory.open({ store, agentId: 'a', goal: 'g', secrets: 'off' })
  const args = { page, password: all.find(({ name }) => name === 'netrc')?.secret ?? '' }
  await memory.recordResult({ call: await memory.recordCall({ tool: 't', args }), returned: page, args })
  await memory.recordResult({
    call: await memory.recordCall({ tool: 't', args }),
    returned: page.repeat(9),
    args,
  })
  await memory.startTurn()
  await memory.recordRequest(await memory.prompt(), 'm')
  await memory.close()
  const { hide, hideIn } = secretsOf({ mac: (text) => createHash('sha256').update(text).digest('hex') })
  const done = await redactStore(store, {
    redact: Object.assign(hide, { within: hideIn }),
    reason: 'secrets',
  })
  expect(done.left).toBe(false)
  const left = await bytesIn(folder)
  const coreOf = (secret: string) => (secret.split(/\n|\\n/)[1] ?? secret).replaceAll('\\', '')
  expect(all.filter(({ secret }) => left.includes(coreOf(secret))).map(({ name }) => name)).toEqual([])
  expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, findings: [] })
})

test('a secret that one log names goes from another that was read before it', async () => {
  const store = memoryStore()
  const secret = chars(24, 'named elsewhere')
  for (const [agent_id, said] of [
    ['a', `it is ${secret} there`],
    ['b', `export DB_PASSWORD="${secret}"`],
  ] as const) {
    const memory = await Memory.open({ store, agentId: agent_id, goal: 'g', secrets: 'off' })
    await memory.recordResult({ call: await memory.recordCall({ tool: 't', args: {} }), returned: said })
    await memory.close()
  }
  const { hide, hideIn } = secretsOf({ mac: (text) => createHash('sha256').update(text).digest('hex') })
  const done = await redactStore(store, {
    redact: Object.assign(hide, { within: hideIn }),
    reason: 'secrets',
  })
  expect(done.left).toBe(false)
  for (const agent of ['a', 'b'])
    for await (const event of store.read(agent)) expect(JSON.stringify(event)).not.toContain(secret)
})

test('nothing may be put in the place of what went but marks, by no function that is given', async () => {
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'a', goal: 'g', secrets: 'off' })
  const said = 'paid 100 to Bob'
  await memory.recordResult({ call: await memory.recordCall({ tool: 't', args: {} }), returned: said })
  await memory.recordResult({
    call: await memory.recordCall({ tool: 't', args: {} }),
    returned: `${said}\n`.repeat(2000),
  })
  await memory.close()
  const head = await store.head('a')
  const forging = [
    (text: string) => text.replaceAll(said, 'paid 999 to Eve'),
    (text: string) => text.replaceAll(said, 'paid 999 to [redacted]'),
    (text: string) => text.replaceAll(said, '[redacted]paid 999 to Eve'),
    (text: string) => text.replaceAll('100 to ', ''),
  ]
  for (const one of forging) {
    const done = await redactStore(store, { redact: one, reason: 'r' })
    expect(done.logs[0]?.left).toContain('puts other text in its place')
    expect(done.left).toBe(true)
    expect(await store.head('a')).toEqual(head)
  }
  const within = (value: Json): Json => JSON.parse(JSON.stringify(value).replaceAll('Bob', 'Eve')) as Json
  const named = Object.assign((text: string) => text.replaceAll('Bob', 'Eve'), { within })
  expect((await redactStore(store, { redact: named, reason: 'r' })).left).toBe(true)
  expect(await verifyLog(store, 'a', head)).toMatchObject({ ok: true, redactions: [] })
  expect(
    await redactStore(store, { redact: (text) => text.replaceAll('Bob', '[redacted]'), reason: 'r' }),
  ).toMatchObject({ left: false })
  expect(await verifyLog(store, 'a', head)).toMatchObject({ ok: true, redactions: [{ pattern: 'a text' }] })
})

test('what is recorded of a redaction does not repeat what went', async () => {
  await expect(redactStore(memoryStore(), { redact, reason: `for ${gone}` })).rejects.toMatchObject({
    code: 'bad_argument',
  })
})

test('a log that is being written is left, and said to be', async () => {
  const folder = await folderWith()
  const store = jsonlStore({ folder })
  await record(store)
  const memory = await Memory.open({ store, agentId: 'a' })
  const done = await redactStore(jsonlStore({ folder }), options)
  expect(done.left).toBe(true)
  expect(done.logs.find(({ agent_id }) => agent_id === 'a')?.left).toContain('being written')
  await memory.close()
  expect(await redactStore(store, options)).toMatchObject({ left: false })
  expect(await bytesIn(folder)).not.toContain(gone)
})

test('what is to go goes from sentences that quote it too, and nothing else does', () => {
  const two = redactText('key "one"\n  of Ada')
  expect(two(`make: 2 lines: "the key 'one'", "of Ada's"`)).toBe(`make: 2 lines: "the [redacted]'s"`)
  expect(redactText('   a')('a cat of Ada')).toBe('a cat of Ada')
})
