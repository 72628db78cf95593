import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Draft } from '../../src/core/event/event.ts'
import { seal } from '../../src/core/event/line.ts'
import { getBlob, type Store } from '../../src/core/store/store.ts'
import { scripted } from '../../src/model/scripted.ts'
import { acceptProposal } from '../../src/run/accept.ts'
import { GivenBack } from '../../src/run/state.ts'
import { sha256 } from '../../src/sha256.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sampleNonces } from '../../src/testing/sample-log.ts'
import { defineTool, filesOf } from '../../src/tool/tool.ts'
import { AGENT, run, submits } from './agent-run.ts'

/** A checkout of the project and a folder of records: another machine has both of its own. */
function machine() {
  const home = mkdtempSync(join(tmpdir(), 'twotrack-machine-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const [project, folder] = [join(home, 'project'), join(home, 'records')]
  for (const path of [project, folder]) mkdirSync(path)
  writeFileSync(join(project, 'a.txt'), 'one\n')
  return { project, folder, portable: true }
}

/** Adds a line to a file, which a second time would show; and what is told when a call begins. */
function appending(onCall: (line: string) => void = () => {}) {
  return defineTool({
    name: 'append',
    description: 'Adds a line to a file.',
    effect: 'effect',
    input: z.strictObject({ path: z.string(), line: z.string() }),
    async run({ path, line }, context) {
      onCall(line)
      const files = filesOf(context)
      const before = await files.read(path).catch(() => '')
      await files.write(path, `${before}${line}\n`)
      return `added ${line}`
    },
  })
}

const call = (path: string, line: string) => ({ call_id: line, tool: 'append', args: { path, line } })
const model = () =>
  scripted(
    ({ prompt: { packet } }) =>
      [
        { text: '', calls: [call('a.txt', 'two'), call('b.txt', 'new')] },
        { text: '', calls: [call('a.txt', 'three')] },
      ][packet.turn - 1] ?? submits,
  )

/** The first events of a log, as another machine finds them. */
async function cutAfter(whole: Store, last: number): Promise<Store> {
  const store = memoryStore()
  const writer = await store.open(AGENT)
  for await (const event of whole.read(AGENT, { to: last })) {
    const { seq, type, data, delta, raw } = event
    for (const { sha256: digest, media } of Object.values(raw?.blobs ?? {}))
      await store.putBlob(await getBlob(whole, digest), media)
    const draft = { type, data, ...(delta ? { delta } : {}), ...(raw ? { raw } : {}) } as Draft
    const identity = { ...event, prev: writer.head.hash, nonces: sampleNonces(`${seq}`) }
    await writer.append([seal(draft, identity, sha256)], seq - 1)
  }
  await writer.close()
  return store
}

async function accepted(store: Store): Promise<string[]> {
  const { project } = machine()
  await acceptProposal({ store, project, agentId: AGENT })
  return ['a.txt', 'b.txt'].map((name) => {
    try {
      return readFileSync(join(project, name), 'utf8')
    } catch {
      return ''
    }
  })
}

test('another machine goes on after each event of an agent that is portable, with all that its results say it did', async () => {
  const whole = await run({ model: model(), tools: [appending()], workspace: machine() })
  expect(whole.stop.reason).toBe('submitted')
  expect(await accepted(whole.store)).toEqual(['one\ntwo\nthree\n', 'new\n'])
  for (const event of whole.events) {
    const store = await cutAfter(whole.store, event.seq)
    const lines: string[] = []
    const tools = [appending((line) => lines.push(line))]
    const resumed = await run({ model: model(), tools, store, workspace: machine() })
    const where = `cut after event ${event.seq}, ${event.type}`
    expect(resumed.of('run_end'), where).toHaveLength(1)
    // A call without a result may have happened: it is not made again. What it changed is there if it came to that.
    const lost = event.type === 'tool_call' && event.data.tool === 'append' ? event.data.call_id : undefined
    const texts = ['one\ntwo\nthree\n', 'new\n'].map((text) => text.replace(`${lost}\n`, ''))
    expect(await accepted(store), where).toEqual(texts)
    expect(new Set(lines).size, where).toBe(lines.length)
  }
})

test('an agent that is given back has no end, and leaves nothing on the disk', async () => {
  const stop = new AbortController()
  const first = machine()
  const tools = [appending((line) => line === 'three' && stop.abort(new GivenBack('to another machine')))]
  const begun = await run({ model: model(), tools, workspace: first, signal: stop.signal })
  expect(begun.of('run_end')).toEqual([])
  expect(begun.of('tool_result').map(({ data }) => data.call_id)).toEqual(['two', 'new'])
  expect(readdirSync(join(first.folder, 'workspaces'))).toEqual([])
  const ended = await run({ model: model(), tools: [appending()], store: begun.store, workspace: machine() })
  expect(ended.of('run_end')).toHaveLength(1)
  expect(ended.of('tool_result')[2]?.data).toMatchObject({ call_id: 'three', outcome: 'error' })
  expect(await accepted(ended.store)).toEqual(['one\ntwo\n', 'new\n'])
})
