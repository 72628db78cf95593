import { configFor } from '../../app/context.ts'
import { reviewTrust, revokeTrust } from '../../app/trust.ts'
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
async function trustCommand({ list = false, yes = false, ...options }: TrustCommandOptions): Promise<Found> {
  const loaded = configFor(options)
  if (options.revoke) return revoke(loaded.root)
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
  ],
  options: [
    ['--yes', 'trust all that is shown'],
    ['--list', 'only show it'],
    ['--revoke', 'forget what was trusted of this project'],
  ],
  call: trustCommand,
} satisfies CommandWords
