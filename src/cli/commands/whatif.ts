import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { diffArrays } from 'diff'
import { withStore } from '../../app/context.ts'
import { agentsMeant, type WhichOptions } from '../../app/names.ts'
import { blameText } from '../../audit/blindspots/blindspots.ts'
import { byScore, type Spot } from '../../audit/blindspots/spot.ts'
import { History } from '../../audit/history.ts'
import { type WhatIf, type WhatIfOptions, whatIf, whatIfTurn } from '../../audit/whatif/whatif.ts'
import { defined, isObject } from '../../core/event/json.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import type { Summarizer } from '../../summarize/summarizer.ts'
import { cut } from '../../text/cut.ts'
import { type CommandWords, LAST_RUN, wholeNumber } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { charsLeft, count, type Found, type Lines, paint, safe, table, wrapped } from '../output.ts'

interface WhatIfCommandOptions extends CommonOptions, WhichOptions {
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
async function whatIfCommand(agents: readonly string[], options: WhatIfCommandOptions): Promise<Found> {
  const { summarizers, limit, view, turn } = options
  if (summarizers === undefined && limit === undefined && view === undefined)
    throw new TwotrackError('bad_argument', 'Say what is to be different: --summarizers, --limit or --view.')
  const other: WhatIfOptions = {
    ...defined({ limit, view }),
    ...(summarizers === undefined ? {} : { summarizers: await loadSummarizers(summarizers) }),
  }
  return withStore(options, async (store) => {
    const meant = await agentsMeant(store, agents, options)
    if (turn !== undefined && meant.length > 1)
      throw new TwotrackError('bad_argument', '--turn shows two packets of one agent; name that agent.')
    const [asked] = meant
    if (turn !== undefined && asked !== undefined) {
      const found = await whatIfTurn(await History.open(store, asked), turn, other)
      return { json: found, lines: () => sideBySide(found.packets.before, found.packets.after) }
    }
    const logs: WhatIf[] = []
    for (const agent of meant) {
      const found = await whatIf(store, agent, other)
      // Of many logs only the sums and the worst spots are kept.
      logs.push(
        meant.length === 1 ? found : { ...found, opened: worst(found.opened), closed: worst(found.closed) },
      )
    }
    const balance = logs.reduce((sum, log) => sum + log.balance, 0)
    const [only] = logs
    return {
      json: { balance, logs },
      code: options.gate && balance < 0 ? 1 : 0,
      lines: () => [
        ...(only && logs.length === 1 ? whatIfLines(only) : [tableOf(logs)]),
        `\nbalance ${balance}: ${verdict(balance)}`,
      ],
    }
  })
}

const worst = (spots: readonly Spot[]): Spot[] => spots.toSorted(byScore).slice(0, SPOTS_MAX)

/** A person named the file: its code runs with that person's rights. */
async function loadSummarizers(file: string): Promise<NonNullable<WhatIfOptions['summarizers']>> {
  if (file === 'built-in') return []
  let module: { readonly default?: unknown }
  try {
    module = await import(pathToFileURL(resolve(file)).href)
  } catch (cause) {
    throw new TwotrackError('bad_argument', `${file} can't be loaded: ${messageOf(cause)}`, { cause })
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

const verdict = (balance: number): string =>
  balance === 0
    ? 'nothing is lost or won'
    : balance < 0
      ? paint('red', 'more is lost than won')
      : paint('green', 'more is won than lost')

const tableOf = (logs: readonly WhatIf[]): string =>
  table(
    ['agent', 'turns changed', 'tokens', 'then', 'spots gone', 'new', 'balance'],
    logs.map(({ agent_id, turns, tokens, opened, closed, balance }) => {
      const changed = turns.filter(({ changes }) => changes > 0).length
      return [agent_id, changed, tokens.before, tokens.after, closed.length, opened.length, balance]
    }),
  )

function whatIfLines({ turns, tokens, opened, closed, summarized, kept }: WhatIf): Lines {
  const changed = turns.filter(({ changes }) => changes > 0)
  const [before, after] = [tokens.before.toLocaleString('en-US'), tokens.after.toLocaleString('en-US')]
  const anew =
    summarized + kept > 0 ? ` ${count(summarized, 'result')} summarized anew, ${kept} kept as recorded.` : ''
  const rows = changed
    .toSorted((a, b) => b.opened + b.closed - a.opened - a.closed || a.turn - b.turn)
    .slice(0, TURNS_MAX)
    .map((one) => [one.turn, one.tokens.before, one.tokens.after, one.changes, one.closed, one.opened])
  return [
    `${count(changed.length, 'packet')} of ${turns.length} would differ; ${before} prompt tokens, then ${after}.${anew}`,
    rows.length > 0 && `\n${table(['turn', 'tokens', 'then', 'leaves changed', 'spots gone', 'new'], rows)}`,
    changed.length > TURNS_MAX &&
      paint('dim', `${changed.length - TURNS_MAX} more turns; --json shows them.`),
    ...spotLines('New blind spots', opened),
    ...spotLines('Blind spots that would be gone', closed),
  ]
}

const spotLines = (title: string, spots: readonly Spot[]): Lines => [
  spots.length > 0 && `\n${paint('bold', title)} (${spots.length})`,
  ...worst(spots).map(({ turn, seq, line, text, names, blame }) => {
    const what = safe(cut(names.length > 0 ? names.join(', ') : text, LINE_CHARS_MAX))
    return wrapped(`- turn ${turn}, #${seq} line ${line}: ${what} (${blameText(blame)})`, 0, 2)
  }),
]

/** Two columns, equal lines beside each other; what only one side has is marked. */
function sideBySide(before: string, after: string): Lines {
  const width = Math.floor(charsLeft(2 * COLUMN_CHARS, 3) / 2)
  const cell = (text: string) => cut(safe(text), width)
  const row = (mark: string, left: string, right: string) =>
    `${cell(left).padEnd(width)} ${mark} ${cell(right)}`
  return diffArrays(before.split('\n'), after.split('\n')).flatMap(({ value, added, removed }) =>
    value.map((line) => {
      if (added) return row(paint('green', '>'), '', line)
      return removed ? row(paint('red', '<'), line, '') : row(' ', line, line)
    }),
  )
}

export default {
  takes: '[agents...]',
  examples: [
    'whatif import-run --limit 1500',
    'whatif import-run --summarizers ./summarizers.ts --turn 9   # both packets side by side',
    'whatif --all --summarizers built-in --gate                  # exit 1 when more is lost than won',
    'whatif --run run-4f2a --view desk-1:json --json',
  ],
  options: [
    LAST_RUN,
    ['--run <id>', 'all agents of this run'],
    ['--all', 'all agents'],
    ['--summarizers <file>', 'a module whose default export is what Memory.open takes; or built-in'],
    ['--limit <tokens>', 'of the packet', wholeNumber],
    ['--view <name[:rendering]>', 'another view, or another rendering of it'],
    ['--turn <n>', 'show the two packets that the calls of this turn are chosen with', wholeNumber],
    ['--gate', 'exit with 1 when new blind spots weigh more than those that go'],
  ],
  call: whatIfCommand,
} satisfies CommandWords
