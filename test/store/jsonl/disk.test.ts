import { chmod, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonlStore } from '../../../src/store/jsonl/jsonl.ts'
import { headOf, sampleLog } from '../../../src/testing/sample-log.ts'
import { collect, write } from '../../../src/testing/store-cases/case.ts'
import { startChild } from './child.ts'
import { scratchFolder } from './scratch.ts'

const agent = 'agent-1'
const asRoot = process.getuid?.() === 0
const onWindows = process.platform === 'win32'

describe('a disk that does not do as asked', () => {
  it('leaves the log as it was when it is full', async () => {
    const folder = await scratchFolder()
    // A limit on the size of files is the nearest to a full disk that needs no rights: writes fail half way.
    const prefix = 'trap "" XFSZ; ulimit -f 16'
    const child = startChild([folder, agent], { prefix })
    child.say('go')
    await child.ended
    expect(child.lines.at(-1)).toBe('failed io')
    const acknowledged = child.lines.filter((line) => /^\d/.test(line)).length
    const store = jsonlStore({ folder })
    const writer = await store.open(agent)
    expect(writer.recovered).toBeUndefined()
    expect(writer.head.seq).toBe(acknowledged)
    expect((await collect(store.read(agent))).length).toBe(acknowledged)
    await writer.append(sampleLog(agent, 1, { after: writer.head }), acknowledged)
    await writer.close()
  })

  it.skipIf(onWindows)('that may not be written is read all the same, and says so when written', async () => {
    const folder = await scratchFolder()
    await write(jsonlStore({ folder }), agent, 2)
    await rm(join(folder, 'traces.index'))
    await chmod(join(folder, 'traces', `${agent}.jsonl`), 0o444)
    for (const path of [join(folder, 'traces'), folder]) await chmod(path, 0o555)
    const store = jsonlStore({ folder })
    const mayNot = { code: 'io', message: expect.stringContaining('this user may not') }
    // Permissions do not bind root, so root becomes no one for a while.
    if (asRoot) process.seteuid?.(65_534)
    try {
      expect((await store.list()).length).toBe(1)
      expect((await collect(store.read(agent))).length).toBe(2)
      await expect(store.open(agent)).rejects.toMatchObject(mayNot)
      await expect(store.putBlob(Buffer.from('x'), 'text')).rejects.toMatchObject(mayNot)
    } finally {
      if (asRoot) process.seteuid?.(0)
      for (const path of [folder, join(folder, 'traces')]) await chmod(path, 0o755)
    }
    expect((await readdir(folder)).toSorted()).toEqual(['traces'])
    expect(await readdir(join(folder, 'traces'))).toEqual([`${agent}.jsonl`])
  })

  it.runIf(process.platform === 'linux')(
    'that refuses new folders says so, and reading finds nothing',
    async () => {
      // Not even root may create a folder here.
      const store = jsonlStore({ folder: '/proc/twotrack' })
      await expect(store.open(agent)).rejects.toMatchObject({
        code: 'io',
        details: { path: '/proc/twotrack/traces' },
      })
      await expect(store.putBlob(Buffer.from('x'), 'text')).rejects.toMatchObject({ code: 'io' })
      expect(await store.list()).toEqual([])
    },
  )

  it('names a folder where a file should be, and a file where a folder should be', async () => {
    const folder = await scratchFolder()
    await mkdir(join(folder, 'traces', `${agent}.jsonl`), { recursive: true })
    const store = jsonlStore({ folder })
    const folderInstead = {
      code: 'io',
      message: expect.stringContaining('a folder is where a file should be'),
    }
    await expect(store.open(agent)).rejects.toMatchObject(folderInstead)
    await expect(collect(store.read(agent))).rejects.toMatchObject(folderInstead)
    expect(await readdir(join(folder, 'traces'))).toEqual([`${agent}.jsonl`])

    const file = join(await scratchFolder(), 'agentfs')
    await writeFile(file, 'mine')
    const fileInstead = { code: 'io', message: expect.stringContaining('a file is where a folder should be') }
    await expect(jsonlStore({ folder: file }).open(agent)).rejects.toMatchObject(fileInstead)
    await expect(jsonlStore({ folder: file }).putBlob(Buffer.from('x'), 'text')).rejects.toMatchObject(
      fileInstead,
    )
    expect(await readFile(file, 'utf8')).toBe('mine')
  })

  it('is not written to when something else changed or removed the log', async () => {
    const folder = await scratchFolder()
    const store = jsonlStore({ folder })
    const path = join(folder, 'traces', `${agent}.jsonl`)
    for (const change of [() => truncate(path, 100), () => rm(path)]) {
      await rm(path, { force: true })
      const events = sampleLog(agent, 3)
      const writer = await store.open(agent)
      await writer.append(events.slice(0, 2), 0)
      await change()
      await expect(writer.append(events.slice(2), 2)).rejects.toMatchObject({ code: 'conflict' })
      await expect(writer.append(events.slice(2), 2)).rejects.toMatchObject({ code: 'conflict' })
      await writer.close()
    }
  })

  it('does not write through a link to something that is no file', async () => {
    const folder = await scratchFolder()
    await mkdir(join(folder, 'traces'))
    await symlink('/dev/null', join(folder, 'traces', `${agent}.jsonl`))
    await expect(jsonlStore({ folder }).open(agent)).rejects.toMatchObject({ code: 'io' })
  })

  it('is left alone by a store that is only read', async () => {
    const folder = join(await scratchFolder(), 'agentfs')
    const store = jsonlStore({ folder })
    expect(await store.list()).toEqual([])
    expect(await store.check()).toEqual([])
    expect(await store.head(agent)).toBeUndefined()
    await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('the index', () => {
  it('is made again when it is missing, and knows logs that were copied in', async () => {
    const [folder, other] = [await scratchFolder(), await scratchFolder()]
    const store = jsonlStore({ folder })
    await write(store, 'a', 1)
    await write(jsonlStore({ folder: other }), 'b', 1)
    await writeFile(join(folder, 'traces', 'b.jsonl'), await readFile(join(other, 'traces', 'b.jsonl')))
    const names = async () => (await store.list()).map((entry) => entry.agent_id)
    expect(await names()).toEqual(['a', 'b'])
    expect(await store.check()).toEqual([])
    await rm(join(folder, 'traces.index'))
    expect((await store.check()).length).toBe(2)
    expect(await names()).toEqual(['a', 'b'])
    expect(await store.check()).toEqual([])
    await rm(join(folder, 'traces', 'a.jsonl'))
    expect(await names()).toEqual(['b'])
    expect(await store.check()).toEqual([expect.objectContaining({ level: 'error' })])
  })

  it('still names a log whose beginning is damaged', async () => {
    const folder = await scratchFolder()
    const store = jsonlStore({ folder })
    for (const id of ['a', 'b']) await write(store, id, 1)
    for (const id of ['a', 'b']) await writeFile(join(folder, 'traces', `${id}.jsonl`), 'not a log\n')
    expect((await store.list({ run_id: 'run-1', node_id: 'src/a.ts:f' })).length).toBe(2)
  })

  it('reports a log under the name of another', async () => {
    const folder = await scratchFolder()
    const store = jsonlStore({ folder })
    const events = await write(store, 'a', 1)
    await writeFile(join(folder, 'traces', 'b.jsonl'), await readFile(join(folder, 'traces', 'a.jsonl')))
    expect((await store.list()).length).toBe(1)
    expect(await store.check()).toEqual([expect.objectContaining({ level: 'error' })])
    await expect(collect(store.read('b'))).rejects.toMatchObject({ code: 'damaged', details: { line: 1 } })
    expect(await store.head('a')).toEqual(headOf(events))
  })

  it('removes a blob that was stored in this very millisecond', async () => {
    const store = jsonlStore({ folder: await scratchFolder() })
    for (let round = 0; round < 20; round++) {
      await store.putBlob(Buffer.from(`a secret ${round}`), 'text')
      expect(await store.sweep({ unused_ms: 0 })).toMatchObject({ blobs: 1, waiting: 0 })
    }
  })
})
