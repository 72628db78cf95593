import { rejectProposal } from '../../run/accept.ts'
import { type CommandWords, LAST_RUN, OF_ALL, OF_RUN } from '../command.ts'
import { type Answer, count, safe } from '../output.ts'
import { orReported, type ProposalOptions, withProposals } from '../proposals.ts'

interface RejectOptions extends ProposalOptions {
  readonly reason?: string
}

/** Throws proposed changes away. */
const rejectCommand = (
  agents: readonly string[],
  { reason = '', ...options }: RejectOptions,
): Promise<Answer> =>
  withProposals(agents, options, async (proposed) => {
    const rejected: { agent_id: string; line: string }[] = []
    for (const { agent_id, name, log } of proposed) {
      const files = await orReported(agent_id, rejectProposal(log, { reason }))
      if (files) rejected.push({ agent_id, line: `rejected ${safe(name)}: ${count(files.length, 'file')}` })
    }
    return {
      json: rejected.map(({ agent_id }) => agent_id),
      code: rejected.length === proposed.length ? 0 : 1,
      lines: () => rejected.map(({ line }) => line),
    }
  })

export default {
  takes: '[agents...]',
  examples: ['reject lint#3', 'reject --all --reason "too noisy"'],
  options: [LAST_RUN, OF_RUN, OF_ALL, ['--reason <text>', 'recorded with it']],
  call: rejectCommand,
} satisfies CommandWords
