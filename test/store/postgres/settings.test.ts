import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../src/store/postgres/connections.ts'
import { schemaOf } from '../../../src/store/postgres/migrations.ts'
import { environment, folderWith, MAIN, NODE_ARGS, twotrack } from '../../cli/run.ts'
import { postgresServer } from '../../postgres-server.ts'

const server = await postgresServer()
const LEASE_MS = 45_000

describe.skipIf(typeof server === 'string')(
  `settings of a store in PostgreSQL${typeof server === 'string' ? `: ${server}` : ''}`,
  () => {
    if (typeof server === 'string') return
    const { url } = server
    afterAll(server.dispose)
    const of = (project: string) => [
      ...['--store', 'postgres', '--set', `runner.memory.url=${url}`],
      ...['--set', `runner.memory.project=${project}`, '--set', `runner.memory.lease_ms=${LEASE_MS}`],
    ]

    test('url, project and lease_ms decide where logs are, which are seen, and how long a writer may be silent', async () => {
      const cwd = folderWith()
      const serving = spawn(process.execPath, [...NODE_ARGS, MAIN, 'serve', '--stdio', ...of('one')], {
        cwd,
        env: environment(),
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      onTestFinished(() => void serving.kill())
      const ended = once(serving, 'close')
      serving.stdin.write('{"jsonrpc":"2.0","id":1,"method":"open","params":{"agent":"held","goal":"Go."}}\n')
      const [answer] = await once(createInterface(serving.stdout), 'line')
      expect(JSON.parse(answer)).toMatchObject({ id: 1, result: {} })
      const beside = connect({ url, schema: schemaOf('one'), connections: 1 })
      const [row] = await beside.ask(
        'SELECT extract(epoch FROM until - clock_timestamp())::float8 AS left FROM log WHERE holder IS NOT NULL',
        [],
      )
      await beside.close()
      expect(Number(row?.['left']) * 1000).toBeGreaterThan(LEASE_MS / 2)
      expect(Number(row?.['left']) * 1000).toBeLessThanOrEqual(LEASE_MS)
      serving.stdin.end()
      await ended
      expect((await twotrack(folderWith(), ['runs', ...of('one')])).stdout).toContain('held')
      expect((await twotrack(cwd, ['runs', ...of('two')])).stdout).not.toContain('held')
    })
  },
)
