import { agentRequests, loadAgents } from '../../agents/load.ts'
import { configFor } from '../../app/context.ts'
import { requestsOf, trustOf } from '../../app/trust.ts'
import { settingsRequest } from '../../trust/settings.ts'
import { forget, remember, trustFile } from '../../trust/store.ts'
import { digestOf } from '../../trust/trust.ts'
import type { CommandWords } from '../command.ts'
import { requestText, terminal } from '../front.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, paint, safe, self } from '../output.ts'

interface TrustCommandOptions extends CommonOptions {
  readonly yes?: boolean
  readonly list?: boolean
  readonly revoke?: boolean
}

/** Shows what this project brings that needs trust, and takes a decision about it. */
async function trustCommand(options: TrustCommandOptions): Promise<Found> {
  const loaded = configFor(options)
  const project = loaded.root
  if (options.revoke) return revoke(project)
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
  const isDecided = options.list || given || open.length === 0
  return {
    json: { project, requests: rows },
    code: isDecided ? 0 : 2,
    lines: () => [
      ...(given ? [] : requests.map(requestText)),
      ...rows.map(
        ({ kind, name, trusted }) =>
          `${trusted ? paint('green', 'trusted') : paint('red', 'not trusted')}  ${kind} ${safe(name)}`,
      ),
      rows.length === 0 && 'This project brings nothing that needs trust.',
      !isDecided && `Nothing was trusted. To trust what is shown above: ${self} trust --yes`,
    ],
  }
}

async function revoke(project: string): Promise<Found> {
  const revoked = await forget(trustFile(process.env), project)
  return {
    json: { project, revoked },
    lines: () => [`${count(revoked.length, 'decision')} about ${safe(project)} forgotten.`],
  }
}

export default {
  examples: [
    'trust',
    'trust --list --json',
    'trust --yes      # without being asked',
    'trust --revoke   # forget every decision about this project',
  ],
  options: [
    ['--yes', 'trust all that is shown'],
    ['--list', 'only show it'],
    ['--revoke', 'forget what was trusted of this project'],
  ],
  call: trustCommand,
} satisfies CommandWords
