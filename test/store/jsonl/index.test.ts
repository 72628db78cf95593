import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesBelow } from '../../../src/files/disk.ts'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { sealed } from '../../../src/store/jsonl/log-index.ts'
import { sampleLog } from '../../../src/testing/sample-log.ts'
import { scratchFolder } from './scratch.ts'

const agent = 'lint-1'

async function storeWithLogs() {
  const folder = join(await scratchFolder(), 'records')
  const store = jsonlStore({ folder })
  for (const id of [agent, 'other']) {
    const writer = await store.open(id)
    await writer.append(sampleLog(id, 3), 0)
    await writer.close()
  }
  return { folder, store, index: join(folder, 'traces.index') }
}

describe('the index', () => {
  it('that was forged, digest and all, changes nothing that is listed, and is found', async () => {
    const { store, index } = await storeWithLogs()
    const listed = await store.list()
    const lines = (await readFile(index, 'utf8')).trim().split('\n')
    const forged = lines.map((line) => {
      const entry = { ...JSON.parse(line.slice(65)), run_id: 'forged', created: '2000-01-01T00:00:00.000Z' }
      return `${sealed(JSON.stringify(entry))}\n`
    })
    await writeFile(index, forged.join(''))
    expect(await store.list()).toEqual(listed)
    expect(await store.list({ run_id: 'forged' })).toEqual([])
    expect(await store.check()).toEqual(
      [1, 2].map(() => ({ level: 'error', where: index, what: expect.stringContaining('something else') })),
    )
  })

  it('remembers a log that is gone, also when it is made anew', async () => {
    const { folder, store, index } = await storeWithLogs()
    await rm(join(folder, 'traces', 'other.jsonl'))
    expect((await store.list()).map(({ agent_id }) => agent_id)).toEqual([agent])
    const gone = { level: 'error', where: expect.stringContaining('other.jsonl') }
    expect(await store.check()).toMatchObject([gone])
    await writeFile(index, `${await readFile(index, 'utf8')}damage\n`)
    await store.list()
    expect((await store.check()).filter(({ level }) => level === 'error')).toMatchObject([gone])
  })
})

it.skipIf(process.platform === 'win32')("records are the owner's alone", async () => {
  const before = process.umask(0)
  try {
    const { folder, store } = await storeWithLogs()
    await store.putBlob(Buffer.from('raw'), 'text')
    const writer = await store.open(agent)
    const files = await filesBelow(folder)
    expect(files.length).toBeGreaterThanOrEqual(5)
    for (const file of files) expect([file, (await stat(file)).mode & 0o777]).toEqual([file, 0o600])
    for (const inner of ['traces', 'blobs'])
      expect((await stat(join(folder, inner))).mode & 0o777).toBe(0o700)
    await writer.close()
  } finally {
    process.umask(before)
  }
})
