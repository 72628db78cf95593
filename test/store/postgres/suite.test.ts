import { randomUUID } from 'node:crypto'
import { afterAll, describe, it, test } from 'vitest'
import { encodeId } from '../../../src/core/store/encode-id.ts'
import { connect } from '../../../src/store/postgres/connections.ts'
import { schemaOf } from '../../../src/store/postgres/migrations.ts'
import { postgresEngine } from '../../../src/store/postgres/postgres.ts'
import { storeSuite } from '../../../src/testing/store-suite.ts'
import { postgresServer } from '../../postgres-server.ts'

const server = await postgresServer()

if (typeof server === 'string') test.skip(`the store in PostgreSQL: ${server}`, () => {})
else {
  afterAll(server.dispose)
  const { url } = server
  storeSuite(
    {
      name: 'postgres',
      async make() {
        const project = randomUUID()
        const open = () => postgresEngine({ url, project })
        const beside = connect({ url, schema: schemaOf(project), connections: 1 })
        return {
          engine: open(),
          reopen: async () => open(),
          async abandon(agentId) {
            const ended = `UPDATE log SET until = clock_timestamp() - interval '1 s' WHERE agent = $1`
            await beside.ask(ended, [encodeId(agentId)])
          },
          async dispose() {
            await beside.ask(`DROP SCHEMA "${schemaOf(project)}" CASCADE`, [])
            await beside.close()
          },
        }
      },
    },
    { describe, it },
  )
}
