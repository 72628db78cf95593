import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { BUNDLE } from '../cli/bundle.ts'
import { environment, NODE_ARGS } from '../cli/run.ts'
import { postgresPrograms, postgresRunner, programEnv } from '../postgres-server.ts'

const page = readFileSync(new URL('../../docs/many-machines.md', import.meta.url), 'utf8')
const [, commands = ''] = /## On a laptop.*?```sh\n(.*?)```/s.exec(page) ?? []
const found = postgresPrograms()
const runner = postgresRunner()
if (typeof found === 'string') console.warn(`skipped: the commands of many-machines.md ${found}`)

test.skipIf(typeof found === 'string' || typeof runner === 'string')(
  'one PostgreSQL and two workers: the commands of many-machines.md, as they are printed',
  () => {
    if (typeof found === 'string' || typeof runner === 'string') return
    const home = mkdtempSync(join(tmpdir(), 'tw-home-'))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    const [programs, project] = [join(home, 'bin'), join(home, 'shop')]
    for (const folder of [programs, join(project, 'src'), join(project, '.git')])
      mkdirSync(folder, { recursive: true })
    const program = (name: string, ...command: readonly string[]) =>
      writeFileSync(join(programs, name), `#!/bin/sh\nexec ${command.join(' ')} "$@"\n`, { mode: 0o755 })
    program('twotrack', process.execPath, ...NODE_ARGS, BUNDLE)
    // Where root runs the tests, PostgreSQL alone is somebody else.
    const { uid, gid } = runner
    const as = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
    for (const name of ['initdb', 'pg_ctl']) program(name, ...as, join(found.bin, name))
    chmodSync(home, 0o755)
    if (uid !== undefined && gid !== undefined) chownSync(home, uid, gid)
    for (const name of ['one', 'two'])
      writeFileSync(join(project, 'src', `${name}.py`), 'import os\nimport sys\n\nprint(sys.argv)\n')

    const ended = `
code=$?
twotrack accept --all
jobs -p >~/workers
kill $(cat ~/workers); wait
pg_ctl -D ~/twotrack-db stop
exit $code`
    const { status, stdout, stderr } = spawnSync('sh', ['-c', commands + ended], {
      cwd: project,
      encoding: 'utf8',
      env: environment({
        ...programEnv(found),
        HOME: home,
        PATH: `${programs}:${process.env['PATH']}`,
      }),
    })
    expect(commands.trim().split('\n')).toHaveLength(5)
    expect(status, stdout + stderr).toBe(0)
    expect(stdout).toContain('2 agents: 2 done, 0 failed; 2 propose changes.')
    expect(readFileSync(join(project, 'src/one.py'), 'utf8')).toBe('import sys\n\nprint(sys.argv)\n')
  },
)
