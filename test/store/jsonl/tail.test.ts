import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { sampleLog } from '../../../src/testing/sample-log.ts'
import { startChild } from './child.ts'
import { scratchFolder } from './scratch.ts'

const agent = 'agent-1'

describe('tail', () => {
  it('follows what another process appends', async () => {
    const folder = await scratchFolder()
    const child = startChild([folder, agent, '200'])
    child.say('go')
    await child.count(3)
    const stop = new AbortController()
    const hashes: string[] = []
    for await (const event of jsonlStore({ folder }).tail(agent, { signal: stop.signal })) {
      hashes.push(event.hash)
      if (event.seq === 200) stop.abort()
    }
    await child.ended
    const said = child.lines.filter((line) => /^\d/.test(line)).map((line) => line.split(' ')[1])
    expect(hashes).toEqual(said)
  })

  it('never gives half a line, however slowly its bytes come', async () => {
    const folder = await scratchFolder()
    const path = join(folder, 'traces', `${agent}.jsonl`)
    await mkdir(join(folder, 'traces'))
    const [first, ...rest] = sampleLog(agent, 4, { note: 'é'.repeat(40) }).map(({ line }) =>
      Buffer.from(`${line}\n`),
    )
    await writeFile(path, first ?? '')
    const stop = new AbortController()
    const seen: number[] = []
    const tailing = (async () => {
      for await (const event of jsonlStore({ folder }).tail(agent, { signal: stop.signal })) {
        seen.push(event.seq)
        if (event.seq === 4) stop.abort()
      }
    })()
    for (const byte of Buffer.concat(rest)) await appendFile(path, Buffer.of(byte))
    await tailing
    expect(seen).toEqual([1, 2, 3, 4])
  })

  it('goes on over a torn end that is cut and written anew', async () => {
    const folder = await scratchFolder()
    const path = join(folder, 'traces', `${agent}.jsonl`)
    await mkdir(join(folder, 'traces'))
    const events = sampleLog(agent, 3)
    await writeFile(path, `${events[0]?.line}\n${events[1]?.line.slice(0, 100)}`)
    const store = jsonlStore({ folder })
    const stop = new AbortController()
    const seen: number[] = []
    for await (const event of store.tail(agent, { signal: stop.signal })) {
      seen.push(event.seq)
      if (event.seq === 3) stop.abort()
      if (event.seq > 1) continue
      const writer = await store.open(agent)
      expect(writer.recovered?.bytes).toBe(100)
      await writer.append(events.slice(1), 1)
      await writer.close()
    }
    expect(seen).toEqual([1, 2, 3])
  })

  it('throws when what is appended is damaged', async () => {
    const folder = await scratchFolder()
    const store = jsonlStore({ folder })
    const writer = await store.open(agent)
    await writer.append(sampleLog(agent, 1), 0)
    await writer.close()
    const tailing = async () => {
      for await (const _ of store.tail(agent, { signal: new AbortController().signal })) {
        await appendFile(join(folder, 'traces', `${agent}.jsonl`), 'damage\n')
      }
    }
    await expect(tailing()).rejects.toMatchObject({ code: 'damaged', details: { line: 2 } })
  })
})
