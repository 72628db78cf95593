import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { bundled } from '../cli/bundle.ts'
import { eventsOf } from './events.ts'

const CHILD = bundled('killed-child')

const frameworks = ['ai-sdk', 'openai-agents', 'langchain']

test.each(frameworks)(
  '%s: a process killed while a tool runs; the next one goes on with the log, and asks nothing twice',
  async (framework) => {
    const folder = mkdtempSync(join(tmpdir(), 'twotrack-killed-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const child = (...how: string[]) =>
      spawnSync(process.execPath, [CHILD, framework, folder, ...how], { encoding: 'utf8' })
    expect(child('dies').signal).toBe('SIGKILL')
    expect(child()).toMatchObject({ status: 0, stdout: 'All six read.' })
    const store = jsonlStore({ folder })
    onTestFinished(() => store.close())
    const events = await eventsOf(store, 'reader')
    const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.data.call_id] : []))
    expect(calls).toEqual(['dies1', 'dies2', 'dies3', 'dies4', '4', '5', '6'])
    expect(events.filter(({ type }) => type === 'tool_result')).toHaveLength(6)
    expect(events.filter(({ type }) => type === 'person_message')).toEqual([])
    expect(await verifyLog(store, 'reader')).toMatchObject({ ok: true })
  },
)
