import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { inOtherView } from '../audit/recorded.ts'
import { AGENT, contentsOf, folderWith, imported, storeKinds, TRAJECTORY, twotrack } from './run.ts'

const logOf = (cwd: string) => join(cwd, '.agentfs', 'traces', `${AGENT}.jsonl`)

describe('verify', () => {
  test.each(storeKinds)('an intact %s store is intact, and so it says', async (store) => {
    const cwd = await imported(store)
    const { code, stdout } = await twotrack(cwd, ['verify', '--store', store])
    expect(code).toBe(0)
    expect(stdout).toContain(`✓ ${AGENT}`)
    expect(stdout).toContain('intact: 1 log, 32 events')
    const json = await twotrack(cwd, ['verify', AGENT, '--store', store, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      logs: [{ agent_id: AGENT, head: { seq: 32 } }],
    })
  })

  test('a log whose view is not known here has an answer of its own, from every command that folds', async () => {
    const cwd = await imported()
    const store = jsonlStore({ folder: join(cwd, '.agentfs') })
    await inOtherView(store, AGENT, logOf(cwd))
    await store.close()
    for (const words of [['replay'], ['why'], ['blindspots'], ['whatif'], ['diff'], ['escalate']]) {
      const more = { why: ['goal'], whatif: ['--limit', '500'], diff: ['--from', '2', '--to', '4'] }
      const { code, stderr } = await twotrack(cwd, [
        ...words,
        AGENT,
        ...(more[words[0] as keyof typeof more] ?? []),
      ])
      expect({ words, code }).toEqual({ words, code: 3 })
      expect(stderr).toContain('"desk-next", which is not known here')
    }
    const { code, stdout } = await twotrack(cwd, ['verify'])
    expect(code).toBe(3)
    expect(stdout).toContain('intact: 1 log')
    expect(stdout).toContain(`? ${AGENT}`)
    expect(stdout).not.toContain('✓')
    expect(stdout).toContain('Prompts of 1 log were not checked: shown in the view desk-next')
    expect(stdout).not.toContain('warning')
  })

  test('one changed byte of a log is found, with its line; nothing is changed by looking', async () => {
    const cwd = await imported()
    const lines = readFileSync(logOf(cwd), 'utf8').split('\n')
    lines[3] = (lines[3] ?? '').replace('10 passed', '11 passed')
    writeFileSync(logOf(cwd), lines.join('\n'))
    const before = contentsOf(cwd)
    const { code, stdout } = await twotrack(cwd, ['verify'])
    expect(code).toBe(1)
    expect(stdout).toContain(`✗ ${AGENT}`)
    expect(stdout).toMatch(/line 4, byte \d+/)
    expect(stdout).toContain('NOT intact')
    const replayed = await twotrack(cwd, ['replay', AGENT])
    expect(replayed.code).toBe(2)
    expect(replayed.stderr).toContain('damaged at line 4')
    expect(contentsOf(cwd)).toEqual(before)
  })

  test('one changed row of a database is found', async () => {
    const cwd = await imported('kv')
    const database = new DatabaseSync(join(cwd, '.agentfs', 'agent.db'))
    const changed = database
      .prepare(
        "UPDATE kv_store SET value = replace(value, '10 passed', '11 passed') WHERE value LIKE '%10 passed%'",
      )
      .run()
    database.close()
    expect(changed.changes).toBe(1)
    const { code, stdout } = await twotrack(cwd, ['verify', '--store', 'kv'])
    expect(code).toBe(1)
    expect(stdout).toContain('NOT intact')
  })

  test('a log whose end was rewritten as a whole does not match a head kept elsewhere', async () => {
    const cwd = await imported()
    const kept = await twotrack(cwd, ['verify', '--json'])
    writeFileSync(join(cwd, 'heads.json'), kept.stdout)
    expect((await twotrack(cwd, ['verify', '--heads', 'heads.json'])).code).toBe(0)

    const other = folderWith({ 'heads.json': kept.stdout })
    await twotrack(other, ['import', TRAJECTORY]) // the same trajectory at another time: a chain of its own
    const { code, stdout } = await twotrack(other, ['verify', '--heads', 'heads.json'])
    expect(code).toBe(1)
    expect(stdout).toContain('not the one kept elsewhere')

    const shorter = readFileSync(logOf(cwd), 'utf8').split('\n').slice(0, 20)
    writeFileSync(logOf(cwd), `${shorter.join('\n')}\n`)
    const cut = await twotrack(cwd, ['verify', '--heads', 'heads.json'])
    expect(cut.code).toBe(1)
    expect(cut.stdout).toContain('ends at event 20, before the head kept elsewhere (32)')
  })

  test('a damaged log does not hide the others', async () => {
    const cwd = await imported()
    await twotrack(cwd, ['import', TRAJECTORY, '--agent', 'good'])
    writeFileSync(
      logOf(cwd),
      readFileSync(logOf(cwd), 'utf8').replace('imported","summary":"10', 'imported","summary":"11'),
    )
    const runs = await twotrack(cwd, ['runs'])
    expect(runs.code).toBe(1)
    expect(runs.stdout).toMatch(/import-trajectory.*damaged/)
    expect(runs.stdout).toMatch(/good.*imported/)
    const { code, stdout } = await twotrack(cwd, ['verify'])
    expect(code).toBe(1)
    expect(stdout).toContain('✓ good')
  })

  test('heads that are not heads are refused', async () => {
    const cwd = await imported()
    writeFileSync(join(cwd, 'heads.json'), '{"logs": 3}')
    const { code, stderr } = await twotrack(cwd, ['verify', '--heads', 'heads.json'])
    expect(code).toBe(2)
    expect(stderr).toContain('is neither the output of "twotrack verify --json"')
    expect((await twotrack(cwd, ['verify', '--heads', 'none.json'])).stderr).toContain(
      'There is no file none.json.',
    )
    expect(readdirSync(cwd)).not.toContain('none.json')
  })
})
