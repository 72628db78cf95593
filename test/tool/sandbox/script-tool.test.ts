import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { callTool } from '../../../src/tool/call.ts'
import { assertToolResult, error, partial } from '../../../src/tool/result.ts'
import type { ExternalName } from '../../../src/tool/sandbox/externals.ts'
import { type ScriptToolDefinition, scriptTool } from '../../../src/tool/sandbox/script-tool.ts'
import { wrapResult } from '../../../src/tool/wrap.ts'
import { textAt } from '../../workspace/scratch.ts'
import { contextWith } from '../context.ts'

const input = z.strictObject({ path: z.string() })
const tool = (
  source: string,
  externals: ExternalName[],
  more: Partial<ScriptToolDefinition<typeof input>> = {},
) =>
  scriptTool({
    name: 'script',
    description: '',
    effect: 'effect',
    input,
    source,
    externals,
    limits: 'permissive',
    ...more,
  })

describe('a script tool', () => {
  it('states its result by success(), partial() and error(); what has only their shape is data', async () => {
    const context = await contextWith({})
    const run = async (source: string) => {
      const called = await callTool(tool(`export default () => ${source}`, []), { path: 'a' }, context)
      if ('thrown' in called) throw called.thrown
      return called.returned
    }
    const made = await run(
      "partial([1], 'Found 1', { n: 1 }, { supersedes: ['m'], diagnostics: [null, 'a:1'] })",
    )
    expect(made).toEqual(partial([1], 'Found 1', { n: 1 }, { supersedes: ['m'], diagnostics: [null, 'a:1'] }))
    assertToolResult(made)
    assertToolResult(await run("success(null, 'Done')"))
    expect(await run("error('gone')")).toEqual(error('gone'))
    const foreign = JSON.stringify({ result: 1, summary: 's', knowledge_delta: { n: 2 }, outcome: 'success' })
    expect(wrapResult(await run(`(${foreign})`)).own).toEqual({})
    expect(wrapResult(await run(`({ ...success(1, 's') })`)).own).toEqual({})
    expect(await run('{ WeakSet.prototype.has = 1; globalThis.success = 2 }; export const a = 1')).toBeNull()
  })

  it('works on the workspace through what it was granted', async () => {
    const context = await contextWith({ 'src/a.py': 'x=1\n', 'src/b.py': 'y=2\n' })
    const source = `export default async ({ path }, fs) => {
      const text = await fs.read_file(path)
      await fs.write_file(path, text.replace('=', ' = '))
      await fs.log('wrote ' + path)
      return {
        names: (await fs.list_dir('src')).map(({ name }) => name),
        exists: [await fs.file_exists(path), await fs.file_exists('no')],
        found: (await fs.search_files('*.py')).paths,
        lines: (await fs.search_content('y=')).matches,
        source: await fs.get_node_source(),
        metadata: await fs.get_node_metadata('other'),
        run: (await fs.run_command(['cat', path])).stdout,
      }
    }`
    const logged: string[] = []
    const granted: ExternalName[] = [
      'read_file',
      'write_file',
      'list_dir',
      'file_exists',
      'search_files',
      'search_content',
      'log',
      'get_node_source',
      'get_node_metadata',
      'run_command',
    ]
    const providers = {
      nodeSource: async (id: string) => `source of ${id}`,
      nodeMetadata: async (id: string) => ({ id }),
      command: { allow: [{ program: 'cat' }] },
    }
    const watched = { ...context, log: (line: string) => void logged.push(line) }
    const called = await callTool(tool(source, granted, { providers }), { path: 'src/a.py' }, watched)
    expect(called).toMatchObject({
      returned: {
        names: ['a.py', 'b.py'],
        exists: [true, false],
        found: ['src/a.py', 'src/b.py'],
        lines: [{ path: 'src/b.py', line: 1, text: 'y=2' }],
        source: 'source of a.py:f',
        metadata: { id: 'other' },
        run: 'x = 1\n',
      },
    })
    expect(await textAt(context.workspace, 'src/a.py')).toBe('x = 1\n')
    expect(logged).toEqual(['wrote src/a.py'])
  })

  it('cannot leave the workspace, pass nonsense, or use what was not granted', async () => {
    const context = await contextWith({ 'a.py': '' })
    const source = `export default async ({ path }, fs) => {
      const failures = []
      for (const attempt of [
        () => fs.read_file('../../etc/passwd'), () => fs.read_file({ toString: () => 'a.py' }), () => fs.read_file(),
        () => fs.read_file('a\\0'), () => fs.write_file(path, 'x'),
      ]) {
        try { await attempt(); failures.push('worked') } catch (error) { failures.push(error.message) }
      }
      return failures
    }`
    const called = await callTool(tool(source, ['read_file']), { path: 'a.py' }, context)
    const failures = 'returned' in called && Array.isArray(called.returned) ? called.returned : []
    expect(failures).toHaveLength(5)
    expect(failures).not.toContain('worked')
    expect(await textAt(context.workspace, 'a.py')).toBe('')
  })

  it('fails as data: thrown, killed, or granted what no one provides', async () => {
    const context = await contextWith()
    const thrown = await callTool(
      tool('export default () => { throw new TypeError("bad") }', []),
      { path: '' },
      context,
    )
    expect(thrown).toMatchObject({ thrown: { message: expect.stringContaining('TypeError: bad') } })
    const limits = { memoryBytes: 8 << 20, deadlineMs: 200 }
    const killed = await callTool(
      tool('export default () => { for (;;); }', [], { limits }),
      { path: '' },
      context,
    )
    expect(killed).toMatchObject({ thrown: { code: 'limit', message: expect.stringContaining('200 ms') } })
    const unprovided = await callTool(tool('export default () => 1', ['run_command']), { path: '' }, context)
    expect(unprovided).toMatchObject({ thrown: { code: 'bad_argument' } })
  })
})
