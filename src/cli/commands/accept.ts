import { type MergedProposal, mergeAll, type ProposalPlace, type Proposed } from '../../app/proposals.ts'
import { tryTests } from '../../app/trial.ts'
import type { TrustOptions } from '../../app/trust.ts'
import { type AcceptReport, acceptProposal, rejectProposal } from '../../run/accept.ts'
import { terminal } from '../front.ts'
import { count, paint, print, printJson, remark, safe } from '../output.ts'
import { finished, orReported, type ProposalOptions, withProposals } from '../proposals.ts'
import { askYes } from '../terminal.ts'

export interface AcceptCommandOptions extends ProposalOptions, TrustOptions {
  readonly partial?: boolean
  /** Whether the tests are run first; asked where it is not said. */
  readonly test?: boolean
}

/** Takes proposed changes into the project, merged with what changed there. Where that can't be done it stays as it is. */
export async function acceptCommand(
  agents: readonly string[],
  options: AcceptCommandOptions,
): Promise<number> {
  return withProposals(agents, options, async (proposed, place) => {
    const wanted = finished(proposed, agents.length > 0)
    if (proposed.length === 0) remark('No proposed changes.')
    const isTested = wanted.length > 0 && (await wantsTests(options.test, !options.json))
    const tested = isTested ? await mergeAll(wanted) : undefined
    if (tested && !(await passesTests(tested, place, options))) {
      remark(paint('red', 'Nothing was accepted: with these changes tests fail, or could not be run.'))
      return 1
    }
    const results = []
    for (const one of tested ?? wanted) {
      const { agent_id, name } = one
      const report = await orReported(agent_id, take(one, options.partial === true))
      if (report === undefined) continue
      const { accepted, conflicts } = report
      results.push({ agent_id, accepted, conflicts })
      if (options.json) continue
      if (accepted.length > 0)
        print(`${paint('green', 'accepted')} ${safe(name)}: ${accepted.map(safe).join(', ')}`)
      for (const { path, reason } of conflicts)
        print(`${paint('red', 'conflict')} ${safe(name)}: ${safe(path)}: ${safe(reason)}`)
    }
    if (options.json) printJson(results)
    const whole = results.every(({ conflicts }) => conflicts.length === 0)
    return whole && results.length === wanted.length ? 0 : 1
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

export interface RejectOptions extends ProposalOptions {
  readonly reason?: string
}

/** Throws proposed changes away. */
export async function rejectCommand(agents: readonly string[], options: RejectOptions): Promise<number> {
  return withProposals(agents, options, async (proposed) => {
    const rejected: string[] = []
    for (const { agent_id, name, log } of proposed) {
      const files = await orReported(agent_id, rejectProposal(log, { reason: options.reason ?? '' }))
      if (!files) continue
      rejected.push(agent_id)
      if (!options.json) print(`rejected ${safe(name)}: ${count(files.length, 'file')}`)
    }
    if (options.json) printJson(rejected)
    return rejected.length === proposed.length ? 0 : 1
  })
}
