import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Verified } from '../../src/audit/verified.ts'
import type { Event, EventFor } from '../../src/core/event/event.ts'
import { prune, seal } from '../../src/core/event/line.ts'
import { sha256 } from '../../src/sha256.ts'
import { layoutOf } from '../../src/store/jsonl/layout.ts'
import { sampleNonces } from '../../src/testing/sample-log.ts'
import { scratchFolder } from '../store/jsonl/scratch.ts'
import {
  AGENT,
  buried,
  draftOf,
  eventIn,
  linesOf,
  recorded,
  rehashed,
  rewrite,
  verified,
} from './recorded.ts'

const mistakes = (result: Verified) => result.findings.filter(({ level }) => level === 'error')

/** One mistake at least, and the first is where it was made. */
function expectFound(result: Verified, place: RegExp, what: RegExp): void {
  expect(result.ok).toBe(false)
  expect(mistakes(result)[0]).toMatchObject({
    where: expect.stringMatching(place),
    what: expect.stringMatching(what),
  })
}

describe('verify', () => {
  test('passes a log as it was written, and gives its head', async () => {
    const { folder, head } = await recorded()
    expect(await verified(folder, head)).toMatchObject({
      ok: true,
      events: 18,
      prompts: 3,
      findings: [],
      head,
    })
  })

  test('finds a deleted event', async () => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) => lines.toSpliced(6, 1))
    expectFound(await verified(folder), /line 7\b/, /event 8 where 7 belongs/)
  })

  test('finds two swapped events', async () => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) => lines.toSpliced(3, 2, lines[4] ?? '', lines[3] ?? ''))
    expectFound(await verified(folder), /line 4\b/, /event 5 where 4 belongs/)
  })

  test('finds an inserted event', async () => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) => lines.toSpliced(5, 0, lines[4] ?? ''))
    expectFound(await verified(folder), /line 6\b/, /event 5 where 6 belongs/)
  })

  test('finds an edited event, in its payload and in its header', async () => {
    for (const [from, to] of [
      ['step2 failed', 'step2 passed'],
      ['"type":"tool_result"', '"type":"tool_call"'],
    ] as const) {
      const { folder } = await recorded()
      await rewrite(folder, (lines) => lines.with(9, (lines[9] ?? '').replace(from, to)))
      expectFound(await verified(folder), /line 10\b/, /does not match/)
    }
  })

  test('finds an event that was edited and hashed again, by the one after it', async () => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) => {
      const event = eventIn(lines[5] ?? '')
      return lines.with(
        5,
        seal(
          draftOf({ ...event, data: { by: 'user', note: 'stop' } } as Event),
          { ...event, nonces: sampleNonces('6') },
          sha256,
        ).line,
      )
    })
    expectFound(await verified(folder), /line 7\b/, /does not continue the chain/)
  })

  test('finds a tail that was hashed again only against a head kept elsewhere', async () => {
    const { folder, head } = await recorded()
    await rewrite(folder, (lines) => {
      const events = lines.map(eventIn)
      const last = events.at(-2)
      if (last?.type !== 'tool_call') throw new Error('not the event it should be')
      return rehashed([
        ...events.slice(0, -2),
        { ...last, data: { ...last.data, args: { command: 'ls' } } },
        ...events.slice(-1),
      ])
    })
    expect((await verified(folder)).ok).toBe(true)
    expectFound(await verified(folder, head), /event 18\b/, /not the one kept elsewhere/)
  })

  test('finds a tail that was cut off against a head kept elsewhere', async () => {
    const { folder, head } = await recorded()
    await rewrite(folder, (lines) => lines.slice(0, 12))
    expect((await verified(folder)).ok).toBe(true)
    expectFound(await verified(folder, head), /its end/, /ends at event 12.*\(18\)/)
  })

  test('finds a changed blob, and a missing one', async () => {
    const { folder } = await recorded()
    const digest = eventIn((await linesOf(folder)).at(-1) ?? '').raw?.blobs?.['raw_output']?.sha256 ?? ''
    const path = layoutOf(folder).blob(digest)
    const bytes = await readFile(path)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    await rm(path, { force: true })
    await writeFile(path, bytes)
    expectFound(await verified(folder), /event 18, raw_output/, /./)
    await rm(path, { force: true })
    expect(await verified(folder)).toMatchObject({
      ok: false,
      findings: [{ level: 'error', where: expect.stringContaining('event 18, raw_output') }],
    })
  })

  test('finds a prompt that does not follow from the log, though the chain is whole', async () => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) => {
      const events = lines.map(eventIn)
      const model = events[10]
      if (!model) throw new Error('no event')
      const spliced = {
        ...model,
        type: 'correction',
        data: { by: 'user', note: 'x' },
        delta: { update_knowledge: { x: 1 } },
      }
      return rehashed([...events.slice(0, 10), spliced as Event, ...events.slice(10)])
    })
    expectFound(await verified(folder), /event 14\b/, /the packet that folds from the events before it/)
  })

  test('finds a summary that was changed after the fact', async () => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) =>
      rehashed(
        lines.map(eventIn).map((event) =>
          event.seq === 5
            ? {
                ...event,
                delta: { add_action: [{ tool: 'shell', summary: 'all well', outcome: 'success' }] },
              }
            : event,
        ),
      ),
    )
    expectFound(await verified(folder), /event 8\b/, /the packet that folds/)
  })

  test('finds another prompt under the same packet, other tools, another count', async () => {
    const other = 'f'.repeat(64)
    const changes: [Partial<EventFor<'model_request'>['data']>, RegExp][] = [
      [{ prompt_sha256: other }, /the stored prompt is not/],
      [{ packet_sha256: other }, /the packet that folds/],
      [{ tools_sha256: other }, /tools/],
      [{ prompt_tokens: 7 }, /tokens, not 7/],
    ]
    for (const [change, what] of changes) {
      const { folder } = await recorded()
      await rewrite(folder, (lines) =>
        rehashed(
          lines
            .map(eventIn)
            .map((event) =>
              event.type === 'model_request' && event.seq === 8
                ? { ...event, data: { ...event.data, ...change } }
                : event,
            ),
        ),
      )
      expectFound(await verified(folder), /event 8\b/, what)
    }
  })

  test('finds tools that were changed in run_start', async () => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) =>
      rehashed(
        lines
          .map(eventIn)
          .map((event) =>
            event.type === 'run_start' ? { ...event, data: { ...event.data, tools: [] } } : event,
          ),
      ),
    )
    expectFound(await verified(folder), /event 3\b/, /tools/)
  })

  test('an event that cannot be folded is found at its own place, and the chain after it still checked', async () => {
    const { folder, head } = await recorded()
    await rewrite(folder, (lines) =>
      rehashed(
        lines
          .map(eventIn)
          .map((event) => (event.seq === 6 ? { ...event, delta: { set_extension: { none: 1 } } } : event)),
      ),
    )
    const result = await verified(folder, head)
    expectFound(result, /event 6\b/, /"none" is not registered/)
    expect(mistakes(result)).toHaveLength(2)
    expect(result.events).toBe(18)
  })

  test('finds a raw part that is gone that nobody says was removed', async () => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) =>
      lines.map((line, at) => (at === 4 ? Buffer.from(prune(Buffer.from(line), sha256)).toString() : line)),
    )
    expectFound(await verified(folder), /event 5\b/, /no event says/)
  })

  test('a log that is pruned of every raw part verifies, and every prompt still follows from it', async () => {
    const { folder } = await recorded()
    await buried(folder, [1, 18])
    const before = await verified(folder)
    await rewrite(folder, (lines) =>
      lines.map((line) => Buffer.from(prune(Buffer.from(line), sha256)).toString()),
    )
    await rm(join(folder, 'blobs'), { recursive: true, force: true })
    const after = await verified(folder)
    expect(after).toMatchObject({
      ok: true,
      events: 19,
      prompts: before.prompts,
      findings: [],
      head: before.head,
    })
    expect(before.pruned).toBe(0)
    expect(after.pruned).toBeGreaterThan(before.prompts)
    expect((await readFile(layoutOf(folder).log(AGENT), 'utf8')).includes('"raw":{')).toBe(false)
  })

  const withSettings = async (changed: object) => {
    const { folder } = await recorded()
    await rewrite(folder, (lines) =>
      rehashed(
        lines
          .map(eventIn)
          .map((event) =>
            event.type === 'run_start'
              ? { ...event, data: { ...event.data, settings: { ...event.data.settings, ...changed } } }
              : event,
          ),
      ),
    )
    return verified(folder)
  }

  test('a tokenizer that is not installed is a warning, not damage', async () => {
    const result = await withSettings({ tokenizer: 'not-installed' })
    expect(result).toMatchObject({ ok: true, events: 18, findings: [{ level: 'warning' }] })
  })

  test('a view that is not known here is an answer of its own', async () => {
    const result = await withSettings({ view: 'desk-99' })
    expect(result).toMatchObject({ ok: true, events: 18, findings: [], unknown_view: 'desk-99' })
  })

  test('a log that is not there is an error', async () => {
    expectFound(await verified(await scratchFolder()), /event 1\b/, /agent-1/)
  })
})
