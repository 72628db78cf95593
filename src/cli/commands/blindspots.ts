import { type BlindSpotsOfLogs, blindSpotsOf } from '../../app/blindspots.ts'
import { withStore } from '../../app/context.ts'
import { agentsMeant, type WhichOptions } from '../../app/names.ts'
import type { Harm } from '../../audit/blindspots/spot.ts'
import { blameText } from '../../audit/blindspots/spot.ts'
import { type CommandWords, LAST_RUN, wholeNumber } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { count, excerpt, type Found, type Lines, paint, safe, self, table, wrapped } from '../output.ts'

interface BlindSpotsOptions extends CommonOptions, WhichOptions {
  readonly turn?: number
  readonly most?: number
}

const LINE_CHARS_MAX = 160

/** What raw outputs said and packets did not show when it mattered, over one or many logs. */
const blindSpotsCommand = (agents: readonly string[], options: BlindSpotsOptions): Promise<Found> =>
  withStore(options, async (store) => {
    const meant = await agentsMeant(store, agents, options)
    const found = await blindSpotsOf(store, meant, options)
    const isImported = (await store.list({ operation: 'import' })).some(({ agent_id }) =>
      meant.includes(agent_id),
    )
    return { json: found, lines: () => blindSpotLines(found, isImported) }
  })

function blindSpotLines({ logs, spots, causes }: BlindSpotsOfLogs, isImported: boolean): Lines {
  const sum = (of: 'decisions' | 'blind' | 'names_needed' | 'names_missed' | 'pruned') =>
    logs.reduce((all, log) => all + log[of], 0)
  const rows = Object.entries(causes).sort((a, b) => b[1] - a[1])
  const [first] = spots
  return [
    wrapped(
      `${count(logs.length, 'log')}, ${count(sum('decisions'), 'decision')}; ` +
        `before ${sum('blind')} of them the packet lacked something that raw output had said. ` +
        `${sum('names_missed')} of ${count(sum('names_needed'), 'name')} that calls took from outputs were not in the packet.`,
    ),
    isImported &&
      wrapped('Of imported recordings: their models had what their harness gave them, not this packet.'),
    ...spots.flatMap((spot, at) => spotLines(at + 1, spot, logs.length > 1)),
    first && `\n${table(['to blame', 'spots'], rows)}`,
    first &&
      paint(
        'dim',
        `\nThe packet there: ${self} replay ${first.agent_id} --turn ${Math.max(0, first.turn - 1)}`,
      ),
    sum('pruned') > 0 &&
      paint('yellow', `${count(sum('pruned'), 'output')} were pruned; what they said can't be known.`),
  ]
}

function spotLines(at: number, spot: BlindSpotsOfLogs['spots'][number], withAgent: boolean): string[] {
  const { turn, seq, line, to_line, kind, names, harm, blame, text } = spot
  const of = withAgent ? `${safe(spot.agent_id)}, ` : ''
  const place = `#${seq} ${line === to_line ? `line ${line}` : `lines ${line}-${to_line}`}`
  const head = `${of}turn ${turn}: the packet lacked ${paint('bold', place)} (${kind.replace('_', ' ')}): ${harmText(harm)}`
  const some = `${safe(names.slice(0, 6).join(', '))}${names.length > 6 ? ', …' : ''}`
  return [
    `\n${wrapped(`${String(at).padStart(2)}. ${head}`, 0, 4)}`,
    `      ${marked(excerpt(text, LINE_CHARS_MAX, 6), names)}`,
    paint('dim', wrapped(`${names.length === 0 ? '' : `needed: ${some}; `}to blame: ${blameText(blame)}`, 4)),
  ]
}

/** The names that a call needed, bright on a terminal. */
const marked = (line: string, names: readonly string[]): string =>
  names.reduce((shown, name) => shown.replace(name, () => paint('inverse', name)), line)

const HARM: Readonly<Record<Harm['kind'], string>> = {
  call_failed: 'a call that needed it failed',
  asked_again: 'asked for again',
  named: 'named',
  failed_after: 'the next calls failed',
}

const harmText = (harm: readonly Harm[]): string =>
  [...Map.groupBy(harm, ({ kind }) => kind)]
    .map(([kind, same]) => {
      const calls = [...new Set(same.map(({ seq }) => `#${seq}`))]
      return `${HARM[kind]} (${calls.slice(0, 4).join(', ')}${calls.length > 4 ? ', …' : ''})`
    })
    .join('; ') || 'nothing shows that it mattered'

export default {
  takes: '[agents...]',
  examples: [
    'blindspots import-run',
    'blindspots import-run --turn 9   # what the calls of turn 9 were chosen without',
    'blindspots --run run-4f2a --most 30',
    'blindspots --all --json',
  ],
  options: [
    LAST_RUN,
    ['--run <id>', 'all agents of this run'],
    ['--all', 'all agents'],
    ['--turn <n>', 'only what the calls of this turn were chosen without', wholeNumber],
    ['--most <n>', 'how many to list, the worst first (default: 10)', wholeNumber],
  ],
  call: blindSpotsCommand,
} satisfies CommandWords
