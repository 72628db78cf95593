import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callTool, unknownTool } from '../../src/tool/call.ts'
import { assertToolResult } from '../../src/tool/result.ts'
import { defineTool, type ToolContext } from '../../src/tool/tool.ts'
import { wrapResult } from '../../src/tool/wrap.ts'
import { contextWith } from './context.ts'

const toolThat = (run: (args: { n: number }, context: ToolContext) => unknown) =>
  defineTool({ name: 'work', description: '', effect: 'pure', input: z.strictObject({ n: z.number() }), run })

const failed = (called: Awaited<ReturnType<typeof callTool>>): string => {
  if (!('thrown' in called)) throw new Error(`returned ${JSON.stringify(called.returned)}`)
  return called.thrown.message
}

describe('callTool', () => {
  it('gives what the tool returned, falsy or not', async () => {
    const context = await contextWith()
    for (const value of [0, '', false, null, undefined, { a: 1 }]) {
      const called = await callTool(
        toolThat(() => value),
        { n: 1 },
        context,
      )
      expect(called).toEqual({ returned: value, duration_ms: expect.any(Number) })
    }
  })

  it('tells the model what is wrong with its arguments, and does not run the tool', async () => {
    let ran = false
    const tool = toolThat(() => {
      ran = true
    })
    for (const args of [{ n: 'x' }, {}, { n: 1, extra: 2 }, 'text', null, [1]]) {
      const called = await callTool(tool, args, await contextWith())
      const returned = 'returned' in called ? called.returned : undefined
      assertToolResult(returned)
      expect(returned.outcome).toBe('error')
      expect(returned.error).toContain('It takes n.')
    }
    expect(ran).toBe(false)
  })

  it('gives whatever the tool threw as an error', async () => {
    const context = await contextWith()
    for (const thrown of [new Error('broken'), 'broken', { toString: () => 'broken' }]) {
      const called = await callTool(
        toolThat(() => {
          throw thrown
        }),
        { n: 1 },
        context,
      )
      expect(failed(called)).toBe('broken')
      expect(wrapResult('thrown' in called ? called.thrown : '').outcome).toBe('error')
    }
  })

  it('ends at the deadline, and tells the tool through its signal', async () => {
    const seen = Promise.withResolvers<void>()
    const tool = toolThat((_, { signal }) => {
      signal.addEventListener('abort', () => seen.resolve())
      return new Promise(() => {})
    })
    const called = await callTool(tool, { n: 1 }, await contextWith(), { deadlineMs: 20 })
    expect(failed(called)).toContain('longer than 20 ms')
    await seen.promise
  })

  it('ends when the run is cancelled, before or during the call', async () => {
    const stop = new AbortController()
    const context = await contextWith({}, { signal: stop.signal })
    const called = callTool(
      toolThat(() => {
        stop.abort()
        return new Promise(() => {})
      }),
      { n: 1 },
      context,
    )
    expect(failed(await called)).toContain('cancelled')
    const after = toolThat(() => 'ran')
    expect(failed(await callTool(after, { n: 1 }, context))).toContain('cancelled')
  })

  it('does not let a late failure of an abandoned tool disturb anything', async () => {
    const abandoned = Promise.withResolvers<void>()
    const tool = toolThat(() => abandoned.promise)
    await callTool(tool, { n: 1 }, await contextWith(), { deadlineMs: 5 })
    abandoned.reject(new Error('too late'))
    // A rejection that nobody took would end the test's process here.
    await new Promise((resolve) => setImmediate(resolve))
  })
})

describe('unknownTool', () => {
  it('names the nearest tool and all others', () => {
    const result = unknownTool('read_flie', ['read_file', 'write_file'])
    expect(result.error).toBe(
      'There is no tool "read_flie". Did you mean read_file? The tools are: read_file, write_file.',
    )
    expect(unknownTool('x'.repeat(10_000), []).error?.length).toBeLessThan(200)
  })
})
