import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { put, scratch, textAt } from '../workspace/scratch.ts'

const repository = join(import.meta.dirname, '../..')

/** What the examples import as `twotrack`. */
const modules = [
  'tool/result',
  'tool/run-command',
  'tool/sandbox/script-tool',
  'tool/tool',
  'files/files',
  'workspace/workspace',
]
const sourceOf = (name: string) => pathToFileURL(join(repository, 'src', `${name}.ts`)).href
const twotrack = modules.map((name) => `export * from '${sourceOf(name)}'\n`).join('')

/** The examples of a page, each language put together as one module. */
async function examplesOf(page: string): Promise<{ ts: string; js: string }> {
  const text = await readFile(join(repository, 'docs', page), 'utf8')
  const blocks = text.split('\n```').filter((_, index) => index % 2 === 1)
  const joined = (language: string) =>
    blocks
      .flatMap((block) => (block.startsWith(`${language}\n`) ? [block.slice(language.length)] : []))
      .join('\n')
  const ts = joined('ts')
    .replaceAll("'twotrack'", "'./twotrack.mts'")
    .replaceAll("'zod'", `'${import.meta.resolve('zod')}'`)
  return { ts, js: joined('js') }
}

const runIn = (folder: string, file: string): string =>
  execFileSync(process.execPath, ['--no-warnings', file], { cwd: folder, encoding: 'utf8' })

describe('the examples in the docs run', () => {
  it('docs/workspace.md', async () => {
    const project = await scratch()
    const { ts } = await examplesOf('workspace.md')
    await put(project, { 'src/a.py': 'x=1\n', '.agentfs/x': '' })
    const elsewhere = await scratch()
    await put(elsewhere, {
      'twotrack.mts': twotrack,
      'example.mts': `const project = ${JSON.stringify(project)}\n${ts}`,
    })
    expect(runIn(elsewhere, 'example.mts')).toContain('modified src/a.py')
    expect(await textAt(project, 'src/a.py')).toBe('x = 1\n')
  })

  it('docs/writing-a-tool.md', async () => {
    const folder = await scratch()
    const { ts, js } = await examplesOf('writing-a-tool.md')
    const context = `const context = { workspace: ${JSON.stringify(folder)}, node: { id: 'a.py', type: 'file' }, signal: new AbortController().signal }`
    const last = `
      console.log(JSON.stringify(await countLines.run({ path: 'a.py' }, context)))
      console.log((await countTodos.run({ path: 'a.py' }, context)).summary, runCommand.name)`
    await put(folder, {
      'agents/count/count_lines.js': js,
      'a.py': '# TODO: x\n\n',
      'twotrack.mts': twotrack,
      'example.mts': `${context}\n${ts}\n${last}`,
    })
    expect(runIn(folder, 'example.mts')).toBe(
      '{"lines":3}\n1 TODOs in a.py, the first in line 1. run_command\n',
    )
  })
})
