import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { loadAgents } from '../../agents/load.ts'
import { messageOf, OPTIONAL_PACKAGES } from '../../errors.ts'
import { harmlessEnvironment } from '../../files/harmless-environment.ts'
import { parseNodes } from '../../nodes/parse.ts'
import { type CommonOptions, configFor } from '../context.ts'
import { folderOf } from '../job.ts'
import { modelAssignments, reachable } from '../model.ts'
import { paint, print, printJson, safe, wrapped } from '../output.ts'
import { smallCall } from '../small-call.ts'
import { type TrustOptions, trustOf } from '../trust.ts'

const PROGRAM_MS_MAX = 10_000

type DoctorOptions = CommonOptions & TrustOptions & { readonly model?: string; readonly url?: string }

interface Finding {
  readonly what: string
  readonly ok: boolean
  readonly says: string
}

/** Looks at everything a run needs and says what is missing. */
export async function doctorCommand(options: DoctorOptions): Promise<number> {
  const findings = [
    await look('Node.js', async () => nodeVersion()),
    await look('configuration', async () => configFor(options).file ?? 'defaults (no twotrack.yaml)'),
    await look('folder of the logs', async () => writable(options)),
    await look('parsers', async () => parsers()),
    await look('packages for agents on code', async () => packages()),
    await look('agents', async () => agentsHere(options)),
    await look('model', async () => modelHere(options)),
    await look('python3, for Python tests', async () => program('python3', ['--version'])),
    await look('git', async () => program('git', ['--version'])),
  ]
  if (options.json) printJson(findings)
  else
    for (const { what, ok, says } of findings)
      print(wrapped(`${ok ? paint('green', '✓') : paint('red', '✗')} ${what}: ${safe(says)}`, 0, 2))
  return findings.every(({ ok }) => ok) ? 0 : 1
}

async function look(what: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { what, ok: true, says: await check() }
  } catch (thrown) {
    return { what, ok: false, says: messageOf(thrown) }
  }
}

function nodeVersion(): string {
  const major = Number(process.versions.node.split('.')[0])
  if (major < 24) throw new Error(`v${process.versions.node}; 24 or newer is needed`)
  return `v${process.versions.node}`
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
  const { agents, problems } = await loadAgents({ project, trusts: (await trustOf(project, options)).trusts })
  const [problem] = problems
  if (problem) throw new Error(`${problem.source}: ${problem.message}`)
  return [...agents.keys()].join(', ')
}

async function modelHere(options: DoctorOptions): Promise<string> {
  const loaded = configFor({ ...options, set: [...(options.set ?? []), ...modelAssignments(options)] })
  const { name, ok, message } = await reachable(loaded, (await trustOf(loaded.root, options)).trusts)
  if (!ok) throw new Error(`${name}: ${message}`)
  if (loaded.config.model.adapter === 'first-candidate') return `${name} (${message})`
  return `${name} ${await smallCall(loaded)}`
}

async function program(name: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(name, args, {
    timeout: PROGRAM_MS_MAX,
    env: harmlessEnvironment(process.env),
  })
  return stdout.trim()
}
