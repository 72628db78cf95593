import { diffArrays } from 'diff'
import { withStore } from '../../app/context.ts'
import { agentsMeant, type WhichOptions } from '../../app/names.ts'
import { type OtherWay, whatIfOf, whatIfTurnOf, worst } from '../../app/whatif.ts'
import type { Spot } from '../../audit/blindspots/spot.ts'
import { blameText } from '../../audit/blindspots/spot.ts'
import type { WhatIf } from '../../audit/whatif/whatif.ts'
import { cut } from '../../text/cut.ts'
import { type CommandWords, LAST_RUN, wholeNumber } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { charsLeft, count, type Found, type Lines, paint, safe, table, wrapped } from '../output.ts'

interface WhatIfCommandOptions extends CommonOptions, WhichOptions, OtherWay {
  readonly turn?: number
  readonly gate?: boolean
}

const TURNS_MAX = 20
const LINE_CHARS_MAX = 140
const COLUMN_CHARS = 78

/** Old logs folded with something else, beside what they are; with `--gate` a check that nothing gets worse. */
const whatIfCommand = (agents: readonly string[], options: WhatIfCommandOptions): Promise<Found> =>
  withStore(options, async (store) => {
    const meant = await agentsMeant(store, agents, options)
    if (options.turn !== undefined) {
      const found = await whatIfTurnOf(store, meant, options.turn, options)
      return { json: found, lines: () => sideBySide(found.packets.before, found.packets.after) }
    }
    const found = await whatIfOf(store, meant, options)
    const { balance, logs } = found
    const [only] = logs
    return {
      json: found,
      code: options.gate && balance < 0 ? 1 : 0,
      lines: () => [
        ...(only && logs.length === 1 ? whatIfLines(only) : [tableOf(logs)]),
        `\nbalance ${balance}: ${verdict(balance)}`,
      ],
    }
  })

const verdict = (balance: number): string =>
  balance === 0
    ? 'nothing is lost or won'
    : balance < 0
      ? paint('red', 'more is lost than won')
      : paint('green', 'more is won than lost')

const tableOf = (logs: readonly WhatIf[]): string =>
  table(
    ['agent', 'changed', 'tokens', 'then', 'gone', 'new', 'balance'],
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
    'whatif --run run-4f2a --view desk:json --json',
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
