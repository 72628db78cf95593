import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { packetSchema } from '../../src/core/packet/packet.ts'
import { jsonlStore, kvStore, Memory } from '../../src/index.ts'
import { eventJsonSchema } from '../event-schema.ts'
import {
  AGENT,
  contentsOf,
  environment,
  imported,
  jsonLines,
  MAIN,
  storeKinds,
  TRAJECTORY,
  twotrack,
} from './run.ts'

describe.each(storeKinds)('commands that read the %s store', (store) => {
  test('show the log, an event, its raw output, packets and what changed, and change nothing', async () => {
    const cwd = await imported(store)
    const run = async (...args: string[]) => {
      const ended = await twotrack(cwd, [...args, '--store', store])
      expect(ended).toMatchObject({ code: 0, stderr: '' })
      return ended.stdout
    }
    await run('runs') // SQLite's side files are there from the first reader on
    const before = contentsOf(cwd)

    const runs = JSON.parse(await run('runs', '--json'))
    expect(runs).toMatchObject([
      { agent_id: AGENT, operation: 'import', turns: 10, events: 32, outcome: 'done' },
    ])
    expect(await run('runs', '--operation', 'import')).toContain(AGENT)
    expect(await run('runs', '--operation', 'lint')).toContain('No agent fits')
    expect(JSON.parse(await run('runs', '--node', '-', '--run', AGENT, '--json'))).toHaveLength(1)

    const story = (await run('show', AGENT)).trimEnd().split('\n')
    expect(story).toHaveLength(33)
    expect(story.at(-1)).toMatch(/^ {11}imported: /)
    expect(story[2]).toBe('   #3   t1 call  run_command {"command":"python -m pytest -q"}')
    const events = z.array(z.fromJSONSchema(eventJsonSchema() as never))
    expect(events.safeParse(jsonLines(await run('show', AGENT, '--json'))).success).toBe(true)
    expect(JSON.parse(await run('show', AGENT, '--event', '3'))).toMatchObject({ seq: 3, type: 'tool_call' })
    const recorded = JSON.parse(readFileSync(TRAJECTORY, 'utf8').split('\n')[1] ?? '').raw_output
    expect(await run('show', AGENT, '--event', '4', '--raw')).toBe(recorded)

    const packet = packetSchema.parse(JSON.parse(await run('replay', AGENT, '--turn', '7', '--json')))
    expect(packet).toMatchObject({ turn: 7, agent_id: AGENT })
    expect(await run('replay', AGENT, '--turn', '7')).toContain('turn 7')
    expect(JSON.parse(await run('replay', AGENT, '--seq', '22', '--json'))).toEqual(packet)
    expect(await run('replay', AGENT)).toContain('turn 10')

    const diff = await run('diff', AGENT, '--from', '6', '--to', '7')
    expect(diff).toContain('- turn: 6\n+ turn: 7\n')
    // Of a file that was edited the lines that differ, not the file.
    const edited = diff.split('\n').filter((line) => line.includes('files[shop/cart.py].regions'))
    expect(edited.map((line) => line.replace(/^(.).*: +(?=\S)/, '$1 '))).toEqual([
      '- if code in self.code:',
      '+ if code in self.codes:',
    ])
    expect(JSON.parse(await run('diff', AGENT, '--from', '6', '--to', '7', '--json'))).toContainEqual({
      path: 'turn',
      before: 6,
      after: 7,
    })
    expect(await run('diff', AGENT, '--from', '7', '--to', '7')).toBe('The packets are the same.\n')

    const exported = jsonLines(await run('export', AGENT))
    expect(events.safeParse(exported).success).toBe(true)
    expect(exported).toHaveLength(32)
    expect(JSON.parse(await run('export', AGENT, '--format', 'messages'))).toMatchObject(
      [{ role: 'user' }, { role: 'assistant' }, { role: 'tool', content: recorded }].concat(
        Array(18).fill({}),
      ),
    )
    expect(contentsOf(cwd)).toEqual(before)
  })

  test('follow a log that another process goes on writing, until Ctrl-C', async () => {
    const cwd = await imported(store)
    const args = [MAIN, 'show', AGENT, '--follow', '--store', store]
    const child = spawn(process.execPath, args, { cwd, env: environment() })
    const seen = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]()
    const until = async (text: string) => {
      let read = ''
      while (!read.includes(text)) {
        const { value, done } = await seen.next()
        if (done) throw new Error(`ended before "${text}": ${read}`)
        read += value
      }
    }
    await until('#32')
    const folder = join(cwd, '.agentfs')
    const kept = store === 'kv' ? kvStore({ file: join(folder, 'agent.db') }) : jsonlStore({ folder })
    const memory = await Memory.open({ store: kept, agentId: AGENT })
    await memory.correct('user', 'one more thing')
    await until('note  user: one more thing')
    await memory.close()
    await kept.close()
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

test('an agent may be named by the beginning of its name', async () => {
  const cwd = await imported()
  expect((await twotrack(cwd, ['replay', 'import-tr', '--turn', '1'])).stdout).toContain('turn 1')
})

test('a search shows what it found within a long line, and each line once', async () => {
  const cwd = await imported()
  const line = `${'x'.repeat(2_000)} needle ${'y'.repeat(50)} needle`
  const memory = await Memory.open({
    store: jsonlStore({ folder: join(cwd, '.agentfs') }),
    agentId: 'long',
    goal: 'g',
  })
  await memory.recordToolRun({ tool: 'cat', args: {} }, () => line)
  await memory.close()
  const { stdout } = await twotrack(cwd, ['show', 'long', '--search', 'needle'])
  expect(stdout).toMatch(/^#3 turn 0 raw_output line 1: …x+ «needle».* «needle»\n$/)
})

test('a reader that goes away ends a command quietly, and does not cut an import short', async () => {
  const cwd = await imported()
  const head = async (command: string) => {
    const child = spawn('bash', ['-c', `set -o pipefail; ${command} | head -1`], { cwd, env: environment() })
    let stderr = ''
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdout.resume()
    const [code] = await once(child, 'close')
    return { code, stderr }
  }
  const command = `"${process.execPath}" "${MAIN}"`
  expect(await head(`${command} export ${AGENT} ${AGENT} ${AGENT} ${AGENT}`)).toEqual({ code: 0, stderr: '' })
  expect(await head(`${command} import "${TRAJECTORY}" --agent piped --views`)).toEqual({
    code: 0,
    stderr: '',
  })
  const runs = JSON.parse((await twotrack(cwd, ['runs', '--json'])).stdout)
  expect(runs).toContainEqual(expect.objectContaining({ agent_id: 'piped', events: 32, outcome: 'done' }))
})

test.skipIf(!existsSync('/dev/full'))('output that can not be written is told', async () => {
  const cwd = await imported()
  const child = spawn('bash', ['-c', `"${process.execPath}" "${MAIN}" runs > /dev/full`], {
    cwd,
    env: environment(),
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect(stderr).toMatch(/^twotrack: The output can't be written \(ENOSPC.*\)\.\n$/)
  expect(code).toBe(2)
})
