import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { loadAgents } from '../../agents/load.ts'
import { configFor, folderOf } from '../../app/context.ts'
import { configWithModel, type ModelOptions, modelFor, reachable } from '../../app/model.ts'
import { type TrustOptions, trustOf } from '../../app/trust.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { messageOf, OPTIONAL_PACKAGES } from '../../errors.ts'
import { harmlessEnvironment } from '../../files/harmless-environment.ts'
import { Memory } from '../../memory.ts'
import { modelFaultOf } from '../../model/faults.ts'
import { parseNodes } from '../../nodes/parse.ts'
import { memoryStore } from '../../store/memory.ts'
import { type CommandWords, MODEL, TRUST } from '../command.ts'
import { terminal } from '../front.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, safe, wrapped } from '../output.ts'

const PROGRAM_MS_MAX = 10_000

type DoctorOptions = CommonOptions & TrustOptions & ModelOptions

/** What a run needs, and how to find out: each says what is there, or throws what is missing. */
const checks: Readonly<Record<string, (options: DoctorOptions) => string | Promise<string>>> = {
  // Older ones do not come so far (main.ts).
  'Node.js': () => `v${process.versions.node}`,
  configuration: (options) => configFor(options).file ?? 'defaults (no twotrack.yaml)',
  'folder of the logs': writable,
  parsers,
  'packages for agents on code': packages,
  agents: agentsHere,
  model: modelHere,
  'python3, for Python tests': () => program('python3'),
  git: () => program('git'),
}

/** Looks at everything a run needs and says what is missing. */
async function doctorCommand(options: DoctorOptions): Promise<Found> {
  const findings: { what: string; ok: boolean; says: string }[] = []
  for (const [what, check] of Object.entries(checks))
    try {
      findings.push({ what, ok: true, says: await check(options) })
    } catch (thrown) {
      findings.push({ what, ok: false, says: messageOf(thrown) })
    }
  return {
    json: findings,
    code: findings.every(({ ok }) => ok) ? 0 : 1,
    lines: () =>
      findings.map(({ what, ok, says }) =>
        wrapped(`${ok ? paint('green', '✓') : paint('red', '✗')} ${what}: ${safe(says)}`, 0, 2),
      ),
  }
}

async function writable(options: CommonOptions): Promise<string> {
  const { config, root } = configFor(options)
  const folder = folderOf(config, root)
  // The folder may not be there yet: then the one above must take it.
  const there = await access(folder).then(
    () => true,
    () => false,
  )
  await access(there ? folder : dirname(folder), constants.W_OK)
  return folder
}

async function parsers(): Promise<string> {
  const python = await parseNodes('a.py', 'def run(): pass\n')
  const script = await parseNodes('a.ts', 'export function run(): void {}\n')
  if (python.nodes.length < 2 || script.nodes.length < 2) throw new Error('the grammars do not load')
  return 'Python, TypeScript, JavaScript'
}

function packages(): string {
  const absent = OPTIONAL_PACKAGES.filter((name) => !isInstalled(name))
  if (absent.length > 0) throw new Error(`not installed: npm install ${absent.join(' ')}`)
  return OPTIONAL_PACKAGES.join(', ')
}

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    return false
  }
}

async function agentsHere(options: DoctorOptions): Promise<string> {
  const { root: project } = configFor(options)
  const { agents, problems } = await loadAgents({
    project,
    trusts: (await trustOf(project, options, terminal)).trusts,
  })
  const [problem] = problems
  if (problem) throw new Error(`${problem.source}: ${problem.message}`)
  return [...agents.keys()].join(', ')
}

async function modelHere(options: DoctorOptions): Promise<string> {
  const loaded = configWithModel(options)
  const { name, ok, message } = await reachable(
    loaded,
    (await trustOf(loaded.root, options, terminal)).trusts,
    terminal,
  )
  if (!ok) throw new Error(`${name}: ${message}`)
  if (loaded.config.model.adapter === 'first-candidate') return `${name} (${message})`
  return `${name} ${await smallCall(loaded)}`
}

async function program(name: string): Promise<string> {
  const options = { timeout: PROGRAM_MS_MAX, env: harmlessEnvironment(process.env) }
  return (await promisify(execFile)(name, ['--version'], options)).stdout.trim()
}

const TOOL = {
  name: 'say',
  description: 'Says one word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
}
const ANSWER_TOKENS_MAX = 64

/**
 * Asks the model for one small call: a wrong name, a key that is missing or a server that is something else show here
 * instead of in a hundred agents. Says how it went, and rejects where nothing came.
 */
async function smallCall(loaded: LoadedConfig): Promise<string> {
  const { config, sources } = loaded
  const model = modelFor(
    {
      ...loaded,
      config: { ...config, model: { ...config.model, max_tokens: ANSWER_TOKENS_MAX } },
      sources: { ...sources, 'model.max_tokens': '--set' },
    },
    terminal,
  )
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'small-call', goal: 'Say "ready".', tools: [TOOL] })
  const begun = performance.now()
  try {
    const request = { prompt: await memory.prompt(), tools: [TOOL], callRequired: true }
    const { calls } = await model.answer(request, new AbortController().signal)
    const took = `${Math.round(performance.now() - begun)} ms`
    return calls.length > 0 ? `made a call in ${took}` : `answered in ${took}, with words instead of a call`
  } catch (thrown) {
    // One that thinks first has not come to its call within so few tokens; it is there.
    if (modelFaultOf(thrown)?.kind === 'truncated') return 'answers'
    throw thrown
  } finally {
    await memory.close()
    await store.close()
  }
}

export default {
  examples: ['doctor', 'doctor --model ollama:qwen3', 'doctor --json'],
  options: [...MODEL, TRUST],
  call: doctorCommand,
} satisfies CommandWords
