import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Agent, AgentCode } from '../agent/agent.ts'
import { type AgentProblem, parseAgent } from '../agent/parse.ts'
import { resolveAgent } from '../agent/resolve.ts'
import { readConfigFile } from '../config/file.ts'
import { codeOf, messageOf, TwotrackError } from '../errors.ts'
import { inside } from '../files/confine.ts'
import { readInside } from '../files/files.ts'
import { filesText, filesUnder } from '../trust/files.ts'
import type { TrustRequest, Trusts } from '../trust/trust.ts'
import { allCode, builtInCode } from './built-in.ts'

export interface LoadedAgents {
  readonly agents: Map<string, Agent>
  /** What keeps an agent from being used; it is then not among the agents. */
  readonly problems: readonly AgentProblem[]
}

export interface AgentsWanted {
  readonly project?: string
  /** What of the project a person trusts; an agent of the project that nobody trusts is not loaded. */
  readonly trusts?: Trusts
  /** The one that is wanted; all, unless given. */
  readonly only?: string
}

const BUILT_IN = 'built-in'
const NOT_TRUSTED = 'not trusted, so it is not used; see it and decide with "twotrack trust"'

/**
 * The built-in agents and those of a project (`agents/<name>/agent.yaml`). A project's agent that a person trusts
 * replaces the built-in one of its name. One that can't be used is a problem of its own and does not keep the others
 * from being used.
 */
export async function loadAgents({ project, trusts, only }: AgentsWanted): Promise<LoadedAgents> {
  const agents = new Map<string, Agent>()
  const problems: AgentProblem[] = []
  const take = (name: string, loaded: Agent | { problems: readonly AgentProblem[] }) => {
    if ('problems' in loaded) problems.push(...loaded.problems)
    else agents.set(name, loaded)
  }
  const isWanted = (name: string) => only === undefined || only === name
  for (const [name, code] of Object.entries(builtInCode))
    if (isWanted(name)) take(name, await builtInAgent(name, await code()))
  if (project !== undefined)
    for (const name of (await folderNames(join(project, 'agents'))).filter(isWanted)) {
      const loaded = await projectAgent(project, name, trusts)
      if (loaded === undefined) continue
      // Its owner meant to replace it: running the built-in one instead would be a surprise.
      agents.delete(name)
      take(name, loaded)
    }
  return { agents, problems }
}

/** The agents of a project, each with all files of its folder: what a person is shown before they trust it. */
export async function agentRequests(project: string): Promise<TrustRequest[]> {
  const requests: TrustRequest[] = []
  for (const name of await folderNames(join(project, 'agents'))) {
    const request = await agentRequest(project, name)
    if (request) requests.push(request)
  }
  return requests
}

/** The agent of that name in the project; undefined if there is none. */
export async function agentRequest(project: string, name: string): Promise<TrustRequest | undefined> {
  const folder = `agents/${name}`
  const files = (await folderNames(join(project, 'agents'))).includes(name)
    ? await filesUnder(project, folder)
    : []
  if (!files.includes(`${folder}/agent.yaml`)) return undefined
  return { kind: 'agent', name, text: await filesText(project, files) }
}

async function builtInAgent(name: string, code: AgentCode) {
  const file = fileURLToPath(new URL(`./${name}/agent.yaml`, import.meta.url))
  const parsed = parseAgent(await readFile(file, 'utf8'), file)
  if ('problems' in parsed) return parsed
  const none = () => Promise.reject(new TwotrackError('bad_argument', 'a built-in agent has no files'))
  return resolveAgent({ ...parsed, source: BUILT_IN, code, readScript: none, loadModule: none })
}

async function projectAgent(project: string, folder: string, trusts: Trusts | undefined) {
  const source = `agents/${folder}/agent.yaml`
  let text: string
  try {
    const request = await agentRequest(project, folder)
    if (!request) return undefined
    if (trusts?.(request) !== true) return { problems: [{ source, message: NOT_TRUSTED }] }
    text = readConfigFile(await inside(project, source))
  } catch (thrown) {
    return { problems: [{ source, message: messageOf(thrown) }] }
  }
  const parsed = parseAgent(text, source)
  if ('problems' in parsed) return parsed
  const { definition, at } = parsed
  if (definition.name !== folder) {
    const message = `name is "${definition.name}", and its folder is "${folder}"; give both the same name`
    return { problems: [{ ...at(['name']), message }] }
  }
  const home = join(project, 'agents', folder)
  const readScript = async (path: string) => (await readInside(home, path)).toString()
  const loadModule = (path: string) => defaultOf(home, path)
  return resolveAgent({ ...parsed, source, code: await allCode(), readScript, loadModule })
}

async function defaultOf(home: string, path: string): Promise<unknown> {
  const module: { readonly default?: unknown } = await import(pathToFileURL(await inside(home, path)).href)
  return module.default
}

async function folderNames(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort()
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return []
    throw new TwotrackError('io', `${folder} can't be read: ${messageOf(thrown)}`, { cause: thrown })
  }
}

export { runTestsOf } from './built-in.ts'
