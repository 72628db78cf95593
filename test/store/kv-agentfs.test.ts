import { join } from 'node:path'
import { AgentFS } from 'agentfs-sdk'
import { describe, expect, it } from 'vitest'
import { kvStore } from '../../src/store/kv/kv.ts'
import { headOf, sampleLog } from '../../src/testing/sample-log.ts'
import { collect } from '../../src/testing/store-cases/case.ts'
import { append, call, result, sealed, temporaryFolder } from './kv-sample.ts'

const events = sealed('Agent: 1', [
  call('a', 'run_linter', { path: 'src/a.py' }),
  result('a', 'run_linter', { parsed_output: { errors: 2 } }, { outcome: 'partial', duration_ms: 41.6 }),
  call('b', 'read_file', { path: 'gone.py' }),
])

describe('a file of the kv store in the hands of AgentFS', () => {
  it('shows its trace keys, events and indexes to the SDK', async () => {
    const file = join(temporaryFolder(), 'store.db')
    const store = kvStore({ file })
    await append(store, 'Agent: 1', events)
    await store.close()

    const agent = await AgentFS.open({ path: file })
    const rows = await agent.kv.list('trace:run-1:lint:src%2fa.py%3a%43.f:1:')
    expect(rows.map((row) => row.key)).toEqual([
      'trace:run-1:lint:src%2fa.py%3a%43.f:1:%41gent%3a%201:1',
      'trace:run-1:lint:src%2fa.py%3a%43.f:1:%41gent%3a%201:2',
    ])
    expect(rows.map((row) => row.value)).toEqual(events.slice(0, 2).map(({ line }) => JSON.parse(line)))
    expect(await agent.kv.list('trace:')).toHaveLength(events.length)
    expect(await agent.kv.get('index:run:run-1:lint:src%2fa.py%3a%43.f:1')).toBe(
      'trace:run-1:lint:src%2fa.py%3a%43.f:1',
    )
    await agent.close()
  })

  it('keeps working after the SDK wrote to it', async () => {
    const file = join(temporaryFolder(), 'store.db')
    const log = sampleLog('a', 4)
    const store = kvStore({ file })
    await append(store, 'a', log.slice(0, 2))
    await store.close()

    const agent = await AgentFS.open({ path: file })
    await agent.kv.set('theirs', { kept: true })
    await agent.fs.writeFile('/notes.txt', 'theirs')
    await agent.tools.record('their_tool', 1, 2, {}, 'done')
    await agent.close()

    const again = kvStore({ file })
    const writer = await again.open('a')
    await writer.append(log.slice(2), 2)
    expect(await collect(again.read('a'))).toEqual(log.map(({ event }) => event))
    expect(await again.head('a')).toEqual(headOf(log))
    await writer.close()
    expect(await again.check()).toEqual([])
    await again.close()
    const last = await AgentFS.open({ path: file })
    expect(await last.kv.get('theirs')).toEqual({ kept: true })
    expect(await last.fs.readFile('/notes.txt', 'utf8')).toBe('theirs')
    await last.close()
  })

  it('moves into a file that the SDK made', async () => {
    const file = join(temporaryFolder(), 'agent.db')
    const agent = await AgentFS.open({ path: file })
    await agent.kv.set('theirs', 1)
    await agent.close()
    const store = kvStore({ file })
    expect(await store.list()).toEqual([])
    await append(store, 'a', sampleLog('a', 2))
    expect(await collect(store.read('a'))).toHaveLength(2)
    await store.close()
  })
})
