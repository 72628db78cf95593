import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { loadAgents } from '../agents/load.ts'
import type { LoadedConfig } from '../config/load.ts'
import { installCommand, messageOf, OPTIONAL_PACKAGES, TwotrackError } from '../errors.ts'
import { harmlessEnvironment } from '../files/harmless-environment.ts'
import { Memory } from '../memory.ts'
import { modelFaultOf } from '../model/faults.ts'
import { parseNodes } from '../nodes/parse.ts'
import { memoryStore } from '../store/memory.ts'
import { configFor, type ProjectOptions, projectFor } from './context.ts'
import type { Front } from './front.ts'
import { configWithModel, type ModelOptions, modelFor, reachable } from './model.ts'
import { type TrustOptions, trustOf } from './trust.ts'

const PROGRAM_MS_MAX = 10_000

export type DoctorOptions = ProjectOptions & TrustOptions & ModelOptions

/** What a run needs, and how to find out: each says what is there, or throws what is missing. */
const checks: Readonly<Record<string, (options: DoctorOptions, front: Front) => string | Promise<string>>> = {
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

/** What was looked at, whether it is there, and what it says. */
export interface Checkup {
  readonly what: string
  readonly ok: boolean
  readonly says: string
}

/** Looks at everything a run needs and says what is missing. */
export async function checkUp(options: DoctorOptions, front: Front): Promise<Checkup[]> {
  const found: Checkup[] = []
  for (const [what, check] of Object.entries(checks))
    try {
      found.push({ what, ok: true, says: await check(options, front) })
    } catch (thrown) {
      const says = messageOf(thrown)
      const told = found.find((one) => !one.ok && one.says === says)
      found.push({ what, ok: false, says: told ? `the same as for ${told.what}` : says })
    }
  return found
}

async function writable(options: ProjectOptions): Promise<string> {
  const { folder } = await projectFor(options)
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
  if (absent.length > 0) throw new Error(`not installed: ${installCommand(absent)}`)
  return OPTIONAL_PACKAGES.join(', ')
}

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== ''
  } catch {
    return false
  }
}

/** The agents of a project and the built-in ones, or what keeps some from being used. */
async function agentsHere(options: DoctorOptions, front: Front): Promise<string> {
  const { root: project } = configFor(options)
  const { trusts } = await trustOf(project, options, front)
  const { agents, problems } = await loadAgents({ project, trusts })
  if (problems.length > 0)
    throw new Error(problems.map(({ source, message }) => `${source}: ${message}`).join('; '))
  return [...agents.values()].map(({ definition, source }) => `${definition.name} (${source})`).join(', ')
}

async function modelHere(options: DoctorOptions, front: Front): Promise<string> {
  const loaded = configWithModel(options)
  const { trusts } = await trustOf(loaded.root, options, front)
  const { name, ok, message } = await reachable(loaded, trusts, front)
  if (!ok) throw new Error(`${name}: ${message}`)
  if (loaded.config.model.adapter === 'first-candidate') return `${name} (${message})`
  return `${name} ${await smallCall(loaded, front)}`
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
async function smallCall(loaded: LoadedConfig, front: Front): Promise<string> {
  const { config, sources } = loaded
  const model = modelFor(
    {
      ...loaded,
      config: { ...config, model: { ...config.model, max_tokens: ANSWER_TOKENS_MAX } },
      sources: { ...sources, 'model.max_tokens': '--set' },
    },
    front,
  )
  const store = memoryStore()
  const memory = await Memory.open({ store, agentId: 'small-call', goal: 'Say "ready".', tools: [TOOL] })
  const begun = performance.now()
  try {
    const request = { prompt: await memory.prompt(), tools: [TOOL], callRequired: true }
    const { calls } = await model.answer(request, new AbortController().signal)
    const took = `${Math.round(performance.now() - begun)} ms`
    if (calls.length > 0) return `made a call in ${took}`
    throw new TwotrackError(
      'model_fault',
      `it answered in ${took}, with words instead of a call, and agents work by calls. Take a model that makes tool calls, and let its server read them (--jinja for llama-server, --enable-auto-tool-choice for vLLM).`,
    )
  } catch (thrown) {
    // One that thinks first has not come to its call within so few tokens; it is there.
    if (modelFaultOf(thrown)?.kind === 'truncated') return 'answers'
    throw thrown
  } finally {
    await memory.close()
    await store.close()
  }
}
