import { acceptAll, takeable } from '../../app/decide.ts'
import type { TrustOptions } from '../../app/trust.ts'
import { type CommandWords, LAST_RUN, OF_ALL, OF_RUN, TRUST } from '../command.ts'
import { terminal } from '../front.ts'
import { type CommandAnswer, paint, remark, safe, self, typed } from '../output.ts'
import { type ProposalOptions, tellProblem, tellUnfinished, withProposals } from '../proposals.ts'
import { askYes } from '../terminal.ts'

interface AcceptCommandOptions extends ProposalOptions, TrustOptions {
  readonly partial?: boolean
  /** Whether the tests are run first; asked where it is not said. */
  readonly test?: boolean
}

/** Takes proposed changes into the project, merged with what changed there. Where that can't be done it stays as it is. */
const acceptCommand = (agents: readonly string[], options: AcceptCommandOptions): Promise<CommandAnswer> =>
  withProposals(agents, options, async (proposed, place) => {
    if (agents.length === 0) proposed.forEach(tellUnfinished)
    const wanted = takeable(proposed, agents.length > 0)
    if (agents.length + proposed.length === 0) remark('No proposed changes.')
    const test = wanted.length > 0 && (await wantsTests(options.test, !options.json))
    const { done, problems, trial } = await acceptAll(wanted, place, { ...options, test }, terminal)
    if (trial) remark(`${trial.passed ? paint('green', '✓') : paint('red', '✗')} ${safe(trial.summary)}`)
    if (trial && !trial.passed)
      remark(paint('red', 'Nothing was accepted: with these changes tests fail, or could not be run.'))
    if (trial && trial.failing_before.length > 0)
      remark(`Without them these fail too: ${trial.failing_before.map(safe).join(', ')}`)
    problems.forEach(tellProblem)
    const [first] = done.filter(({ conflicts }) => conflicts.length > 0)
    if (first) {
      const name = typed(first.name)
      remark(
        `A conflict stays proposed. Merge it by hand: ${self} review ${name} · take what has none: ${self} accept ${name} --partial · start again from the file as it is: ${self} retry ${name}`,
      )
    }
    const isWhole = done.length === wanted.length && done.every(({ conflicts }) => conflicts.length === 0)
    return {
      json: done.map(({ agent_id, accepted, conflicts }) => ({ agent_id, accepted, conflicts })),
      code: isWhole ? 0 : 1,
      lines: () =>
        done.flatMap(({ name, accepted, conflicts }) => [
          accepted.length > 0 &&
            `${paint('green', 'accepted')} ${safe(name)}: ${accepted.map(safe).join(', ')}`,
          ...conflicts.map(
            ({ path, reason }) => `${paint('red', 'conflict')} ${safe(name)}: ${safe(path)}: ${safe(reason)}`,
          ),
        ]),
    }
  })

/** Whether the tests are to be run first: as it was said, or as the person at the terminal says. */
async function wantsTests(said: boolean | undefined, isAsked: boolean): Promise<boolean> {
  if (said !== undefined || !isAsked || !process.stdin.isTTY || !process.stderr.isTTY) return said ?? false
  return askYes('Run the tests of these files first? [y/N] ')
}

export default {
  takes: '[agents...]',
  examples: ['accept --all', 'accept --last', 'accept lint#3 lint#5', 'accept --last --test'],
  options: [
    ...[LAST_RUN, OF_RUN, OF_ALL],
    ['--partial', 'take the files that have no conflict'],
    ['--test', 'run the tests that belong to these files first, and take nothing if one fails'],
    ['--no-test', 'do not ask about tests'],
    TRUST,
  ],
  call: acceptCommand,
} satisfies CommandWords
