import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifyLog } from '../../../src/audit/verify.ts'
import { fieldOf } from '../../../src/core/memory/blobs.ts'
import { getBlob } from '../../../src/core/store/store.ts'
import { Memory } from '../../../src/memory.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { memoryStore } from '../../../src/store/memory.ts'
import { StoredOutput } from '../../../src/tool/stored-output.ts'
import { chars, secretsMade } from '../../secrets/made.ts'
import { begin, call, eventsOf } from './begin.ts'

const SEAL_BYTES = 32

/** Every byte that is in a folder, blobs decompressed. */
async function bytesIn(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = files.map(async (file) => {
    const bytes = await readFile(file)
    if (!file.includes('blobs')) return bytes.toString('latin1')
    return zstdDecompressSync(bytes.subarray(SEAL_BYTES)).toString('latin1')
  })
  return (await Promise.all(texts)).join('\n')
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'twotrack-secrets-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

/** A secret may be spread over lines, which JSON escapes. */
const coreOf = (secret: string): string => secret.split(/\n|\\n/)[1] ?? secret

describe('what is recorded holds no secret', () => {
  const all = secretsMade('memory')
  const page = all.map(({ text }) => text).join('\n\n')

  test('wherever it comes in: goal, arguments, output, errors, logs, answers, words of a person', async () => {
    const root = await folder()
    const store = jsonlStore({ folder: root })
    const memory = await Memory.open({
      store,
      agentId: 'a',
      packetSizeLimit: 16_000,
      promptBudget: 40_000,
      goal: page,
      instructions: page,
      origin: { page },
    })
    await memory.startTurn()
    await memory.recordRequest(await memory.prompt(), 'm')
    await memory.record({
      type: 'model_response',
      data: {
        model: 'm',
        text: page,
        calls: [{ call_id: '1', tool: 'shell', args: { page, long: page.repeat(9) } }],
      },
      raw: { completion: JSON.stringify({ page }) },
    })
    const args = { page, long: page.repeat(9) }
    await memory.recordResult({
      call: await memory.recordCall({ tool: 'shell', args }),
      returned: page,
      args,
      log: page,
    })
    await memory.recordResult({
      call: await memory.recordCall({ tool: 'shell', args }),
      returned: { page, list: [page] },
      args,
    })
    await memory.recordResult({
      call: await memory.recordCall({ tool: 'shell', args }),
      returned: new Error(page),
      args,
    })
    // A mark of UTF-16 before bytes that are none, of an even and of an odd number.
    for (const end of ['', '.'])
      await call(memory, Buffer.concat([Buffer.from([0xff, 0xfe, 0xc3, 0x28, 10]), Buffer.from(page + end)]))
    await memory.say(page)
    await memory.correct('someone', page, { update_knowledge: { page } })
    await memory.record({ type: 'agent_error', data: { where: 'x', message: page }, raw: { stack: page } })
    const prompt = await memory.prompt()
    await memory.recordRequest(prompt, 'm')
    await memory.close()
    const stored = (await bytesIn(root)) + prompt.text + JSON.stringify(await memory.messages())
    const left = all.filter(({ secret }) => stored.includes(coreOf(secret)))
    expect(left.map(({ name }) => name)).toEqual([])
    expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, prompts: 2 })
    await store.close()
  })

  test('in output that goes to the store as it comes, whatever chunks it comes in', async () => {
    const root = await folder()
    const store = jsonlStore({ folder: root })
    const memory = await Memory.open({ store, agentId: 'a', goal: 'g' })
    const filler = Array.from({ length: 12_000 }, (_, at) => `src/file${at}.ts:${at}: nothing to see\n`).join(
      '',
    )
    const whole = Buffer.from(`${filler}${page}\n${filler}${page}\n${filler}`)
    for (const size of [whole.length, 65_536, 4_099]) {
      async function* chunks() {
        for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
      }
      const raw = await memory.keep(chunks())
      const event = await memory.recordResult({
        call: await memory.recordCall({ tool: 't', args: {} }),
        returned: new StoredOutput(raw, 'shown'),
      })
      const kept = Buffer.from((await fieldOf(store, event, 'raw_output')) as Uint8Array).toString()
      expect(all.filter(({ secret }) => kept.includes(coreOf(secret))).map(({ name }) => name)).toEqual([])
      expect(kept.split('nothing to see').length).toBe(36_001)
      expect(kept).toBe(memory.border.hide(whole.toString()))
    }
    await memory.close()
    const stored = await bytesIn(root)
    expect(all.filter(({ secret }) => stored.includes(coreOf(secret))).map(({ name }) => name)).toEqual([])
  })

  test('and bytes that are no text stay as they are but for it', async () => {
    const store = memoryStore()
    const memory = await begin({ store })
    const noise = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7919) % 256))
    const secret = secretsMade()[0]?.secret ?? ''
    const event = await call(memory, Buffer.concat([noise, Buffer.from(` ${secret} `), noise]))
    const kept = Buffer.from((await fieldOf(store, event, 'raw_output')) as Uint8Array)
    expect(kept.subarray(0, 5_000).equals(noise)).toBe(true)
    expect(kept.subarray(-5_000).equals(noise)).toBe(true)
    expect(kept.toString('latin1')).not.toContain(secret)
  })

  test('beyond ASCII too, with one placeholder in text, in bytes and in a stream of any chunks', async () => {
    const store = memoryStore()
    const known = 'schlüssel-🔑-für-alles'
    const memory = await begin({ store, secrets: { known: [known] } })
    const typed = 'Zugängé!7kÄß9-è2'
    const text = `password="${typed}"\nuse ${known} 🔑\n`
    const hidden = memory.border.hide(text)
    expect(hidden).toMatch(/^password="\[secret:password:\w+\]"\nuse \[secret:known-key:\w+\] 🔑\n$/)
    const filler = Buffer.from('Größe: 3 × 4 ≈ 🔑 '.repeat(30_000))
    for (const stray of [Buffer.alloc(0), Buffer.from([0xff, 0xc3, 10])])
      for (const size of [1, 2, 3, 7, 65_536]) {
        const whole = Buffer.concat([...(size > 7 ? [filler] : []), stray, Buffer.from(text), stray])
        async function* chunks() {
          for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size)
        }
        const kept = Buffer.from(await getBlob(store, (await memory.keep(chunks())).sha256))
        const wanted = [...(size > 7 ? [filler] : []), stray, Buffer.from(hidden), stray]
        expect(kept.equals(Buffer.concat(wanted)), `chunks of ${size}`).toBe(true)
      }
    const event = await call(memory, Buffer.from(text))
    expect(Buffer.from((await fieldOf(store, event, 'raw_output')) as Uint8Array).toString()).toBe(hidden)
    expect(memory.border.reveal(hidden).value).toBe(text)
  })

  test('a wide text, as some shells write it', async () => {
    const store = memoryStore()
    const secret = secretsMade()[0]?.secret ?? ''
    const event = await call(await begin({ store }), Buffer.from(`\ufeffhello ${secret} ü`, 'utf16le'))
    const kept = Buffer.from((await fieldOf(store, event, 'raw_output')) as Uint8Array).toString('utf16le')
    expect(kept).toMatch(/^\ufeffhello \[secret:github-token:[0-9a-f]{12}\] ü$/)
  })
})

