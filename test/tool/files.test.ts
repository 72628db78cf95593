import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { callTool } from '../../src/tool/call.ts'
import { fileTools } from '../../src/tool/files.ts'
import { searchFiles } from '../../src/tool/search.ts'
import type { ToolContext } from '../../src/tool/tool.ts'
import { textAt } from '../workspace/scratch.ts'
import { contextWith } from './context.ts'

async function use(name: string, args: Json, context: ToolContext): Promise<unknown> {
  const tool = fileTools.find((one) => one.name === name)
  if (!tool) throw new Error(name)
  const called = await callTool(tool, args, context)
  return 'returned' in called ? called.returned : called.thrown
}

describe('the file tools', () => {
  it('read a file or some of its lines', async () => {
    const context = await contextWith({ 'a.txt': 'one\ntwo\nthree\n', 'b.bin': new Uint8Array([0, 1]) })
    expect(await use('read_file', { path: 'a.txt' }, context)).toBe('one\ntwo\nthree\n')
    expect(await use('read_file', { path: 'a.txt', from_line: 2, to_line: 2 }, context)).toBe('two')
    expect(await use('read_file', { path: 'a.txt', from_line: 9 }, context)).toMatchObject({
      code: 'bad_argument',
    })
    expect(await use('read_file', { path: 'b.bin' }, context)).toEqual(Buffer.from([0, 1]))
    expect(await use('read_file', { path: 'no.txt' }, context)).toMatchObject({ code: 'missing' })
  })

  it('write and list', async () => {
    const context = await contextWith({ 'a.txt': '' })
    expect(await use('write_file', { path: 'new/b.txt', content: 'é\n' }, context)).toEqual({
      path: 'new/b.txt',
      bytes: 3,
      lines: 1,
    })
    expect(await textAt(context.workspace, 'new/b.txt')).toBe('é\n')
    expect(await use('list_dir', {}, context)).toBe('a.txt\nnew/')
  })

  it('search text, within bounds, without what git ignores', async () => {
    const context = await contextWith({
      'src/a.ts': 'x\nconst needle = 1\n',
      'src/b.ts': `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}`,
      'out/c.js': 'needle',
      'data.bin': new Uint8Array([0, ...Buffer.from('needle')]),
      '.gitignore': 'out/\n',
      'many.txt': 'hay (a+)+$\n'.repeat(500),
    })
    const found = String(await use('search_content', { text: 'needle' }, context)).split('\n')
    expect(found).toHaveLength(2)
    expect(found[0]).toBe('src/a.ts:2:const needle = 1')
    expect(found[1]).toContain('needle')
    expect(found[1]?.length).toBeLessThan(330)
    expect(await use('search_content', { text: 'needle', path: 'src/a.ts' }, context)).toBe(found[0])
    const many = String(await use('search_content', { text: '(a+)+$' }, context)).split('\n')
    expect(many).toHaveLength(201)
  })

  it('stay inside, also through links', async () => {
    const context = await contextWith({ 'a.txt': 'a' })
    await symlink('/etc', join(context.workspace, 'etc'))
    const outside = { code: 'outside_workspace' }
    expect(await use('read_file', { path: 'etc/passwd' }, context)).toMatchObject(outside)
    expect(await use('write_file', { path: '../x', content: '' }, context)).toMatchObject(outside)
    expect(await use('list_dir', { path: '/etc' }, context)).toMatchObject(outside)
    expect(await use('search_content', { text: 'root', path: '../..' }, context)).toMatchObject(outside)
    expect(await use('search_content', { text: 'root:' }, context)).toBe('')
  })
})

describe('searchFiles', () => {
  it('takes wildcards', async () => {
    const { workspace } = await contextWith({ 'src/a.ts': '', 'src/deep/b.ts': '', 'c.py': '' })
    expect((await searchFiles(workspace, '*.ts')).paths).toEqual(['src/a.ts', 'src/deep/b.ts'])
    expect((await searchFiles(workspace, '?.py')).paths).toEqual(['c.py'])
    expect((await searchFiles(workspace, 'c')).paths).toEqual([])
  })

  it('takes every sign but * and ? as it is, and has no pattern that explodes', async () => {
    const name = 'a'.repeat(200)
    const { workspace } = await contextWith({ [name]: '', 'x/aXbXbYc': '', 'x/[a](b)+.{$}^|.py': '' })
    const found = async (pattern: string) => (await searchFiles(workspace, pattern)).paths
    expect(await found(`${'*a'.repeat(100)}b`)).toEqual([])
    expect(await found('*')).toHaveLength(3)
    expect(await found('x/a*b*c')).toEqual(['x/aXbXbYc'])
    expect(await found('?/[a](b)+.{$}^|.py')).toEqual(['x/[a](b)+.{$}^|.py'])
    expect(await found('x/[a]*')).toEqual(['x/[a](b)+.{$}^|.py'])
    expect(await found('x/a?b')).toEqual([])
  })
})
