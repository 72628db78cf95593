import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/core/event/json.ts'
import { runScript as runWith, type ScriptOptions } from '../../../src/tool/sandbox/sandbox.ts'

/** With time enough for a busy machine. */
const runScript = (source: string, inputs: Json, options: ScriptOptions = {}) =>
  runWith(source, inputs, { limits: 'permissive', ...options })

describe('a script', () => {
  it('gets inputs and gives back JSON, falsy values too', async () => {
    const source = 'export default (inputs) => inputs.value'
    for (const value of [0, '', false, null, [], { a: [1, 'é\u2028\ud83d\ude00'] }]) {
      expect(await runScript(source, { value })).toEqual({ type: 'returned', value })
    }
    expect(await runScript('export default () => undefined', {})).toEqual({ type: 'returned', value: null })
  })

  it('calls the externals it was granted, several at once, and sees their failures', async () => {
    const externals = {
      double: async ([n]: readonly unknown[]) => Number(n) * 2,
      fail: () => {
        throw new Error('no such file')
      },
    }
    const source = `
      const ready = await Promise.resolve(1)
      export default async function ({ list }, { double, fail }) {
        const doubled = await Promise.all(list.map((n) => double(n)))
        const failure = await fail().catch((error) => error.message)
        return { doubled, failure, ready }
      }`
    expect(await runScript(source, { list: [1, 2, 3] }, { externals })).toEqual({
      type: 'returned',
      value: { doubled: [2, 4, 6], failure: 'no such file', ready: 1 },
    })
  })

  it('tells where it failed', async () => {
    const thrown = await runScript('export default () => {\n  null.x\n}', {})
    expect(thrown).toMatchObject({
      type: 'threw',
      error: expect.stringMatching(/TypeError: .*\n.*tool\.js:2/),
    })
    const syntax = await runScript('export default (', {})
    expect(syntax).toMatchObject({ type: 'threw', error: expect.stringContaining('SyntaxError') })
    const nothing = await runScript('const a = 1', {})
    expect(nothing).toMatchObject({ type: 'threw', error: expect.stringContaining('export default') })
    const text = await runScript('export default () => { throw "plain" }', {})
    expect(text).toEqual({ type: 'threw', error: '"plain"' })
  })

  it('gets the answers of any number of calls: what it has let go of takes no memory', async () => {
    const source = `export default async (inputs, { read }) => {
      let chars = 0
      for (let call = 0; call < 4_000; call++) chars += (await read({ path: 'a'.repeat(100) })).length
      return chars
    }`
    const limits = { memoryBytes: 16 << 20, deadlineMs: 120_000 }
    const externals = { read: () => 'x'.repeat(8_000) }
    expect(await runScript(source, {}, { externals, limits })).toEqual({
      type: 'returned',
      value: 32_000_000,
    })
  })

  it('has memory by preset', async () => {
    const source = 'export default () => new Uint8Array(12 * 1024 * 1024).length'
    expect(
      await runScript(source, {}, { limits: { memoryBytes: 8 << 20, deadlineMs: 60_000 } }),
    ).toMatchObject({ type: 'threw' })
    expect(
      await runScript(source, {}, { limits: { memoryBytes: 16 << 20, deadlineMs: 60_000 } }),
    ).toMatchObject({ type: 'returned' })
  })
})
