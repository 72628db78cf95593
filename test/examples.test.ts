import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { contentsOf, folderWith } from './cli/run.ts'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))

/** What each must have printed, so that it is known to have done its work. */
const outputs: Readonly<Record<string, RegExp>> = {
  'import-and-replay.ts': /10 turns, \d+ bytes of raw output, 32 events, intact\./,
  'memory-basics.ts': /GOAL: Make test_total pass\.[\s\S]*Do not touch the tests\.[\s\S]*1 of 11 tests fails/,
  'own-hub-client.ts':
    /turn 1: .*files \+ wiki[\s\S]*turn 2: nothing new\nturn 3: [\s\S]*turn 4: nothing new[\s\S]*And it must say why/,
  'own-summarizer.ts':
    /1 of 41 pods do not run[\s\S]*CrashLoopBackOff|CrashLoopBackOff[\s\S]*1 of 41 pods do not run/,
  'own-store.ts': /the log matches\nanother history: its hash is not the one kept elsewhere/,
}

describe('examples', () => {
  test('all are run here', () => {
    const scripts = readdirSync(EXAMPLES).filter((name) => name.endsWith('.ts'))
    expect(scripts.sort()).toEqual(Object.keys(outputs).sort())
  })

  test.each(Object.entries(outputs))('%s runs, and leaves nothing behind', async (name, output) => {
    const cwd = folderWith()
    const before = contentsOf(cwd)
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [`${EXAMPLES}${name}`], { cwd })
    expect(stderr).toBe('')
    expect(stdout).toMatch(output)
    expect(contentsOf(cwd)).toEqual(before)
  })

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
