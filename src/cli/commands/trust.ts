import { configFor } from '../../app/context.ts'
import { admitRecords, recordsOf } from '../../app/records.ts'
import { reviewTrust, revokeTrust } from '../../app/trust.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { CommandWords } from '../command.ts'
import { isAtTerminal, requestText, terminal } from '../front.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, paint, remark, safe, self, table } from '../output.ts'
import { askYes } from '../terminal.ts'

interface TrustCommandOptions extends CommonOptions {
  readonly yes?: boolean
  readonly list?: boolean
  readonly revoke?: boolean
  readonly logs?: boolean
}

/** Shows what this project brings that needs trust, and takes a decision about it. */
async function trustCommand({ list = false, yes = false, ...options }: TrustCommandOptions): Promise<Found> {
  const loaded = configFor(options)
  if (options.revoke) return revoke(loaded.root)
  if (options.logs) return logsHere(loaded, { list, yes })
  const found = await reviewTrust(loaded, { decide: !list, yes }, terminal)
  const { requests } = found
  const isDecided = list || requests.every(({ trusted }) => trusted)
  return {
    json: found,
    code: isDecided ? 0 : 2,
    lines: () => [
      ...(!list && isDecided ? [] : requests.map(requestText)),
      ...requests.map(
        ({ kind, name, trusted }) =>
          `${trusted ? paint('green', 'trusted') : paint('red', 'not trusted')}  ${kind} ${safe(name)}`,
      ),
      requests.length === 0 && 'This project brings nothing that needs trust.',
      !isDecided && `Nothing was trusted. To trust what is shown above: ${self} trust --yes`,
    ],
  }
}

/** Logs that need not be the person's are a decision of their own: what they say is not code. */
async function logsHere(
  loaded: LoadedConfig,
  { yes, list }: { yes: boolean; list: boolean },
): Promise<Found> {
  const { folder, request, logs, admitted } = await recordsOf(loaded)
  if (request === undefined)
    return { json: { folder, admitted, logs }, lines: () => [`The records in ${safe(folder)} are yours.`] }
  const shown = [
    requestText(request),
    table(
      ['agent', 'node', 'operation', 'began'],
      logs.map(({ agent_id, node_id, operation, created }) => [agent_id, node_id, operation, created]),
    ),
  ]
  const isAsked = !admitted && !list && !yes && isAtTerminal()
  if (isAsked) for (const text of shown) remark(text)
  const given = !admitted && !list && (yes || (isAsked && (await askYes(ADMIT))))
  if (given) await admitRecords(loaded.root, request)
  const isAdmitted = admitted || given
  return {
    json: { folder, request, admitted: isAdmitted, logs },
    code: isAdmitted || list ? 0 : 2,
    lines: () => [
      ...(isAsked ? [] : shown),
      isAdmitted
        ? paint('green', 'admitted')
        : `${paint('red', 'not admitted')}  To admit them: ${self} trust --logs --yes`,
    ],
  }
}

const ADMIT =
  'Are they to be used, as if they were yours? You are asked again when the folder or what git brings changes. [y/N] '

async function revoke(project: string): Promise<Found> {
  const revoked = await revokeTrust(project)
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
    'trust --logs     # whose the logs here are, and which; admit them',
  ],
  options: [
    ['--yes', 'trust all that is shown'],
    ['--list', 'only show it'],
    ['--revoke', 'forget what was trusted of this project'],
    ['--logs', 'only the logs, where somebody else may have made them'],
  ],
  call: trustCommand,
} satisfies CommandWords
