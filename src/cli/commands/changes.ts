import { takeable } from '../../app/decide.ts'
import { acceptedOf, type MergedProposal, mergeAll, type Proposed } from '../../app/proposals.ts'
import type { Diff } from '../../workspace/diff.ts'
import { changeOf } from '../../workspace/merged.ts'
import { type FilePatch, patchText } from '../../workspace/patch.ts'
import { type CommandWords, LAST_RUN, OF_RUN } from '../command.ts'
import { type CommandAnswer, count, type Lines, paint, remark, safe } from '../output.ts'
import { indentedPatch, patchLines } from '../patch-lines.ts'
import { type ProposalOptions, tellUnfinished, withLogs, withProposals } from '../proposals.ts'

/** Agents that propose nothing else; so many are named after the first. */
const SAME_NAMED_MAX = 4

interface ChangesOptions extends ProposalOptions {
  readonly stat?: boolean
  /** What was taken, instead of what is proposed. */
  readonly accepted?: boolean
}

/**
 * What agents propose, as one patch that `git apply` takes: each change follows the ones before it, as `accept` takes
 * them. Git passes over lines with a `#`.
 */
async function changesCommand(agents: readonly string[], options: ChangesOptions): Promise<CommandAnswer> {
  const which = { ...options, all: options.run === undefined && !options.last }
  if (options.accepted) return acceptedChanges(agents, which)
  return withProposals(agents, which, async (found) => {
    const proposed = await mergeAll(found)
    const lines = () => {
      const isShown = ({ agent_id }: Proposed) => proposed.some((one) => one.agent_id === agent_id)
      tellSame(found.filter((one) => one.pending.size > 0 && !isShown(one)))
      // Of agents that are named it is told why they have none.
      if (proposed.length === 0) return agents.length === 0 ? ['No proposed changes.'] : []
      if (options.stat) return proposed.flatMap(statLines)
      if (agents.length === 0) proposed.forEach(tellUnfinished)
      return takeable(proposed, agents.length > 0).flatMap(diffLines)
    }
    const json = proposed.map(({ agent_id, name, unfinished, files }) => ({
      ...{ agent_id, name },
      ...(unfinished === undefined ? {} : { unfinished }),
      changes: files.map(changeOf),
    }))
    return { json, lines }
  })
}

/** A proposal that has no diff of its own is not left out unsaid. */
function tellSame(same: readonly Proposed[]): void {
  if (same.length === 0) return
  const [first, ...others] = same.map(({ name }) => safe(name))
  const more = others.length > SAME_NAMED_MAX ? ', …' : ''
  remark(
    `No diff of ${[first, ...others.slice(0, SAME_NAMED_MAX)].join(', ')}${more} (${count(same.length, 'agent')}): the project has what they propose, or agents before them propose the same.`,
  )
}

/** What was taken, byte for byte, as the logs alone tell it. */
const acceptedChanges = (agents: readonly string[], options: ChangesOptions): Promise<CommandAnswer> =>
  withLogs(agents, options, async (place, meant) => {
    const patches = (await Promise.all(meant.map((agent_id) => acceptedOf(place, agent_id)))).flat()
    return {
      json: patches,
      lines: () => [
        patches.length === 0 && 'Nothing was accepted.',
        ...patches.flatMap(({ agent_id, seq, files }) => [
          paint('bold', `# ${safe(agent_id)}, event ${seq}: ${count(files.length, 'file')}`),
          ...(options.stat ? files.map(acceptedStat) : patchLines(patchText(files))),
        ]),
      ],
    }
  })

function acceptedStat({ path, diff, absent, how }: FilePatch): string {
  const told = diff ? countsOf(diff) : safe(absent ?? '')
  return `  ${safe(path)} ${told}${how === undefined || how === 'whole' ? '' : ` ${how}`}`
}

const countsOf = ({ lines_added, lines_removed }: Pick<Diff, 'lines_added' | 'lines_removed'>): string =>
  `${paint('green', `+${lines_added}`)} ${paint('red', `-${lines_removed}`)}`

function statLines({ agent_id, name, unfinished, files }: MergedProposal): string[] {
  const mark = unfinished === undefined ? '' : paint('yellow', ` unfinished: ${unfinished}`)
  const changed = files
    .map(changeOf)
    .flatMap(({ path, kind, renamed_from, merged, conflict, ...counted }) => {
      const from = renamed_from === undefined ? '' : ` (was ${safe(renamed_from)})`
      return [
        `  ${kind} ${safe(path)}${from} ${countsOf(counted)}${merged ? ' merged' : ''}`,
        ...(conflict === undefined ? [] : [paint('red', `    conflict: ${safe(conflict)}`)]),
      ]
    })
  return [
    `${paint('bold', safe(name))}${name === agent_id ? '' : ` ${paint('dim', safe(agent_id))}`}${mark}`,
    ...changed,
  ]
}

function diffLines({ agent_id, name, unfinished, files }: MergedProposal): Lines {
  // What a person named has no other name.
  const aside = [name === agent_id ? '' : safe(agent_id), unfinished && `unfinished: ${unfinished}`]
  const mark = aside.filter(Boolean).join(', ')
  const changed = files.map(changeOf).flatMap(({ path, text, merged, conflict }) => {
    const note = merged ? [paint('dim', `# ${safe(path)}: merged with what changed in the project`)] : []
    if (conflict === undefined) return [...note, ...patchLines(text)]
    // No part of the patch: git would take the marks for text.
    const title = paint('red', `# conflict in ${safe(path)}: ${safe(conflict)}`)
    return text === '' ? [title] : [title, ...indentedPatch(text, '#   ')]
  })
  return [paint('bold', `# ${safe(name)}${mark && ` (${mark})`}: ${count(files.length, 'file')}`), ...changed]
}

export default {
  takes: '[agents...]',
  examples: [
    'changes',
    'changes lint#3',
    'changes --last --stat',
    'changes --accepted',
    'twotrack changes | git apply',
  ],
  options: [
    ...[LAST_RUN, OF_RUN],
    ['--stat', 'only the files and counts'],
    ['--accepted', 'what was accepted, instead of what is proposed'],
  ],
  call: changesCommand,
} satisfies CommandWords