describe('how a log says it', () => {
  const secret = secretsMade()[0]?.secret ?? ''
  const openWith = (store = memoryStore(), secrets?: 'off') =>
    Memory.open({ store, agentId: 'a', goal: `use ${secret}`, ...(secrets ? { secrets } : {}) })

  test('its first event tells whether secrets were replaced', async () => {
    for (const [off, says] of [
      [undefined, 'replaced'],
      ['off', 'off'],
    ] as const) {
      const store = memoryStore()
      await openWith(store, off)
      const [first] = await eventsOf(store)
      expect(first?.type === 'run_start' && first.data.secrets).toBe(says)
      expect(JSON.stringify(first).includes(secret)).toBe(off === 'off')
    }
  })

  test('what it began with holds when it is opened again', async () => {
    const store = memoryStore()
    await (await openWith(store)).close()
    const memory = await openWith(store, 'off')
    await memory.say(secret)
    expect(JSON.stringify(await eventsOf(store))).not.toContain(secret)
  })

  test('with the same key a resumed run gives the same placeholders', async () => {
    const store = memoryStore()
    const key = Buffer.from(chars(32, 'key'))
    const first = await Memory.open({ store, agentId: 'a', goal: 'g', secrets: { key } })
    const before = first.border.hide(secret)
    await first.close()
    const second = await Memory.open({ store, agentId: 'a', secrets: { key } })
    expect(second.border.reveal(before).unknown).toEqual([before])
    expect(second.border.hide(secret)).toBe(before)
    expect(second.border.reveal(before)).toEqual({ value: secret, unknown: [] })
    expect(
      (await Memory.open({ store, agentId: 'b', goal: 'g', secrets: { key } })).border.hide(secret),
    ).not.toBe(before)
  })

  test('an id that holds a secret is refused, and the refusal does not repeat it', async () => {
    const refused = await Memory.open({ store: memoryStore(), agentId: secret, goal: 'g' }).catch(
      (thrown: Error) => thrown,
    )
    expect(refused).toMatchObject({ code: 'bad_argument' })
    expect(String(refused)).not.toContain(secret)
  })
})
