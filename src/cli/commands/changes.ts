import { acceptedOf, type MergedProposal, mergeAll } from '../../app/proposals.ts'
import { changeOf } from '../../workspace/merged.ts'
import { patchText } from '../../workspace/patch.ts'
import { count, paint, print, printJson, safe } from '../output.ts'
import { finished, type ProposalOptions, withLogs, withProposals } from '../proposals.ts'

export interface ChangesOptions extends ProposalOptions {
  readonly stat?: boolean
  /** What was taken, instead of what is proposed. */
  readonly accepted?: boolean
}

/**
 * What agents propose, as one patch that `git apply` takes: each change follows the ones before it, as `accept` takes
 * them. On a terminal it is coloured and made safe; elsewhere it is byte for byte. Git passes over lines with a `#`.
 */
export async function changesCommand(agents: readonly string[], options: ChangesOptions): Promise<number> {
  const which = { ...options, all: options.run === undefined && !options.last }
  if (options.accepted) return printAccepted(agents, which)
  return withProposals(agents, which, async (found) => {
    const proposed = await mergeAll(found)
    if (options.json) {
      printJson(
        proposed.map(({ agent_id, name, unfinished, files }) => ({
          agent_id,
          name,
          ...(unfinished === undefined ? {} : { unfinished }),
          changes: files.map(changeOf),
        })),
      )
      return 0
    }
    if (proposed.length === 0) print('No proposed changes.')
    else if (options.stat) for (const one of proposed) printStat(one)
    else for (const one of finished(proposed, agents.length > 0)) printDiff(one)
    return 0
  })
}

/** What was taken, byte for byte, as the logs alone tell it. */
const printAccepted = (agents: readonly string[], options: ChangesOptions): Promise<number> =>
  withLogs(agents, options, async (place, meant) => {
    const patches = []
    for (const agent_id of meant) patches.push(...(await acceptedOf(place, agent_id)))
    if (options.json) printJson(patches)
    else if (patches.length === 0) print('Nothing was accepted.')
    else
      for (const { agent_id, seq, files } of patches) {
        print(paint('bold', `# ${safe(agent_id)}, event ${seq}: ${count(files.length, 'file')}`))
        printPatch(patchText(files))
      }
    return 0
  })

function printStat({ agent_id, name, unfinished, files }: MergedProposal): void {
  const mark = unfinished === undefined ? '' : paint('yellow', ` unfinished: ${unfinished}`)
  print(`${paint('bold', safe(name))} ${paint('dim', safe(agent_id))}${mark}`)
  for (const { path, kind, renamed_from, lines_added, lines_removed, merged, conflict } of files.map(
    changeOf,
  )) {
    const counts = `${paint('green', `+${lines_added}`)} ${paint('red', `-${lines_removed}`)}`
    const from = renamed_from === undefined ? '' : ` (was ${safe(renamed_from)})`
    print(`  ${kind} ${safe(path)}${from} ${counts}${merged ? ' merged' : ''}`)
    if (conflict !== undefined) print(paint('red', `    conflict: ${safe(conflict)}`))
  }
}

function printDiff({ agent_id, name, unfinished, files }: MergedProposal): void {
  const mark = unfinished === undefined ? '' : `, unfinished: ${unfinished}`
  print(paint('bold', `# ${safe(name)} (${safe(agent_id)}${mark}): ${count(files.length, 'file')}`))
  for (const { path, text, merged, conflict } of files.map(changeOf)) {
    if (conflict === undefined) {
      if (merged) print(paint('dim', `# ${safe(path)}: merged with what changed in the project`))
      printPatch(text)
    } else {
      // No part of the patch: git would take the marks for text.
      print(paint('red', `# conflict in ${safe(path)}: ${safe(conflict)}`))
      for (const line of text.trimEnd().split('\n')) print(`#   ${coloured(safe(line))}`)
    }
  }
}

export function printPatch(text: string): void {
  if (!process.stdout.isTTY) print(text)
  else for (const line of text.replace(/\n$/, '').split('\n')) print(coloured(safe(line)))
}

const STYLES = { '+': 'green', '-': 'red', '@': 'cyan' } as const

function coloured(line: string): string {
  const first = line[0]
  return first === '+' || first === '-' || first === '@' ? paint(STYLES[first], line) : line
}
