import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { escalationBundle } from '../../src/app/escalation.ts'
import { chatOf } from '../../src/app/inspected/changes.ts'
import { InspectedLogs } from '../../src/app/inspected/log.ts'
import { inspectedTurn, type TurnStep } from '../../src/app/inspected/turn.ts'
import type { Event } from '../../src/core/event/event.ts'
import { redactedIn } from '../../src/core/event/redacted.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { AGENT, TRAJECTORY, twotrack } from './run.ts'

const rows = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row))

/** Who looks at a log of which something was redacted is told so, wherever they look. */
describe('a log out of which a text was taken', () => {
  let cwd = ''
  let marked: number[] = []
  const asked = async (...args: string[]) => {
    const { code, stdout, stderr } = await twotrack(cwd, args)
    expect(code, stderr).toBe(0)
    return { stdout, stderr }
  }
  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), 'twotrack-redacted-'))
    await asked('import', TRAJECTORY)
    await asked('redact', '10 passed', '--yes')
    const events: Event[] = rows((await asked('show', AGENT, '--json')).stdout)
    marked = redactedIn(events)
  })

  afterAll(() => rmSync(cwd, { recursive: true, force: true }))

  test('has redacted events, and only those are called so', async () => {
    const events: Event[] = rows((await asked('export', AGENT)).stdout)
    const holding = events.filter((event) => JSON.stringify(event).includes('[redacted]'))
    expect(marked.length).toBeGreaterThan(0)
    expect(holding.map(({ seq }) => seq)).toEqual(marked)
    expect(redactedIn(events)).toEqual(marked)
  })

  test('replay, for people, as JSON and turn by turn', async () => {
    expect((await asked('replay', AGENT)).stdout).toContain(`redacted: events ${marked.join(', ')}`)
    expect(JSON.parse((await asked('replay', AGENT, '--json')).stdout)).toMatchObject({ redacted: marked })
    const views = rows((await asked('replay', AGENT, '--views')).stdout)
    expect(views.at(-1)).toMatchObject({ redacted: marked })
    const whole = JSON.parse(
      (await asked('replay', AGENT, '--seq', `${(marked[0] ?? 0) - 1}`, '--json')).stdout,
    )
    expect(whole).not.toHaveProperty('redacted')
  })

  test('export: messages beside them, spans in an attribute', async () => {
    const { stderr } = await asked('export', AGENT, '--format', 'messages')
    expect(stderr).toContain(`${AGENT}: redacted: events ${marked.join(', ')}`)
    expect((await asked('export', AGENT, '--format', 'otlp')).stdout).toContain('"twotrack.redacted"')
  })

  test('the inspector and what is handed over', async () => {
    const store = jsonlStore({ folder: join(cwd, '.agentfs') })
    try {
      const log = await new InspectedLogs(store).open(AGENT)
      const turn = await inspectedTurn(log, log.history.lastTurn)
      expect(turn.redacted).toEqual(marked)
      const steps: TurnStep[] = []
      for (let at = 0; at <= log.history.lastTurn; at++) steps.push(...(await inspectedTurn(log, at)).steps)
      const told = steps.filter(({ redacted }) => redacted).map(({ seq }) => seq)
      expect(told).toEqual(marked.filter((seq) => steps.some((step) => step.seq === seq)))
      expect(told.length).toBeGreaterThan(0)
      const parts = await chatOf(store, AGENT)
      const said = parts.filter(({ redacted }) => redacted).map((part) => part.seq)
      expect(said).toEqual(marked.filter((seq) => parts.some((part) => part.seq === seq)))
      expect((await escalationBundle(store, AGENT)).text).toMatch(/^redacted: events \d+/m)
    } finally {
      await store.close()
    }
  })
})
