import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import type { EventFor } from '../../src/core/event/event.ts'
import { estimate } from '../../src/core/tokens/estimate.ts'
import { spooledIn } from '../../src/hook/spool.ts'
import { PACKET_TOKENS_DEFAULT } from '../../src/limits.ts'
import { jsonlStore } from '../../src/store/jsonl/jsonl.ts'
import { type StandIn, standIn } from './stand-in.ts'

/** Where `npm run test:harnesses` installed the programs. */
const INSTALLED = process.env['TWOTRACK_HARNESSES'] ?? ''
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
const LAST_WORDS = 'All thirty steps are done.'
const TURNS = 30
const KILLED_AT = 8
const MS_MAX = 900_000
const PROCESS_MS_MAX = 400_000

interface Program {
  readonly name: 'claude-code' | 'codex' | 'opencode'
  readonly binary: string
  /** Its settings for a model at this address, written below its home. */
  settings(home: string, project: string, url: string): Record<string, string>
  first(task: string): string[]
  /** Goes on with the session before. */
  again(task: string): string[]
  /** What makes it compact: a request of its own, or a turn that took so many tokens. */
  readonly compact: { readonly typed: string } | { readonly tokens: number }
}

const programs: readonly Program[] = [
  {
    name: 'claude-code',
    binary: '@anthropic-ai/claude-code-linux-x64/claude',
    settings(home, _, url) {
      const folder = join(home, 'claude')
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'settings.json'), JSON.stringify({ permissions: { allow: ['Bash'] } }))
      return {
        ...{ CLAUDE_CONFIG_DIR: folder, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'not-a-key' },
        ...{
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          DISABLE_TELEMETRY: '1',
        },
      }
    },
    first: (task) => ['-p', task],
    again: (task) => ['-p', '--continue', task],
    compact: { typed: '/compact' },
  },
  {
    name: 'codex',
    binary: '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    settings(home, _, url) {
      const folder = join(home, 'codex')
      mkdirSync(folder, { recursive: true })
      const provider = `name = "own"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequires_openai_auth = false\n`
      const own = 'model = "gpt-5"\nmodel_provider = "own"\nmodel_auto_compact_token_limit = 50000\n'
      writeFileSync(join(folder, 'config.toml'), `${own}[model_providers.own]\n${provider}`)
      return { CODEX_HOME: folder }
    },
    first: (task) => ['exec', ...CODEX, task],
    again: (task) => ['exec', ...CODEX, 'resume', '--last', task],
    compact: { tokens: 60_000 },
  },
  {
    name: 'opencode',
    binary: 'opencode-linux-x64/bin/opencode',
    settings(_, project, url) {
      const model = { name: 'm', limit: { context: 60_000, output: 4_000 } }
      const options = { baseURL: `${url}/v1`, apiKey: 'x' }
      const provider = {
        own: { npm: '@ai-sdk/openai-compatible', name: 'own', options, models: { m: model } },
      }
      const settings = { autoupdate: false, share: 'disabled', model: 'own/m', provider }
      writeFileSync(join(project, 'opencode.json'), JSON.stringify(settings))
      return {}
    },
    first: (task) => ['run', task],
    again: (task) => ['run', '--continue', task],
    compact: { tokens: 59_500 },
  },
]
const CODEX = ['--dangerously-bypass-approvals-and-sandbox', '--dangerously-bypass-hook-trust', '--trust']

