import { type Done, isNeedless } from '../app/job.ts'
import { shortNames } from '../app/names.ts'
import type { Store } from '../core/store/store.ts'
import { countWords, standingWords, summaryWords } from '../run/agent-summary.ts'
import { countNamed } from '../text/lines.ts'
import type { CommonOptions } from './options.ts'
import { bytes, count, paint, safe, self, typed, wrapped } from './output.ts'

const OPEN_SHOWN_MAX = 8
/** Of agents that have nothing to tell but that they are done; more are counted. */
const QUIET_SHOWN_MAX = 8
/** Of agents that failed for one reason the first is shown and so many of the others named: a linter that can't run fails all. */
const SAME_FAILURE_NAMED_MAX = 5

const UNRECORDED =
  "Nothing of this run is kept, so its changes can't be accepted later; --json has their diffs. " +
  'To accept them, record the run: leave out --store memory and runner.memory.enabled=false.'

/** What a run came to. Agents that have nothing to tell are counted, not listed. */
export async function runLines(
  done: readonly Done[],
  wanted: number,
  options: CommonOptions,
  store: Store,
): Promise<string[]> {
  const lines: string[] = []
  const isRecorded = store.kind !== 'memory'
  const short = isRecorded ? shortNames(store) : async ({ agent_id }: Done) => agent_id
  const there = sameStore(options)
  const isQuiet = ({ failed, changes, open }: Done) => !failed && changes.length + open.length === 0
  const isFew = done.filter((one) => isQuiet(one) && !isNeedless(one)).length <= QUIET_SHOWN_MAX
  const listed = done.filter((one) => !isQuiet(one) || (isFew && !isNeedless(one)) || done.length === 1)
  const reasonOf = ({ failed, agent_id, stop, open }: Done) =>
    failed ? [stop.reason, stop.summary, ...open].join('\n') : agent_id
  for (const [first, ...others] of Map.groupBy(listed, reasonOf).values()) {
    if (first) lines.push(...agentLines(first, await short(first), isRecorded ? there : undefined))
    if (others.length === 0) continue
    const named = others.slice(0, SAME_FAILURE_NAMED_MAX)
    const names = await Promise.all(
      named.map(async (one) => safe(isBegun(one) ? await short(one) : one.node_id)),
    )
    const more = others.length > names.length ? ', …' : ''
    const ended =
      first?.stop.reason === 'cancelled' ? 'stopped at the same place' : 'failed for the same reason'
    const same = `${count(others.length, 'more agent')} ${ended}: ${names.join(', ')}${more}`
    lines.push(paint('dim', wrapped(same, 4)))
  }
  const quiet = done.filter((one) => !listed.includes(one))
  for (const [isSkipped, { length }] of Map.groupBy(quiet, isNeedless)) {
    const others = length < done.length ? count(length, 'other') : `all ${length}`
    lines.push(
      paint('dim', `${isSkipped ? 'Nothing to do' : 'No problems, nothing to change'} for ${others}.`),
    )
  }
  const begun = wanted - done.filter(isNeedless).length
  if (begun === 0) return lines
  const fine = done.filter((one) => !one.failed && !isNeedless(one))
  const problems_left = fine.filter(({ standing }) => standing === 'problems_left').length
  const cancelled = done.filter(({ stop }) => stop.reason === 'cancelled').length
  const notBegun = wanted - done.length
  const failed = begun - fine.length - cancelled - notBegun
  const counts = { done: fine.length - problems_left, problems_left, failed, open: 0 }
  const changed = done.filter(({ changes }) => changes.length > 0)
  const stopped = `${cancelled > 0 ? `, ${cancelled} cancelled` : ''}${notBegun > 0 ? `, ${notBegun} not begun` : ''}`
  const propose = `${changed.length} ${changed.length === 1 ? 'proposes' : 'propose'} changes`
  const totals = `${paint('bold', count(begun, 'agent'))}: ${countWords(counts)}${stopped}; ${propose}.`
  lines.push(`\n${wrapped(totals)}`)
  const sum = (of: (one: Done) => number) => done.reduce((total, one) => total + of(one), 0)
  // Agents that could not begin left nothing to look at.
  if (!done.some(isBegun)) return lines
  const largest = Math.max(0, ...done.map(({ prompt_tokens_max }) => prompt_tokens_max))
  lines.push(
    wrapped(
      `Recorded: ${count(
        sum(({ events }) => events),
        'event',
      )} with ${bytes(sum(({ raw_bytes }) => raw_bytes))} of raw output; no prompt was larger than ${largest.toLocaleString('en-US')} tokens.`,
    ),
  )
  if (!isRecorded) return changed.length > 0 ? [...lines, paint('dim', wrapped(UNRECORDED))] : lines
  // What is unfinished is not taken unseen.
  const takes = changed.some(({ stop }) => stop.reason === 'submitted')
  const take = takes
    ? `Take all:   ${self} accept --all${there}`
    : `Go on:      ${self} resume --last${there}`
  if (changed.length > 0)
    lines.push(
      paint('dim', `See them:   ${self} changes${there}`),
      paint('dim', `Go through: ${self} review${there}`),
      paint('dim', take),
    )
  return [...lines, `${paint('dim', 'See why:   ')} ${self} inspect${there}`]
}

/** Whether there is a log of it. */
const isBegun = ({ events }: Done): boolean => events > 0

function agentLines(one: Done, name: string, there?: string): string[] {
  const lines: string[] = []
  const { node_id, stop, failed, turns, changes, open } = one
  const mark = failed ? paint('red', '✗') : one.problems > 0 ? paint('yellow', '~') : paint('green', '✓')
  const counts = changes.map(
    ({ path, lines_added, lines_removed }) =>
      `${changes.length > 1 || path !== node_id ? `${safe(path)} ` : ''}${paint('green', `+${lines_added}`)} ${paint('red', `-${lines_removed}`)}`,
  )
  const shown = !isBegun(one) ? '' : `${paint('bold', safe(name))} `
  lines.push(`${mark} ${shown}${safe(node_id)}  ${counts.join(', ')}`.trimEnd())
  const end = one.standing === 'done' ? '' : `${standingWords(one.standing)}: `
  const long = turns > 0 ? paint('dim', ` (${count(turns, 'turn')})`) : ''
  lines.push(wrapped(`${end}${safe(summaryWords({ ...one, summary: stop.summary }))}${long}`, 4))
  // Its file stands above.
  const inFile = (line: string) =>
    [`${node_id}:`, `${node_id} `].some((own) => line.startsWith(own)) ? line.slice(node_id.length + 1) : line
  for (const line of open.slice(0, OPEN_SHOWN_MAX)) lines.push(wrapped(safe(inFile(line)), 4, 6))
  const more = countNamed(open) - OPEN_SHOWN_MAX
  if (open.length > OPEN_SHOWN_MAX) lines.push(paint('dim', `    and ${more} more`))
  if (failed && isBegun(one) && there !== undefined)
    lines.push(paint('dim', `    look at it: ${self} show ${typed(name)}${there}`))
  return lines
}

/** The options with which another command finds the logs of this one. */
export const sameStore = ({ store, folder }: CommonOptions): string =>
  `${store === undefined ? '' : ` --store ${store}`}${folder === undefined ? '' : ` --folder ${typed(folder)}`}`
