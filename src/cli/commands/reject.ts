import { rejectAll } from '../../app/decide.ts'
import { type CommandWords, LAST_RUN, OF_ALL, OF_RUN } from '../command.ts'
import { type CommandAnswer, remark, safe } from '../output.ts'
import { type ProposalOptions, tellProblem, withProposals } from '../proposals.ts'

interface RejectOptions extends ProposalOptions {
  readonly reason?: string
}

/** Throws proposed changes away. */
const rejectCommand = (agents: readonly string[], options: RejectOptions): Promise<CommandAnswer> =>
  withProposals(agents, options, async (proposed) => {
    if (agents.length + proposed.length === 0) remark('No proposed changes.')
    const { done, problems } = await rejectAll(proposed, options.reason ?? '')
    problems.forEach(tellProblem)
    return {
      json: done.map(({ agent_id }) => agent_id),
      code: problems.length === 0 ? 0 : 1,
      lines: () => done.map(({ name, files }) => `rejected ${safe(name)}: ${files.map(safe).join(', ')}`),
    }
  })

export default {
  takes: '[agents...]',
  examples: ['reject lint#3', 'reject --all --reason "too noisy"'],
  options: [LAST_RUN, OF_RUN, OF_ALL, ['--reason <text>', 'recorded with it']],
  call: rejectCommand,
} satisfies CommandWords
