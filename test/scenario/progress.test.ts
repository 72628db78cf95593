import { execFileSync, spawnSync } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { environment, MAIN, NODE_ARGS } from '../cli/run.ts'
import { lintProject } from './project.ts'

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
    expect(report.filter((line) => line.startsWith('✓ lint#')).map((line) => line.split(' ')[2])).toEqual([
      'src/app.py',
      'src/stop.ts',
    ])
    expect(report.filter((line) => [...line].length > COLUMNS && !line.includes('node '))).toEqual([])
    expect(lines.some((line) => line.startsWith('2 agents: 2 done'))).toBe(true)
    // Every line that was drawn over was wiped first: the last frame is gone before the table.
    expect(output).toContain('\u001b[0J')
  },
)
