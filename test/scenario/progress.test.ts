import { execFileSync, spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { environment, folderWith, MAIN, NODE_ARGS, twotrack } from '../cli/run.ts'
import { CLEAN, lintProject } from './project.ts'

const COLUMNS = 64
/** The one way to a terminal that needs no native module. */
const noTerminal = spawnSync('script', ['--version']).status !== 0

test.skipIf(noTerminal)(
  'on a terminal: a bar, a line per agent at work, nothing wider than it, then each file once',
  () => {
    const command = `stty cols ${COLUMNS} rows 20; '${process.execPath}' ${NODE_ARGS.join(' ')} '${MAIN}' run lint src --no-hub --fail-on never`
    const output = execFileSync('script', ['-qec', command, '/dev/null'], {
      cwd: lintProject(),
      env: environment({ TERM: 'xterm' }),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const lines = stripVTControlCharacters(output).split(/\r?\n/)
    const live = lines.filter((line) => /[█░]/.test(line) || line.startsWith('  lint '))
    expect(live[0]).toBe(`${'░'.repeat(24)} 0 of 3`)
    expect(live.some((line) => /^ {2}lint src\/app\.py {2}turn \d+ · [\d]+ tokens · /.test(line))).toBe(true)
    expect(live.filter((line) => [...line].length >= COLUMNS)).toEqual([])
    const report = lines.slice(lines.findLastIndex((line) => line.includes('2 of 2')) + 1)
    expect(report.filter((line) => /^[✓~] lint#/.test(line)).map((line) => line.split(' ')[2])).toEqual([
      'src/app.py',
      'src/stop.ts',
    ])
    expect(report.filter((line) => [...line].length > COLUMNS && !line.includes('node '))).toEqual([])
    expect(lines.some((line) => line.startsWith('2 agents: 1 done, 1 with problems left'))).toBe(true)
    // Every line that was drawn over was wiped first: the last frame is gone before the table.
    expect(output).toContain('\u001b[0J')
  },
)

/** What a person sees of a command at a terminal, as they type this. */
const atTerminal = (cwd: string, args: string, typed = ''): string =>
  stripVTControlCharacters(
    execFileSync(
      'script',
      [
        '-qec',
        `stty cols 80; '${process.execPath}' ${NODE_ARGS.join(' ')} '${MAIN}' ${args}; true`,
        '/dev/null',
      ],
      { cwd, env: environment({ TERM: 'xterm' }), encoding: 'utf8', input: typed },
    ),
  )

test.skipIf(noTerminal)('a run with nothing to do shows no bar of nothing', () => {
  const seen = atTerminal(folderWith({ 'a.py': CLEAN, 'b.py': CLEAN }), 'run lint . --no-hub')
  expect(seen).toContain('Nothing to do for all 2.')
  expect(seen).not.toContain('0 of 0')
})

test.skipIf(noTerminal)(
  'the first question says once what it asks and why, and does not promise what it does not do',
  () => {
    const cwd = folderWith({ 'a.py': 'A = 1\n', 'test_a.py': 'def test_a(): pass\n' })
    const seen = atTerminal(cwd, 'run test a.py --no-hub', 'n\n')
    expect(seen.match(/Do you trust it\?/g)).toHaveLength(1)
    expect(seen).toContain('brings what would run with your rights')
    expect(seen).toContain('as it is now and as it will be')
    expect(seen).not.toContain('asked again when it changes')
  },
)

test.skipIf(noTerminal)('runs says the outcome of every agent within 80 columns', async () => {
  const cwd = folderWith({ [`${'long/'.repeat(14)}a.py`]: 'A = unknown\n' })
  for (const _ of [1, 2]) await twotrack(cwd, ['run', 'lint', '.', '--no-hub'])
  const lines = atTerminal(cwd, 'runs').split(/\r?\n/)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(lines.filter((line) => /^lint\S+ +problems left +\d{4}-/.test(line))).toHaveLength(2)
})
