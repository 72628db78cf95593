import { agentRequests, loadAgents } from '../agents/load.ts'
import type { LoadedConfig } from '../config/load.ts'
import { TwotrackError } from '../errors.ts'
import type { Tool } from '../tool/tool.ts'
import { recordsRequest } from '../trust/records.ts'
import { decideRecords, settingsRequest } from '../trust/settings.ts'
import { forgetTrust, remember, trustedIn, trustFile } from '../trust/store.ts'
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
  const digests = await digestsOf(project)
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

const digestsOf = async (project: string): Promise<Set<string>> =>
  new Set((await trustedIn(trustFile(process.env), project)).map(({ digest }) => digest))

/**
 * Throws `untrusted` unless the records in a folder of a project are this person's or were admitted, and what the
 * project's own file says of them is trusted. `--trust` admits none: what logs say is not seen while code is looked at.
 */
export async function requireAdmitted(
  loaded: LoadedConfig,
  folder: string | undefined,
  trusts?: Trusts,
): Promise<void> {
  const isKnown = async (request: TrustRequest) => (await digestsOf(loaded.root)).has(digestOf(request))
  const settings = decideRecords(loaded) ? await settingsRequest(loaded) : undefined
  if (settings && !(trusts ? trusts(settings) : await isKnown(settings))) throw untrusted([settings])
  const records = folder === undefined ? undefined : await recordsRequest(loaded.root, folder)
  if (records === undefined || (await isKnown(records))) return
  throw new TwotrackError(
    'untrusted',
    `${folder} may have come with the project, from somebody else, so nothing in it is used: ${records.text.trimEnd().replace('\n', '; ')}. ` +
      'See whose it is and which logs it has, and admit it: "twotrack trust --logs". ' +
      'Or remove it, or name another folder with --folder.',
    { details: { requests: [{ kind: records.kind, name: records.name, digest: digestOf(records) }] } },
  )
}

/** The same, once the settings of the project's own file are trusted: no command that runs an agent goes on without. */
export async function trustFor(
  loaded: LoadedConfig,
  options: TrustOptions,
  front: Front,
): Promise<ProjectTrust> {
  const trust = await trustOf(loaded.root, options, front)
  const settings = await settingsRequest(loaded)
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
  const settings = await settingsRequest(loaded)
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
export const revokeTrust = (project: string) => forgetTrust(trustFile(process.env), project)