describe.each(programs)('$name, the real program', (program) => {
  const binary = join(INSTALLED, 'node_modules', program.binary)
  const isHere = INSTALLED !== '' && existsSync(binary)
  let top = ''
  let server: StandIn
  let env: Record<string, string> = {}
  const project = () => join(top, 'project')

  beforeEach(async () => {
    if (!isHere) return
    top = realpathSync(mkdtempSync(join(tmpdir(), 'twotrack-harness-')))
    mkdirSync(join(top, 'project', '.git'), { recursive: true })
    server = await standIn()
    const home = join(top, 'home')
    const state = process.env['XDG_STATE_HOME'] ?? join(home, 'state')
    env = {
      HOME: home,
      XDG_STATE_HOME: state,
      PATH: '/usr/bin:/bin',
      ...program.settings(home, project(), server.url),
    }
  })
  afterEach(async () => {
    await server?.close()
    if (top !== '') rmSync(top, { recursive: true, force: true })
  })

  function start(args: readonly string[]): ChildProcess {
    return spawn(binary, args, { cwd: project(), env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  }
  /** Runs to its end and gives what it printed. */
  async function run(args: readonly string[]): Promise<string> {
    const child = start(args)
    let printed = ''
    child.stdout?.on('data', (chunk) => {
      printed += chunk
    })
    child.stderr?.resume()
    const late = setTimeout(() => killGroup(child), PROCESS_MS_MAX)
    await once(child, 'close')
    clearTimeout(late)
    return printed
  }
  const killGroup = (child: ChildProcess) => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
  async function twotrack(...args: string[]): Promise<string> {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: project(),
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.on('data', (chunk) => {
      printed += chunk
    })
    await once(child, 'close')
    return printed
  }
  const sessions = async () =>
    JSON.parse(await twotrack('runs', '--json')).filter(
      ({ agent_id, run_id }: Record<string, string>) => agent_id === run_id,
    )

  /** Thirty turns, killed at the eighth while an answer is awaited, and a compaction on the way. */
  async function thirtyTurns() {
    const ran: string[] = []
    let compactedAt = -1
    const begun = server.asked.length
    server.tokens = () => 1_000
    server.answer = (turn) => {
      if (ran.length >= TURNS) return LAST_WORDS
      const id = `call_${turn}`
      ran.push(id)
      return { id, command: `echo step ${ran.length}; seq 1 400` }
    }
    const held = server.hold(begun + KILLED_AT)
    const child = start(program.first('Do thirty steps.'))
    child.stdout?.resume()
    child.stderr?.resume()
    await held
    killGroup(child)
    await once(child, 'close')

    const { compact } = program
    if ('typed' in compact) {
      await run(program.again(compact.typed))
      compactedAt = server.asked.length
    } else
      server.tokens = (turn) => {
        if (compactedAt >= 0 || turn <= begun + KILLED_AT + 6) return 1_000
        compactedAt = turn + 1
        return compact.tokens
      }
    const printed = await run(program.again('Go on.'))
    return { ran, printed, compactedAt, asked: server.asked.slice(begun) }
  }

  async function recorded(agentId: string) {
    const store = jsonlStore({ folder: join(project(), '.agentfs') })
    const calls: EventFor<'tool_call'>[] = []
    const results: EventFor<'tool_result'>[] = []
    for await (const event of store.read(agentId)) {
      if (event.type === 'tool_call') calls.push(event)
      if (event.type === 'tool_result') results.push(event)
    }
    expect((await verifyLog(store, agentId)).findings).toEqual([])
    await store.close()
    return { calls: calls.map(({ data }) => data.call_id), results }
  }

  test.skipIf(!isHere)(
    `thirty turns, a kill and a compaction, as without the hook (${isHere ? binary : 'not installed: npm run test:harnesses'})`,
    async () => {
      const without = await thirtyTurns()
      await twotrack('hook', 'install', program.name, '--yes')
      const { ran, printed, compactedAt, asked } = await thirtyTurns()

      // Its own answer is what it was, and it asked its model as often.
      expect(printed).toContain(LAST_WORDS)
      expect(printed.replaceAll(/call_\d+/g, 'call')).toBe(without.printed.replaceAll(/call_\d+/g, 'call'))
      expect(ran).toHaveLength(TURNS)
      expect(without.ran).toHaveLength(TURNS)
      expect(asked).toHaveLength(without.asked.length)
      expect(server.summaries.length).toBeGreaterThan(1)

      // Each call once, in its order.
      const [whole, ...others] = await sessions()
      expect(others).toEqual([])
      expect(spooledIn(project())).toEqual([])
      const { calls, results } = await recorded(whole.agent_id)
      expect(calls).toEqual(ran)
      expect(results.map(({ data }) => data.call_id)).toEqual(ran)
      expect(results.every(({ raw }, at) => String(raw?.['raw_output']).includes(`step ${at + 1}\n`))).toBe(
        true,
      )

      // The packet is in the request that follows the compaction, and was in none before.
      const hasPacket = server.asked.map(({ body }) =>
        body.includes(`<twotrack session=\\"${whole.agent_id}\\"`),
      )
      expect(hasPacket.slice(0, compactedAt)).not.toContain(true)
      expect(hasPacket[compactedAt]).toBe(true)
      const body = server.asked[compactedAt]?.body ?? ''
      expect(body).toContain('Do thirty steps.')
      // Whole: a harness cuts what is too long for it.
      expect(body).toContain('</twotrack>')
      expect(await twotrack('handover')).toContain('Do thirty steps.')

      // A new session is given it too; without the hook it is not.
      await run(program.first('Something new.'))
      expect(server.asked.at(-1)?.body).toContain(whole.agent_id)
      await twotrack('hook', 'remove', program.name, '--yes')
      await run(program.first('And again.'))
      expect(server.asked.at(-1)?.body).not.toContain('<twotrack session')
    },
    MS_MAX,
  )

  test.skipIf(!isHere || program.name !== 'opencode')(
    `the packet in place of the history (${program.name === 'opencode' ? 'opencode alone can' : 'has no hook that can'})`,
    async () => {
      await twotrack('hook', 'install', program.name, '--instead', '--yes')
      const { ran, printed, asked } = await thirtyTurns()
      expect(printed).toContain(LAST_WORDS)
      const [whole, ...others] = await sessions()
      expect(others).toEqual([])
      expect((await recorded(whole.agent_id)).calls).toEqual(ran)

      // One message of a person beside the system's own: the packet, with the newest output in it.
      const given = asked.map(({ body }) =>
        JSON.parse(body).messages.filter(({ role }: { role: string }) => role !== 'system'),
      )
      expect(given.map((messages) => messages.length)).toEqual(given.map(() => 1))
      const texts = given.map(([{ content }]) =>
        typeof content === 'string'
          ? content
          : content.map(({ text }: { text?: string }) => text ?? '').join('\n'),
      )
      expect(Math.max(...texts.map((text) => estimate.count(text)))).toBeLessThanOrEqual(
        PACKET_TOKENS_DEFAULT,
      )
      for (const text of texts.slice(1)) expect(text).toContain('Do thirty steps.')
      expect(texts.at(-1)).toContain('step 30')
    },
    MS_MAX,
  )
})
