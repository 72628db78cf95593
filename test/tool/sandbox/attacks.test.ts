import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { runScript, type ScriptEnd, type ScriptOptions } from '../../../src/tool/sandbox/sandbox.ts'

/** Time enough on any machine: where a script must end by itself, the deadline only bounds a hang. */
const patient = { memoryBytes: 64 * 1024 * 1024, deadlineMs: 300_000 }

const run = (body: string, options: ScriptOptions = {}): Promise<ScriptEnd> =>
  runScript(
    `export default async function (inputs, externals) { ${body} }`,
    {},
    { limits: patient, ...options },
  )

/** Either the script's own engine refused it, or its process was killed: it never returned. */
const held = (end: ScriptEnd): void => {
  expect(end.type, JSON.stringify(end).slice(0, 300)).not.toBe('returned')
  if (end.type === 'stopped') expect(['deadline', 'memory', 'output']).toContain(end.why)
}

/** Small enough to be reached soon, on a busy machine too. */
const tight = { memoryBytes: 8 * 1024 * 1024, deadlineMs: 300 }

describe.concurrent('a script cannot take more than it was given', () => {
  it.each([
    ['an endless loop', 'for (;;);'],
    ['an endless chain of promises', 'const again = () => Promise.resolve().then(again); await again()'],
    ['an array that grows', 'const a = []; for (;;) a.push(new Array(1000).fill(1))'],
    ['a string that doubles', 'let s = "x"; for (;;) s += s'],
    ['a large buffer', 'return new Uint8Array(1e9).length'],
    ['a BigInt', 'let n = 3n; for (;;) n = n * n'],
    ['the text of a BigInt', 'return ((1n << 20_000_000n) - 1n).toString().length'],
    ['a pattern that backtracks', 'return /^(a+)+$/.test("a".repeat(40) + "!")'],
    ['deep recursion', 'const f = () => f() + 1; return f()'],
    ['recursion through JSON', 'let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return JSON.stringify(a)'],
    ['recursion through toString', 'const o = { toString() { return String(o) } }; return String(o)'],
    ['recursion through a sort', 'const f = () => [2, 1].sort(f); return f()'],
    ['a proxy of proxies', 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x'],
    ['an endless getter in what it throws', 'throw { get message() { for (;;); } }'],
    ['an endless toJSON in what it returns', 'return { toJSON() { for (;;); } }'],
    ['output without end', 'return "x".repeat(6_000_000)'],
    ['a cycle', 'const o = {}; o.o = o; return o'],
  ])('%s', async (_name, body) => held(await run(body, { limits: tight })))

  it('is killed at its deadline while an external never answers', async ({ expect }) => {
    let called: AbortSignal | undefined
    const externals = {
      wait: (_: unknown, signal: AbortSignal) => {
        called = signal
        return new Promise(() => {})
      },
    }
    // Long enough for the call to arrive, however busy the machine is.
    for (let { deadlineMs } = tight; called === undefined; deadlineMs *= 2) {
      const end = await run('await externals.wait()', { externals, limits: { ...tight, deadlineMs } })
      expect(end).toMatchObject({ type: 'stopped', why: 'deadline' })
    }
    expect(called.aborted).toBe(true)
  })

  it('says at once that it waits for nothing', async ({ expect }) => {
    expect(await run('await new Promise(() => {})')).toMatchObject({ type: 'threw' })
  })

  it('has a limited number of calls under way and a limited size of each', async ({ expect }) => {
    const externals = { wait: () => new Promise(() => {}), echo: ([text]: readonly unknown[]) => text }
    const many = 'for (let i = 0; i < 100; i++) externals.wait()'
    expect(await run(many, { externals })).toMatchObject({
      type: 'threw',
      error: expect.stringContaining('at once'),
    })
    const large = 'return externals.echo("x".repeat(5_000_000))'
    expect(await run(large, { externals })).toMatchObject({ type: 'threw' })
    const flood = 'return (await externals.big()).length'
    const big = { big: () => 'x'.repeat(50_000_000) }
    expect(await run(flood, { externals: big })).toMatchObject({
      type: 'threw',
      error: expect.stringContaining('too many'),
    })
  })

  it('ends when it is cancelled', async ({ expect }) => {
    const stop = new AbortController()
    const externals = { started: () => stop.abort() }
    const end = await run('externals.started(); await new Promise(() => {}); for (;;);', {
      externals,
      signal: stop.signal,
    })
    expect(end).toMatchObject({ type: 'stopped', why: 'cancelled' })
    expect(await run('return 1', { signal: AbortSignal.abort() })).toMatchObject({ why: 'cancelled' })
  })
})

describe.concurrent('a script cannot reach anything', () => {
  it('has no process, files, network, modules, timers or names of Node', async ({ expect }) => {
    const end = await run(`
      const names = ['process', 'require', 'module', 'Buffer', 'fetch', 'WebSocket', 'XMLHttpRequest', 'setTimeout',
        'setInterval', 'queueMicrotask', 'Deno', 'Bun', 'std', 'os', 'console', 'global', 'WebAssembly', 'Worker',
        'performance', 'structuredClone', 'scriptArgs', 'print', 'load', 'import_meta', '__dirname']
      return names.filter((name) => name in globalThis)`)
    expect(end).toEqual({ type: 'returned', value: [] })
  })

  it.each([
    ['import()', 'return await import("node:fs")'],
    ['import() of a URL', 'return await import("data:text/javascript,export default 1")'],
    ['constructor.constructor', 'return externals.echo.constructor.constructor("return process")()'],
    ['Function', 'return new Function("return this.process.env")()'],
    [
      'an error of the host',
      'try { await externals.fail() } catch (e) { return e.constructor.constructor("return process")().env }',
    ],
    ['a promise of the host', 'return (await externals.echo.__proto__.constructor("return process.pid")())'],
    ['an external that was not granted', 'return await externals.write_file("x", "y")'],
    ['an external by another name', 'return await externals.__proto__.constructor.call("read")()'],
  ])('not by %s', async (_name, body) => {
    const externals = {
      echo: ([value]: readonly unknown[]) => value,
      fail: () => {
        throw new Error('no')
      },
    }
    expect((await run(body, { externals })).type).toBe('threw')
  })

  it('not by a static import', async ({ expect }) => {
    const end = await runScript(
      'import fs from "node:fs"; export default () => fs.readFileSync("/etc/passwd")',
      {},
      { limits: patient },
    )
    expect(end.type).toBe('threw')
  })

  it('changes only its own prototypes', async ({ expect }) => {
    const body = `
      Object.prototype.polluted = 1; Array.prototype.toJSON = () => 'x'
      JSON.stringify = () => '"forged"'; JSON.parse = () => 'forged'; Promise.prototype.then = () => {}
      const given = JSON.constructor; return { ...inputs, '__proto__': { a: 1 }, ok: true }`
    expect(await run(body)).toMatchObject({ type: 'returned', value: { ok: true } })
    expect('polluted' in {}).toBe(false)
  })

  it('gets keys named __proto__ as keys', async ({ expect }) => {
    const inputs = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}')
    const source = 'export default (inputs) => [inputs.admin ?? null, Object.keys(inputs)]'
    expect(await runScript(source, inputs, { limits: patient })).toEqual({
      type: 'returned',
      value: [null, ['__proto__', 'constructor']],
    })
  })
})

it('a script that was killed leaves no process behind', async () => {
  const externals = { wait: () => new Promise(() => {}) }
  await Promise.all([
    run('for (;;);', { limits: tight }),
    run('await externals.wait()', { externals, limits: tight }),
  ])
  await expect.poll(sandboxes, { timeout: 60_000 }).toEqual([])
})

it.skipIf(process.platform !== 'linux')(
  'the process around a script has no environment and no rights but to read its own code (reads /proc)',
  async () => {
    const seen: string[] = []
    const look = () => {
      const [pid] = sandboxes().map((line) => Number.parseInt(line, 10))
      seen.push(readFileSync(`/proc/${pid}/environ`, 'utf8'), readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    }
    await run('await externals.look()', { externals: { look } })
    const [environment, command = ''] = seen
    expect(environment).toBe('')
    const flags = command.split('\0').filter((part) => part.startsWith('--allow') || part === '--permission')
    expect(flags).toEqual([
      '--permission',
      expect.stringMatching(/^--allow-fs-read=.*\/sandbox\/$/),
      expect.stringMatching(/^--allow-fs-read=.*\/node_modules\/$/),
    ])
  },
)

const sandboxes = (): string[] =>
  execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('sandbox/child'))
