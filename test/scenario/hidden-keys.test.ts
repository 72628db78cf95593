import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, imported, twotrack } from '../cli/run.ts'
import { start, textOf, until } from './project.ts'

// Made here, so that no file holds what looks like a key.
const KEY = ['sk', 'of', 'the', 'person', String(process.pid)].join('-')
const env = { OPENAI_API_KEY: KEY, GITHUB_TOKEN: KEY }

/** A test that writes down every environment that it can read: its own, and that of every process there is. */
const spy = (report: string) => `import fs from 'node:fs'
import 'node:test'
const read = (path) => { try { return fs.readFileSync(path, 'latin1') } catch { return '' } }
const blocks = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => read('/proc/' + pid + '/environ'))
fs.writeFileSync(${JSON.stringify(report)}, [JSON.stringify(process.env), ...blocks].join('\\n'))
`

test.runIf(process.platform === 'linux')(
  'a project’s tests find no key, neither in their environment nor in that of any process above them',
  async () => {
    const cwd = folderWith({ 'package.json': '{ "type": "module" }' })
    writeFileSync(join(cwd, 'spy.test.js'), spy(join(cwd, 'seen')))
    const { stdout } = await twotrack(cwd, ['run', 'test', '--no-hub', '--trust'], { env })
    expect(stdout).toContain('1 done')
    const seen = textOf(cwd, 'seen')
    expect(seen).toContain('PATH')
    expect(seen).not.toContain(KEY)
  },
)

test.runIf(process.platform === 'linux')(
  'no key stands in the environment block of the command itself',
  async () => {
    const { child, stdout } = start(await imported(), ['show', '--last', '--follow'], env)
    await until(() => stdout().includes('start'))
    const block = readFileSync(`/proc/${child.pid}/environ`, 'latin1')
    expect(block.length).toBeGreaterThan(0)
    expect(block.replaceAll('\0', '')).toBe('')
  },
)
