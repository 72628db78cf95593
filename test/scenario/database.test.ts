import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { postgresMigrations } from '../../src/api/postgres.ts'
import { connect } from '../../src/store/postgres/connections.ts'
import { BUNDLE } from '../cli/bundle.ts'
import { AGENT, environment, folderWith, NODE_ARGS, TRAJECTORY, twotrack } from '../cli/run.ts'
import { postgresServer } from '../postgres-server.ts'
import { PYTHON, PYTHON_FIXED, reportIn, start, textOf } from './project.ts'

const server = await postgresServer()
const HOOK = fileURLToPath(new URL('../../src/app/hook-process.ts', import.meta.url))
const hasScript = spawnSync('script', ['--version']).status === 0

describe.skipIf(typeof server === 'string')(
  `machines that share a database, each with a checkout and records of its own${typeof server === 'string' ? `: ${server}` : ''}`,
  () => {
    if (typeof server === 'string') return
    afterAll(server.dispose)

    const { url: shared } = server

    function machine(project: string, files: Readonly<Record<string, string>> = {}, url = shared) {
      const cwd = folderWith({ '.git/HEAD': '', ...files })
      const env = {
        XDG_STATE_HOME: folderWith(),
        TWOTRACK_RUNNER_MEMORY_TRACE_STORE: 'postgres',
        TWOTRACK_RUNNER_MEMORY_URL: url,
        TWOTRACK_RUNNER_MEMORY_PROJECT: project,
      }
      const own = environment(env)
      return { cwd, env, own, at: (...args: string[]) => twotrack(cwd, args, { env }) }
    }

    test('the first run there makes records that the next command takes for its own', async () => {
      const { cwd, at } = machine(randomUUID(), { 'a.py': PYTHON })
      expect(await at('run', 'lint', '.', '--trust', '--json', '--fail-on', 'never')).toMatchObject({
        code: 0,
      })
      expect(existsSync(join(cwd, '.agentfs'))).toBe(true)
      expect(await at('runs')).toMatchObject({ code: 0, stderr: '' })
    })

    test('what was signed of one project says nothing of another, nor of another database', async () => {
      const one = machine(randomUUID())
      expect((await one.at('import', TRAJECTORY)).code).toBe(0)
      const env = { ...one.env, TWOTRACK_RUNNER_MEMORY_PROJECT: randomUUID() }
      const other = (...args: string[]) => twotrack(one.cwd, args, { env })
      expect((await other('import', TRAJECTORY, '--agent', 'other')).code).toBe(0)
      for (const verified of [await one.at('verify'), await other('verify')])
        expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('signed heads') })
      // It is still found that a log is gone.
      const admin = connect({ url: shared, schema: 'public', connections: 1 })
      onTestFinished(() => admin.close())
      const schema = `twotrack_${env.TWOTRACK_RUNNER_MEMORY_PROJECT}`
      await admin.ask(`DELETE FROM "${schema}".entry`, [])
      await admin.ask(`DELETE FROM "${schema}".log`, [])
      const gone = await other('verify')
      expect(gone).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('before the head kept elsewhere'),
      })
      expect((await one.at('verify')).code).toBe(0)
    })

    test.skipIf(!hasScript)(
      'review in a terminal there (needs the program "script") decides what was proposed here',
      async () => {
        const project = randomUUID()
        const files = { 'a.py': PYTHON, 'b.py': PYTHON, 'c.py': PYTHON }
        const [a, b] = [machine(project, files), machine(project, files)]
        await a.at('run', 'lint', '.', '--json', '--fail-on', 'never')
        const command = [process.execPath, ...NODE_ARGS, BUNDLE, 'review'].join(' ')
        const child = spawn('script', ['-qec', command, '/dev/null'], {
          cwd: b.cwd,
          env: { ...b.own, TERM: 'xterm' },
        })
        const answers = ['l\r', 't\r', 'r\r']
        let seen = ''
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          seen += text
          if (seen.split('[?]').length > 4 - answers.length) child.stdin.write(answers.shift() ?? '')
        })
        await new Promise((resolve) => child.on('close', resolve))
        expect(seen).toContain('1 taken, 1 rejected, 1 left.')
        expect(['a.py', 'b.py', 'c.py'].map((path) => textOf(b.cwd, path))).toEqual([
          ...[PYTHON, PYTHON_FIXED, PYTHON],
        ])
        expect((await a.at('changes')).stdout).toMatch(/^# lint#1 .*: 1 file$/m)
        for (const { at } of [a, b]) expect((await at('verify')).code).toBe(0)
      },
    )

    test('a session that is imported, and one that hooks record, are known on the other machine', async () => {
      const project = randomUUID()
      const [a, b] = [machine(project), machine(project)]
      expect((await a.at('import', TRAJECTORY)).code).toBe(0)
      const told = (hook_event_name: string, more: object) =>
        execFileSync(process.execPath, [HOOK, 'claude-code', hook_event_name], {
          cwd: b.cwd,
          env: b.own,
          input: JSON.stringify({ session_id: 's-1', cwd: b.cwd, hook_event_name, ...more }),
          encoding: 'utf8',
        })
      expect(told('SessionStart', { source: 'startup' })).toContain('The invoice total is wrong')
      told('UserPromptSubmit', { prompt: 'Fix the imports of the shop' })
      const call = { tool_name: 'Bash', tool_use_id: 'call-1', tool_input: { command: 'ls' } }
      told('PostToolUse', { ...call, tool_response: { stdout: 'shop', stderr: '' } })
      expect((await a.at('runs')).stdout).not.toContain('claude-code')
      // The machine of the session takes them in as soon as anybody looks there.
      expect((await b.at('runs')).stdout).toContain('claude-code-s-1')
      const handover = await a.at('handover', 'claude-code-s-1')
      expect(handover.stdout).toContain('Fix the imports of the shop')
      expect((await a.at('verify', 'claude-code-s-1', AGENT)).code).toBe(0)
    })

    test('the page shows what another machine records, as it comes', async () => {
      const project = randomUUID()
      const [a, b] = [machine(project), machine(project)]
      const page = start(b.cwd, ['inspect', '--port', '0'], b.env)
      let link: RegExpExecArray | null = null
      while (!link) {
        await new Promise((resolve) => page.child.stdout?.once('data', resolve))
        link = /(http:\S+)\/#token=(\S+)/.exec(page.stdout())
      }
      const [, address = '', token = ''] = link
      const ask = (what: string) =>
        fetch(`${address}/api/${what}`, { headers: { authorization: `Bearer ${token}` } })
      const live = (await ask('live')).body?.getReader()
      expect((await a.at('import', TRAJECTORY)).code).toBe(0)
      // Told of is also, with 0, that all logs were looked at: that may be before this one came.
      for (let told = ''; !/"changed":[1-9]/.test(told); ) {
        const { done = true, value } = (await live?.read()) ?? {}
        expect(done).toBe(false)
        told += new TextDecoder().decode(value)
      }
      expect(await (await ask('agents')).json()).toMatchObject({ total: 1, agents: [{ agent_id: AGENT }] })
      const agent = (await (await ask(`agent/${AGENT}`)).json()) as { agent: { events: number } }
      expect(agent.agent.events).toBe(32)
      expect(await (await ask(`agent/${AGENT}/verify`)).json()).toMatchObject({ ok: true })
      page.child.kill('SIGINT')
      await page.ended
    })

    test('a job that fails five times is set aside with its error, and done once it can be', async () => {
      const project = randomUUID()
      const a = machine(project, { 'a.py': PYTHON })
      const git = (...args: string[]) =>
        execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: a.cwd })
      execFileSync('rm', ['-r', '.git'], { cwd: a.cwd })
      git('init', '-q')
      git('add', 'a.py')
      git('commit', '-qm', 'x')
      const run = start(
        a.cwd,
        ['run', 'lint', 'a.py', '--queue', '--from-git', '--json', '--fail-on', 'never'],
        a.env,
      )
      while (!(await a.at('queue')).stdout.includes('run-'))
        if (run.child.exitCode !== null) throw new Error(run.stderr())
      // A worker without a clone is given none of these; one whose clone has no such commit can only fail them.
      const worker = machine(project)
      expect((await worker.at('worker', '--drain')).stdout).toContain('0 done, 0 failed')
      const empty = folderWith()
      execFileSync('git', ['init', '-q'], { cwd: empty })
      expect((await worker.at('worker', '--drain', '--git', empty)).stdout).toContain('0 done, 5 failed')
      const [failed] = reportIn(await run.ended)
      expect(failed).toMatchObject({ stop: { reason: 'failed', summary: expect.stringContaining('a.py') } })
      const queue = await a.at('queue')
      expect(queue.stdout).toMatch(/set aside +\S+ \S+ +a\.py of the project is not in the store/)
      expect((await a.at('queue', 'retry')).stdout).toContain('1 job to be tried again')
      expect((await worker.at('worker', '--drain', '--git', a.cwd)).stdout).toContain('1 done, 0 failed')
      expect((await a.at('accept', '--all')).code).toBe(0)
      expect(textOf(a.cwd, 'a.py')).toBe(PYTHON_FIXED)
      expect((await a.at('queue', 'forget', '--all')).stdout).toContain('1 job forgotten')
    })

    test('a worker whose folder was cleared makes the project again', async () => {
      const project = randomUUID()
      const { cwd, env } = machine(project, { 'a.py': PYTHON })
      const worker = machine(project)
      const working = start(worker.cwd, ['worker', '--trust'], worker.env)
      const submit = async () =>
        reportIn(await start(cwd, ['run', 'lint', 'a.py', '--queue', '--trust', '--json'], env).ended)
      expect(await submit()).toMatchObject([{ stop: { reason: 'submitted' } }])
      const places = join(worker.cwd, '.agentfs/workers')
      for (const name of readdirSync(places))
        rmSync(join(places, name, 'projects'), { recursive: true, force: true })
      expect(await submit()).toMatchObject([{ stop: { reason: 'submitted' } }])
      expect(working.stdout()).not.toContain('failed')
      working.child.kill()
      await working.ended
    })

    test('no job is queued for a file that workers do not get', async () => {
      const key = 'ghp_q7Zk2mX9vB4nT8sL1wR6yD3fH5jK0pC2aGxE8M'
      const { cwd, env } = machine(randomUUID(), { 'a.py': `import os\n\nKEY = '${key}'\n` })
      const { code, stderr } = await start(cwd, ['run', 'lint', 'a.py', '--queue', '--trust'], env).ended
      expect(code).toBe(2)
      expect(stderr).toContain('Workers do not get a.py (it holds a secret).')
      expect(stderr).toContain('nothing was put into the queue')
    })

    test('a worker that cannot write down what came of a job lets go of its log', async () => {
      const project = randomUUID()
      const { cwd, env } = machine(project, { 'a.py': PYTHON })
      const run = start(cwd, ['run', 'lint', 'a.py', '--queue', '--trust'], env)
      await expect.poll(run.stderr, { timeout: 60_000 }).toContain('1 job of')
      const schema = `twotrack_${project}`
      const admin = connect({ url: shared, schema, connections: 1 })
      onTestFinished(() => admin.close())
      // As a version would that knows a state more.
      await admin.attempt((session) =>
        session.ask(`CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN NEW.state := ''{"is":"odd"}''; RETURN NEW; END';
          CREATE TRIGGER odd BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION odd()`),
      )
      const worker = start(cwd, ['worker', '--trust'], env)
      await expect.poll(worker.stdout, { timeout: 60_000 }).toContain('lost')
      const held = () => admin.ask('SELECT agent FROM log WHERE holder IS NOT NULL', [])
      await expect.poll(held).toEqual([])
      expect(worker.child.exitCode).toBeNull()
      worker.child.kill()
      await worker.ended
      const { stderr } = await run.ended
      expect(stderr).toContain('The run goes on without you. Follow it: twotrack queue follow run-')
      expect(stderr).toContain('Another version may have written it')
    })

    test('what postgresMigrations prints is all that a role without rights of its own needs', async () => {
      const [project, role] = [randomUUID(), `team_${process.pid}`]
      const admin = connect({ url: shared, schema: 'public', connections: 1 })
      onTestFinished(() => admin.close())
      await admin.ask(`CREATE ROLE ${role} LOGIN`, [])
      const url = shared.replace('//twotrack@', `//${role}@`)
      const { at } = machine(project, { 'a.py': PYTHON }, url)
      expect(await at('runs')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('postgresMigrations'),
      })
      const schema = `twotrack_${project}`
      const psql = () =>
        spawnSync('psql', ['-X', '-q', shared], { input: postgresMigrations(project), encoding: 'utf8' })
      expect(psql().stderr).toBe('')
      expect(psql().stderr).toContain('already exists')
      // A second time changes nothing.
      expect(await admin.ask(`SELECT count(*) AS rows FROM "${schema}".lists`, [])).toEqual([{ rows: 1 }])
      for (const rights of [
        `USAGE ON SCHEMA`,
        'ALL ON ALL TABLES IN SCHEMA',
        'ALL ON ALL SEQUENCES IN SCHEMA',
      ])
        await admin.ask(`GRANT ${rights} "${schema}" TO ${role}`, [])
      const ran = await at('run', 'lint', '.', '--json', '--fail-on', 'never')
      expect(reportIn(ran)).toMatchObject([{ stop: { reason: 'submitted' } }])
      expect((await at('accept', '--all')).code).toBe(0)
      // Only an owner may write a table anew: what that leaves is said.
      const redacted = await at('redact', 'semicolon', '--yes')
      expect(redacted).toMatchObject({ code: 0, stdout: expect.stringContaining('does not own it') })
      expect((await at('verify')).code).toBe(0)
      await admin.attempt((session) => session.ask(`DROP SCHEMA "${schema}" CASCADE; DROP ROLE ${role}`))
    })
  },
)
