import { agentRequests, loadAgents } from '../agents/load.ts'
import type { LoadedConfig } from '../config/load.ts'
import type { Tool } from '../tool/tool.ts'
import { settingsRequest } from '../trust/settings.ts'
import { forget, remember, trustedIn, trustFile } from '../trust/store.ts'
import { digestOf, type TrustRequest, type Trusts, untrusted } from '../trust/trust.ts'
import type { Front } from './front.ts'

export interface TrustOptions {
  /** Everything that this project brings is trusted, for this command. */
  readonly trust?: boolean
}

/** What a person trusts of the project of a command, and the way to ask them. */
export interface ProjectTrust {
  readonly trusts: Trusts
  /** Asks for what is not trusted yet. Throws `untrusted` where nobody can be asked, or where the answer is no. */
  ask(requests: readonly TrustRequest[]): Promise<void>
}

export async function trustOf(
  project: string,
  { trust = false }: TrustOptions,
  front: Front,
): Promise<ProjectTrust> {
  const file = trustFile(process.env)
  const digests = new Set((await trustedIn(file, project)).map(({ digest }) => digest))
  const trusts: Trusts = (request) => trust || digests.has(digestOf(request))
  return {
    trusts,
    async ask(requests) {
      const open = requests.filter((request) => !trusts(request))
      if (open.length === 0) return
      if (!(await front.agrees(open, project))) throw untrusted(open)
      await remember(file, project, open)
      for (const request of open) digests.add(digestOf(request))
    },
  }
}

/** The same, once the settings of the project's own file are trusted: no command that runs an agent goes on without. */
export async function trustFor(
  loaded: LoadedConfig,
  options: TrustOptions,
  front: Front,
): Promise<ProjectTrust> {
  const trust = await trustOf(loaded.root, options, front)
  const settings = settingsRequest(loaded)
  await trust.ask(settings ? [settings] : [])
  return trust
}

/** What the calls of these tools would run or load of the project, each once. */
export async function requestsOf(tools: readonly Tool[], project: string): Promise<TrustRequest[]> {
  const asked = new Set(tools.map(({ trustRequests }) => trustRequests))
  const requests = new Map<string, TrustRequest>()
  for (const ask of asked)
    for (const request of (await ask?.(project)) ?? []) requests.set(digestOf(request), request)
  return [...requests.values()]
}

/** What a project brings that needs trust, and whether it has it. */
export interface TrustReview {
  readonly project: string
  readonly requests: readonly (TrustRequest & { readonly digest: string; readonly trusted: boolean })[]
}

/** Looks at all of it; with `decide` asks the person about what is open, or takes a `yes` as given. */
export async function reviewTrust(
  loaded: LoadedConfig,
  { decide, yes }: { readonly decide: boolean; readonly yes: boolean },
  front: Front,
): Promise<TrustReview> {
  const project = loaded.root
  const settings = settingsRequest(loaded)
  const builtIn = [...(await loadAgents({})).agents.values()].flatMap(({ tools }) => tools)
  const requests = [
    ...(settings ? [settings] : []),
    ...(await agentRequests(project)),
    ...(await requestsOf(builtIn, project)),
  ]
  const { trusts } = await trustOf(project, {}, front)
  const open = requests.filter((request) => !trusts(request))
  const given = decide && open.length > 0 && (yes || (await front.agrees(open, project)))
  if (given) await remember(trustFile(process.env), project, open)
  const rows = requests.map((one) => ({ ...one, digest: digestOf(one), trusted: given || trusts(one) }))
  return { project, requests: rows }
}

/** Forgets every decision about a project; gives what was trusted. */
export const revokeTrust = (project: string) => forget(trustFile(process.env), project)
