import { agentRequests, loadAgents } from '../../agents/load.ts'
import { configFor } from '../../app/context.ts'
import { requestsOf, trustOf } from '../../app/trust.ts'
import { TwotrackError } from '../../errors.ts'
import { settingsRequest } from '../../trust/settings.ts'
import { forget, remember, trustFile } from '../../trust/store.ts'
import { digestOf } from '../../trust/trust.ts'
import { shown, terminal } from '../front.ts'
import type { CommonOptions } from '../options.ts'
import { count, paint, print, printJson, safe, self } from '../output.ts'

export interface TrustCommandOptions extends CommonOptions {
  readonly yes?: boolean
  readonly list?: boolean
  readonly revoke?: boolean
}

/** Shows what this project brings that needs trust, and takes a decision about it. */
export async function trustCommand(options: TrustCommandOptions): Promise<number> {
  const loaded = configFor(options)
  const project = loaded.root
  if (options.revoke) return revoke(project, options)
  const settings = settingsRequest(loaded)
  const builtIn = [...(await loadAgents({})).agents.values()].flatMap(({ tools }) => tools)
  const requests = [
    ...(settings ? [settings] : []),
    ...(await agentRequests(project)),
    ...(await requestsOf(builtIn, project)),
  ]
  const { trusts } = await trustOf(project, {}, terminal)
  const open = requests.filter((request) => !trusts(request))
  const given =
    !options.list && open.length > 0 && (options.yes === true || (await terminal.agrees(open, project)))
  if (given) await remember(trustFile(process.env), project, open)
  const rows = requests.map((one) => ({ ...one, digest: digestOf(one), trusted: given || trusts(one) }))
  if (options.json) printJson({ project, requests: rows })
  else {
    if (!given) for (const request of requests) print(shown(request))
    for (const { kind, name, trusted } of rows)
      print(`${trusted ? paint('green', 'trusted') : paint('red', 'not trusted')}  ${kind} ${safe(name)}`)
    if (rows.length === 0) print('This project brings nothing that needs trust.')
  }
  if (options.list || given || open.length === 0) return 0
  throw new TwotrackError(
    'untrusted',
    `Nothing was trusted. To trust what is shown above: ${self} trust --yes`,
  )
}

async function revoke(project: string, options: CommonOptions): Promise<number> {
  const gone = await forget(trustFile(process.env), project)
  if (options.json) printJson({ project, revoked: gone })
  else print(`${count(gone.length, 'decision')} about ${safe(project)} forgotten.`)
  return 0
}
