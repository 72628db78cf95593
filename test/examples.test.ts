import { execFile } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { BUNDLE } from './cli/bundle.ts'
import { contentsOf, folderWith, twotrack } from './cli/run.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))

describe('the checkout', () => {
  test('npm start lints the sample project, and changes nothing in it', async () => {
    const [program, ...args] = manifest.scripts.start.split(' ')
    expect(program).toBe('node')
    const before = contentsOf(`${EXAMPLES}sample-project`)
    const folder = folderWith()
    const run = async (...given: string[]) =>
      (await promisify(execFile)(process.execPath, [...given, '--folder', folder], { cwd: ROOT })).stdout
    const stdout = await run(...args)
    expect(stdout).toMatch(/Fixed \d+ of \d+ lint issues/)
    expect(stdout).toMatch(/\d+ agents: \d+ done, (\d+ with problems left, )?0 failed; \d+ propose changes\./)
    expect(stdout).toMatch(/Recorded: [\d,]+ events .* no prompt was larger than [\d,]+ tokens\./)
    expect(contentsOf(`${EXAMPLES}sample-project`)).toEqual(before)

    // What the README says to look at is there.
    const [agent = ''] = /lint#\d+/.exec(stdout) ?? []
    const commands = [...readme.matchAll(/`twotrack ((?:show|replay|diff) AGENT[^`]*)`/g)]
    expect(commands).toHaveLength(4)
    const [, event = ''] = / #(\d+) +t\d+ ok /.exec(await run(BUNDLE, 'show', agent)) ?? []
    for (const [, command = ''] of commands) {
      const given = command.replace('AGENT', agent).replace('--event N', `--event ${event}`)
      expect(await run(BUNDLE, ...given.split(' ')), command).not.toBe('')
    }
  })

  test('the README prints the log and the packet of the recorded run as the commands do', async () => {
    const cwd = folderWith()
    await twotrack(cwd, ['import', join(EXAMPLES, 'trajectory.jsonl')])
    const printed = [
      (await twotrack(cwd, ['show', 'import-trajectory'])).stdout,
      (await twotrack(cwd, ['replay', 'import-trajectory', '--turn', '6'])).stdout,
    ]
    const blocks = [...readme.matchAll(/^(`{3,5})text\n([\s\S]*?)^\1$/gm)].map(([, , block = '']) => block)
    expect(blocks).toHaveLength(printed.length)
    for (const [at, block] of blocks.entries())
      for (const part of block.split('[…]'))
        for (const line of part.trim().split('\n')) expect(printed[at]).toContain(line)
  })

  test('the example agent runs in a project that it was copied to, once it is trusted', async () => {
    const cwd = folderWith()
    cpSync(`${EXAMPLES}sample-project`, cwd, { recursive: true })
    cpSync(`${EXAMPLES}agents`, join(cwd, 'agents'), { recursive: true })
    const args = ['run', 'sample_data', 'inventory/stock.py']
    expect(await twotrack(cwd, args)).toMatchObject({ code: 2, stderr: expect.stringContaining('trust') })
    const { code, stdout } = await twotrack(cwd, [...args, '--trust'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('Functions that take arguments: 5.')])
  })
})
