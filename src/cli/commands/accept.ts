import { type MergedProposal, mergeAll, type ProposalPlace, type Proposed } from '../../app/proposals.ts'
import { tryTests } from '../../app/trial.ts'
import type { TrustOptions } from '../../app/trust.ts'
import { type AcceptReport, acceptProposal } from '../../run/accept.ts'
import { type CommandWords, LAST_RUN, OF_ALL, OF_RUN, TRUST } from '../command.ts'
import { terminal } from '../front.ts'
import { type Answer, paint, remark, safe } from '../output.ts'
import { finished, orReported, type ProposalOptions, withProposals } from '../proposals.ts'
import { askYes } from '../terminal.ts'

interface AcceptCommandOptions extends ProposalOptions, TrustOptions {
  readonly partial?: boolean
  /** Whether the tests are run first; asked where it is not said. */
  readonly test?: boolean
}

/** Takes proposed changes into the project, merged with what changed there. Where that can't be done it stays as it is. */
async function acceptCommand(agents: readonly string[], options: AcceptCommandOptions): Promise<Answer> {
  return withProposals(agents, options, async (proposed, place) => {
    const wanted = finished(proposed, agents.length > 0)
    if (proposed.length === 0) remark('No proposed changes.')
    const isTested = wanted.length > 0 && (await wantsTests(options.test, !options.json))
    const tested = isTested ? await mergeAll(wanted) : undefined
    if (tested && !(await passesTests(tested, place, options))) {
      remark(paint('red', 'Nothing was accepted: with these changes tests fail, or could not be run.'))
      return { json: [], code: 1, lines: () => [] }
    }
    const results: (AcceptReport & { agent_id: string; name: string })[] = []
    for (const one of tested ?? wanted) {
      const report = await orReported(one.agent_id, take(one, options.partial === true))
      if (report) results.push({ agent_id: one.agent_id, name: one.name, ...report })
    }
    const isWhole =
      results.length === wanted.length && results.every(({ conflicts }) => conflicts.length === 0)
    return {
      json: results.map(({ agent_id, accepted, conflicts }) => ({ agent_id, accepted, conflicts })),
      code: isWhole ? 0 : 1,
      lines: () =>
        results.flatMap(({ name, accepted, conflicts }) => [
          accepted.length > 0 &&
            `${paint('green', 'accepted')} ${safe(name)}: ${accepted.map(safe).join(', ')}`,
          ...conflicts.map(
            ({ path, reason }) => `${paint('red', 'conflict')} ${safe(name)}: ${safe(path)}: ${safe(reason)}`,
          ),
        ]),
    }
  })
}

/** What was tested is taken as it was; else it is merged with the project at this moment. */
const take = (one: Proposed | MergedProposal, partial: boolean): Promise<AcceptReport> =>
  acceptProposal(one.log, { ...one.log, partial, ...('files' in one ? { files: one.files } : {}) })

/** Whether the tests are to be run first: as it was said, or as the person at the terminal says. */
async function wantsTests(said: boolean | undefined, isAsked: boolean): Promise<boolean> {
  if (said !== undefined || !isAsked || !process.stdin.isTTY || !process.stderr.isTTY) return said ?? false
  return askYes('Run the tests of these files first? [y/N] ')
}

async function passesTests(
  proposed: readonly MergedProposal[],
  place: ProposalPlace,
  options: TrustOptions,
): Promise<boolean> {
  const files = proposed.flatMap((one) => one.files)
  const { passed, summary } = await tryTests(files, place, options, terminal)
  remark(`${passed ? paint('green', '✓') : paint('red', '✗')} ${safe(summary)}`)
  return passed
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
