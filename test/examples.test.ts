import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { contentsOf, folderWith } from './cli/run.ts'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))

describe('the checkout', () => {
  test('npm start lints the sample project, and changes nothing in it', async () => {
    const [program, ...args] = manifest.scripts.start.split(' ')
    expect(program).toBe('node')
    const before = contentsOf(`${EXAMPLES}sample-project`)
    const { stdout } = await promisify(execFile)(process.execPath, [...args, '--folder', folderWith()], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
    })
    expect(stdout).toMatch(/Fixed \d+ of \d+ lint issues/)
    expect(stdout).toMatch(/\d+ agents: \d+ done, 0 not; \d+ propose changes\./)
    expect(stdout).toMatch(/Recorded: [\d,]+ events .* no prompt was larger than \d+ tokens\./)
    expect(contentsOf(`${EXAMPLES}sample-project`)).toEqual(before)
  })
})
