import type { LoadedConfig } from '../config/load.ts'
import type { Tool } from '../tool/tool.ts'
import { settingsRequest } from '../trust/settings.ts'
import { remember, trustedIn, trustFile } from '../trust/store.ts'
import { digestOf, type TrustRequest, type Trusts, untrusted } from '../trust/trust.ts'
import { paint, remark, safe } from './output.ts'
import { askYes } from './terminal.ts'

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

export async function trustOf(project: string, { trust = false }: TrustOptions): Promise<ProjectTrust> {
  const file = trustFile(process.env)
  const digests = new Set((await trustedIn(file, project)).map(({ digest }) => digest))
  const trusts: Trusts = (request) => trust || digests.has(digestOf(request))
  return {
    trusts,
    async ask(requests) {
      const open = requests.filter((request) => !trusts(request))
      if (open.length === 0) return
      if (!(await agreed(open, project))) throw untrusted(open)
      await remember(file, project, open)
      for (const request of open) digests.add(digestOf(request))
    },
  }
}

/** The same, once the settings of the project's own file are trusted: no command that runs an agent goes on without. */
export async function trustFor(loaded: LoadedConfig, options: TrustOptions): Promise<ProjectTrust> {
  const trust = await trustOf(loaded.root, options)
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

/** Shows all of it and waits for a yes. Without a terminal nobody is there to give one. */
export async function agreed(requests: readonly TrustRequest[], project: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  remark(`${safe(project)} brings what can run code or decide where your text goes:\n`)
  for (const request of requests) remark(shown(request))
  return askYes('Do you trust it? You are asked again when it changes. [y/N] ')
}

/** All of a request, nothing in it hidden from the eye. */
export const shown = ({ kind, name, text }: TrustRequest): string =>
  [
    paint('bold', `${kind} ${safe(name)}`),
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `  ${safe(line)}`),
    '',
  ].join('\n')
