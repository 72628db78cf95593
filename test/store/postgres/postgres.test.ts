import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { redactStore } from '../../../src/audit/redact/redact.ts'
import { lineOf, START } from '../../../src/core/store/chain.ts'
import { encodeId } from '../../../src/core/store/encode-id.ts'
import { storeOver } from '../../../src/core/store/store-over.ts'
import { messageOf, TwotrackError } from '../../../src/errors.ts'
import { Memory } from '../../../src/memory.ts'
import { connect } from '../../../src/store/postgres/connections.ts'
import { printedMigrations, schemaOf } from '../../../src/store/postgres/migrations.ts'
import { postgresEngine, postgresStore } from '../../../src/store/postgres/postgres.ts'
import { openSession } from '../../../src/store/postgres/session.ts'
import { headOf, sampleLog } from '../../../src/testing/sample-log.ts'
import { collect, write } from '../../../src/testing/store-cases/case.ts'
import { postgresServer } from '../../postgres-server.ts'
import { cutting } from './cut.ts'

const server = await postgresServer()

describe.skipIf(typeof server === 'string')(
  `a store in PostgreSQL${typeof server === 'string' ? `: ${server}` : ''}`,
  () => {
    if (typeof server === 'string') return
    const { url, data } = server
    afterAll(server.dispose)
    const admin = connect({ url, schema: 'twotrack_admin', connections: 2 })
    afterAll(() => admin.close())
    /** Somebody else's URL of the same server. */
    const urlOf = (user: string) => url.replace('//twotrack@', `//${user}@`)
    const codeOf = (thrown: unknown) => (thrown instanceof TwotrackError ? thrown.code : thrown)

    test('gives a log to the newest lease alone, a hundred times over', async () => {
      const project = randomUUID()
      const one = postgresEngine({ url, project })
      const two = postgresEngine({ url, project })
      const beside = connect({ url, schema: schemaOf(project), connections: 1 })
      const won = { both: 0, old: 0, new: 0 }
      for (let round = 0; round < 100; round++) {
        const agent = `agent-${round}`
        const old = await one.lease?.(agent)
        await beside.ask('UPDATE log SET until = clock_timestamp() WHERE agent = $1', [encodeId(agent)])
        const lines = (note: string) => sampleLog(agent, 1, { note }).map(lineOf)
        // The old writer appends at the head that it knows while the new one takes over, just before or just after.
        const late = async () => one.append(agent, lines('old'), START, old)
        const taking = async () => {
          const now = await two.lease?.(agent)
          const asked = await Promise.allSettled([two.append(agent, lines('new'), START, now), late()])
          await now?.release()
          return asked.map(({ status }) => status === 'fulfilled')
        }
        const [isNew, isOld] = await taking()
        if (isNew && isOld) won.both++
        else if (isOld) won.old++
        else if (isNew) won.new++
      }
      await Promise.all([one.close(), two.close(), beside.close()])
      expect(won).toEqual({ both: 0, old: 0, new: 100 })
    })

    test('stores nothing twice and loses nothing where connections break before or after an append is done', async () => {
      let appends = 0
      const proxy = await cutting(new URL(url).searchParams.get('host') ?? '', (sent) =>
        sent.includes('{"header":') ? (['before', 'after', undefined] as const)[appends++ % 3] : undefined,
      )
      const project = randomUUID()
      const store = postgresStore({ url: proxy.url, project })
      const events = sampleLog('agent', 30)
      const writer = await store.open('agent')
      for (const [seq, event] of events.entries()) await writer.append([event], seq)
      await writer.close()
      await store.close()
      await proxy.close()
      expect(appends).toBeGreaterThan(40)
      const after = postgresStore({ url, project })
      expect((await collect(after.read('agent'))).map(({ hash }) => hash)).toEqual(
        events.map(({ event }) => event.hash),
      )
      expect(await after.check()).toEqual([])
      await after.close()
    })

    test('waits where the disk of the server is full, and goes on when there is space again', async () => {
      const project = randomUUID()
      const store = postgresStore({ url, project })
      const events = sampleLog('agent', 2)
      const writer = await store.open('agent')
      await writer.append(events.slice(0, 1), 0)
      const schema = schemaOf(project)
      await admin.attempt((session) =>
        session.ask(`CREATE FUNCTION "${schema}".full() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''disk_full''; END';
          CREATE TRIGGER "full" BEFORE INSERT ON "${schema}".line EXECUTE FUNCTION "${schema}".full()`),
      )
      let isStored = false
      const appended = writer.append(events.slice(1), 1).then(() => (isStored = true))
      await sleep(1_500)
      expect(isStored).toBe(false)
      await admin.ask(`DROP FUNCTION "${schema}".full() CASCADE`, [])
      await appended
      expect(await store.head('agent')).toEqual(headOf(events))
      await writer.close()
      await store.close()
    })

    test('takes over at once from a process of this machine that was killed', async () => {
      const project = randomUUID()
      const engine = new URL('../../../src/store/postgres/postgres.ts', import.meta.url)
      const script = `
      import { postgresEngine } from '${engine}'
      const engine = postgresEngine(${JSON.stringify({ url, project })})
      console.log((await engine.lease('agent')).generation)`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const generation = await new Promise<number>((resolve) =>
        child.stdout.once('data', (said) => resolve(Number(String(said)))),
      )
      const here = postgresEngine({ url, project })
      await expect(here.lease?.('agent')).rejects.toThrow(`process ${child.pid} on `)
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await exited
      const lease = await here.lease?.('agent')
      expect(lease?.generation).toBeGreaterThan(generation)
      await here.close()
    })

    test('makes the tables of a project once, however many begin at the same time', async () => {
      const schema = schemaOf(randomUUID())
      const all = Array.from({ length: 8 }, () => connect({ url, schema }))
      const asked = await Promise.all(all.map((one) => one.ask('SELECT count(*) AS rows FROM migration', [])))
      expect(new Set(asked.map(([row]) => row?.['rows'])).size).toBe(1)
      await all[0]?.ask('INSERT INTO migration (version) VALUES (1000)', [])
      const newer = connect({ url, schema })
      await expect(newer.ask('SELECT 1', [])).rejects.toMatchObject({ code: 'newer_version' })
      await Promise.all([...all, newer].map((one) => one.close()))
    })

    test('keeps a project from who has no rights on it, and lets its owner make the tables for them', async () => {
      const [red, blue, schema] = [`red_${process.pid}`, `blue_${process.pid}`, schemaOf('of-red')]
      const psql = (text: string) =>
        execFileSync('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', url, '-c', text], { stdio: 'pipe' })
      for (const role of [red, blue]) psql(`CREATE ROLE ${role} LOGIN`)
      psql(printedMigrations('of-red'))
      psql(`GRANT USAGE ON SCHEMA "${schema}" TO ${red};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO ${red};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA "${schema}" TO ${red}`)
      const own = postgresStore({ url: urlOf(red), project: 'of-red' })
      const events = await write(own, 'agent', 2)
      expect(await own.head('agent')).toEqual(headOf(events))
      const other = postgresStore({ url: urlOf(blue), project: 'of-red' })
      for (const ask of [
        () => other.head('agent'),
        () => other.list(),
        () => other.putBlob(Buffer.from('x'), 'text'),
      ])
        expect(codeOf(await ask().catch((thrown: unknown) => thrown))).toBe('io')
      await own.close()
      await other.close()
      psql(`DROP SCHEMA "${schema}" CASCADE; DROP ROLE ${red}; DROP ROLE ${blue}`)
    })

    test('refuses a server that may lose what it acknowledged, and says no password', async () => {
      const role = `hasty_${process.pid}`
      await admin.ask(`CREATE ROLE ${role} LOGIN`, [])
      await admin.ask(`ALTER ROLE ${role} SET synchronous_commit = off`, [])
      const store = postgresStore({ url: urlOf(`${role}:geheim`), project: randomUUID() })
      const thrown = await store.head('agent').catch((error: unknown) => error)
      expect(messageOf(thrown)).toMatch(/"synchronous_commit" off and may lose what it acknowledged/)
      const nobody = postgresStore({ url: urlOf('nobody-there:geheim'), project: randomUUID() })
      const other = await nobody.head('agent').catch((error: unknown) => error)
      expect(codeOf(other)).toBe('io')
      expect(inspect([thrown, other], { depth: 10 })).not.toContain('geheim')
      for (const wrong of ['mysql://a:geheim@b/c', 'postgres://a:geh@eim@:x/', 'postgres://a:geheim@[/c', ''])
        expect(() => postgresStore({ url: wrong, project: 'p' })).toThrow(/not of the form postgres:/)
      await store.close()
      await nobody.close()
      await admin.ask(`DROP ROLE ${role}`, [])
    })

    test.skipIf(data === undefined)('refuses a server with fsync off', async () => {
      await admin.ask('ALTER SYSTEM SET fsync = off', [])
      await admin.ask('SELECT pg_reload_conf()', [])
      try {
        const refused = async () => {
          const store = postgresStore({ url, project: 'no-fsync' })
          return store
            .head('agent')
            .catch(messageOf)
            .finally(() => store.close())
        }
        await expect.poll(refused, { timeout: 60_000 }).toMatch(/"fsync" off/)
      } finally {
        await admin.ask('ALTER SYSTEM RESET fsync', [])
        await admin.ask('SELECT pg_reload_conf()', [])
      }
    })

    test('tells of appends only where somebody follows the log', async () => {
      const project = randomUUID()
      const store = postgresStore({ url, project })
      const session = await openSession(`${url}&application_name=x`, 'here', schemaOf(project))
      const told: string[] = []
      session.listen(
        (payload) => told.push(payload),
        () => {},
      )
      await write(store, 'unfollowed', 3)
      await session.ask(`LISTEN "${schemaOf(project)}"`)
      const writer = await store.open('followed')
      await writer.append(sampleLog('followed', 1), 0)
      await session.ask('SELECT 1')
      expect(told).toEqual([])
      const stop = new AbortController()
      const events = sampleLog('followed', 4)
      for await (const { seq } of store.tail('followed', { signal: stop.signal })) {
        if (seq === 4) stop.abort()
        else await writer.append(events.slice(seq, seq + 1), seq)
      }
      await write(store, 'unfollowed-2', 3)
      await session.ask('SELECT 1')
      expect(new Set(told).size).toBe(1)
      await session.end()
      await store.close()
    })

    test.skipIf(data === undefined)(
      'leaves no byte of what was redacted in its tables, and says where some may be',
      async () => {
        const secret = `ada-${randomUUID()}`
        const store = storeOver(postgresEngine({ url, project: randomUUID() }))
        const memory = await Memory.open({
          store,
          agentId: 'agent',
          goal: `Find the mail of ${secret}.`,
          secrets: 'off',
        })
        for (let turn = 0; turn < 5; turn++) await memory.startTurn()
        await memory.close()
        const before = (await store.head('agent'))?.seq ?? 0
        await admin.ask('CHECKPOINT', [])
        const base = join(data ?? '', 'base')
        expect(holding(base, secret).length).toBeGreaterThan(0)
        const redact = (text: string) => text.replaceAll(secret, '[redacted]')
        const done = await redactStore(store, { redact, reason: 'asked for' })
        expect(done.left).toBe(false)
        expect(done.remains.join()).toMatch(/write-ahead log/)
        await admin.ask('CHECKPOINT', [])
        expect(holding(base, secret)).toEqual([])
        expect((await collect(store.read('agent'))).length).toBe(before + 1)
        await store.close()
      },
    )

    test('finds a server that takes writes behind hosts that are not there', async () => {
      const { searchParams } = new URL(url)
      const host = searchParams.get('host')
      const store = postgresStore({
        url: url.replace(`host=${host}`, `host=${dirname(host ?? '')}/nobody,${host}`),
        project: 'p',
      })
      const events = await write(store, 'agent', 2)
      expect(await store.head('agent')).toEqual(headOf(events))
      await store.close()
    })
  },
)

/** Files under a folder that hold a text. */
const holding = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter(
      (file) => statSync(file, { throwIfNoEntry: false })?.isFile() && readFileSync(file).includes(text),
    )
