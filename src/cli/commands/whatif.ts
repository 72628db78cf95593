import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { diffArrays } from 'diff'
import { blameText } from '../../audit/blindspots/blindspots.ts'
import { byScore } from '../../audit/blindspots/score.ts'
import type { Spot } from '../../audit/blindspots/spot.ts'
import { type WhatIf, type WhatIfOptions, whatIf } from '../../audit/whatif/whatif.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { isObject } from '../../event/json.ts'
import type { Summarizer } from '../../summarize/summarizer.ts'
import { cut } from '../../text/cut.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { agentsMeant, type WhichOptions } from '../names.ts'
import { count, paint, print, printJson, room, safe, table, wrapped } from '../output.ts'

export interface WhatIfCommandOptions extends CommonOptions, WhichOptions {
  readonly summarizers?: string
  readonly limit?: number
  readonly view?: string
  readonly turn?: number
  readonly gate?: boolean
}

const TURNS_MAX = 20
const SPOTS_MAX = 5
const LINE_CHARS_MAX = 140
const COLUMN_CHARS = 78

/** Old logs folded with something else, beside what they are; with `--gate` a check that nothing gets worse. */
export async function whatIfCommand(
  agents: readonly string[],
  options: WhatIfCommandOptions,
): Promise<number> {
  const { summarizers, limit, view, turn } = options
  if (summarizers === undefined && limit === undefined && view === undefined)
    throw new TwotrackError('bad_argument', 'Say what is to be different: --summarizers, --limit or --view.')
  const other: WhatIfOptions = {
    ...(summarizers === undefined ? {} : { summarizers: await loadSummarizers(summarizers) }),
    ...(limit === undefined ? {} : { limit }),
    ...(view === undefined ? {} : { view }),
    ...(turn === undefined ? {} : { turn }),
  }
  return withStore(options, async (store) => {
    const meant = await agentsMeant(store, agents, options)
    if (turn !== undefined && meant.length > 1)
      throw new TwotrackError('bad_argument', '--turn shows two packets of one agent; name that agent.')
    const logs: WhatIf[] = []
    for (const agent of meant) {
      const found = await whatIf(store, agent, other)
      // Of many logs only the sums and the worst spots are kept.
      logs.push(
        meant.length === 1 ? found : { ...found, opened: worst(found.opened), closed: worst(found.closed) },
      )
    }
    const balance = logs.reduce((sum, log) => sum + log.balance, 0)
    if (options.json) printJson({ balance, logs })
    else printAll(logs, balance, turn)
    return options.gate && balance < 0 ? 1 : 0
  })
}

const worst = (spots: readonly Spot[]): Spot[] => spots.toSorted(byScore).slice(0, SPOTS_MAX)

/** A person named the file: its code runs with that person's rights. */
async function loadSummarizers(file: string): Promise<NonNullable<WhatIfOptions['summarizers']>> {
  if (file === 'built-in') return []
  let module: { readonly default?: unknown }
  try {
    module = await import(pathToFileURL(resolve(file)).href)
  } catch (thrown) {
    throw new TwotrackError('bad_argument', `${file} can't be loaded: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
  const given = module.default
  if (isSummarizer(given)) return [given]
  if (Array.isArray(given) && given.every(isSummarizer)) return given
  if (isObject(given) && Object.values(given).every(isSummarizer)) return given as Record<string, Summarizer>
  throw new TwotrackError(
    'bad_argument',
    `The default export of ${file} is no summarizer, list of them, or record of them by tool.`,
  )
}

const isSummarizer = (value: unknown): value is Summarizer =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['summarize'] === 'function'

function printAll(logs: readonly WhatIf[], balance: number, turn: number | undefined): void {
  const [only] = logs
  if (only && logs.length === 1) printOne(only, turn)
  else {
    const rows = logs.map(({ agent_id, turns, tokens, opened, closed, balance: own }) => [
      agent_id,
      turns.filter(({ changes }) => changes > 0).length,
      tokens.before,
      tokens.after,
      closed.length,
      opened.length,
      own,
    ])
    print(table(['agent', 'turns changed', 'tokens', 'then', 'spots gone', 'new', 'balance'], rows))
  }
  const verdict =
    balance < 0
      ? paint('red', 'more is lost than won')
      : balance > 0
        ? paint('green', 'more is won than lost')
        : 'nothing is lost or won'
  print(`\nbalance ${balance}: ${verdict}`)
}

function printOne(log: WhatIf, turn: number | undefined): void {
  const { turns, tokens, opened, closed, summarized, kept } = log
  const asked = turns.find((one) => one.turn === turn)
  if (asked?.packets) {
    printSides(asked.packets.before, asked.packets.after)
    return
  }
  const changed = turns.filter(({ changes }) => changes > 0)
  print(
    `${count(changed.length, 'packet')} of ${turns.length} would differ; ${tokens.before.toLocaleString('en-US')} prompt tokens, then ${tokens.after.toLocaleString('en-US')}.` +
      (summarized + kept > 0
        ? ` ${count(summarized, 'result')} summarized anew, ${kept} kept as recorded.`
        : ''),
  )
  if (changed.length > 0)
    print(
      `\n${table(
        ['turn', 'tokens', 'then', 'leaves changed', 'spots gone', 'new'],
        changed
          .toSorted((a, b) => b.opened + b.closed - a.opened - a.closed || a.turn - b.turn)
          .slice(0, TURNS_MAX)
          .map((one) => [one.turn, one.tokens.before, one.tokens.after, one.changes, one.closed, one.opened]),
      )}`,
    )
  if (changed.length > TURNS_MAX)
    print(paint('dim', `${changed.length - TURNS_MAX} more turns; --json shows them.`))
  printSpots('New blind spots', opened)
  printSpots('Blind spots that would be gone', closed)
}

function printSpots(title: string, spots: readonly Spot[]): void {
  if (spots.length === 0) return
  print(`\n${paint('bold', title)} (${spots.length})`)
  for (const { turn, seq, line, text, names, blame } of worst(spots))
    print(
      wrapped(
        `- turn ${turn}, #${seq} line ${line}: ${safe(cut(names.length > 0 ? names.join(', ') : text, LINE_CHARS_MAX))} (${blameText(blame)})`,
        0,
        2,
      ),
    )
}

/** Two columns, equal lines beside each other; what only one side has is marked. */
function printSides(before: string, after: string): void {
  const width = Math.floor(room(2 * COLUMN_CHARS, 3) / 2)
  const cell = (text: string) => cut(safe(text), width)
  const row = (mark: string, left: string, right: string) =>
    print(`${cell(left).padEnd(width)} ${mark} ${cell(right)}`)
  for (const { value, added, removed } of diffArrays(before.split('\n'), after.split('\n')))
    for (const line of value) {
      if (added) row(paint('green', '>'), '', line)
      else if (removed) row(paint('red', '<'), line, '')
      else row(' ', line, line)
    }
}
