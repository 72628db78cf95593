import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { BlindSpots } from '../../src/audit/blindspots/spot.ts'
import { serveInspector } from '../../src/inspect/server.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { twotrack } from '../cli/run.ts'

const BOOKSHOP = fileURLToPath(new URL('../../examples/bookshop.jsonl', import.meta.url))

test('who still waits for blind spots gets them when the one who asked first has gone', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'twotrack-blind-'))
  mkdirSync(join(cwd, '.git'))
  expect((await twotrack(cwd, ['import', BOOKSHOP])).code).toBe(0)
  const folder = join(cwd, '.agentfs')
  const store = jsonlStore({ folder })
  const server = await serveInspector({ store, folder, port: 0 })
  onTestFinished(async () => {
    await server.close()
    await store.close()
    rmSync(cwd, { recursive: true, force: true })
  })
  const ask = (what: string, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${server.port}/api/agent/import-bookshop/${what}`, {
      headers: { authorization: `Bearer ${server.token}` },
      ...(signal ? { signal } : {}),
    })
  await ask('')
  const gone = new AbortController()
  const first = ask('blind', gone.signal)
  const second = ask('blind')
  // A turn is answered before them, whatever has begun.
  expect((await ask('turn/3')).status).toBe(200)
  gone.abort()
  await expect(first).rejects.toThrow('abort')
  const { spots } = (await (await second).json()) as BlindSpots
  expect(spots.length).toBeGreaterThan(0)
})
