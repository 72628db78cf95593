import { type BlindSpots, blameText, blindSpots } from '../../audit/blindspots/blindspots.ts'
import { byScore } from '../../audit/blindspots/score.ts'
import type { Harm, Spot } from '../../audit/blindspots/spot.ts'
import { TwotrackError } from '../../errors.ts'
import { type CommonOptions, withStore } from '../context.ts'
import { agentsMeant, type WhichOptions } from '../names.ts'
import { count, excerpt, paint, print, printJson, safe, self, table, wrapped } from '../output.ts'

export interface BlindSpotsOptions extends CommonOptions, WhichOptions {
  readonly turn?: number
  readonly most?: number
}

const MOST_DEFAULT = 10
const LINE_CHARS_MAX = 160

/** A spot of one of several logs. */
type Found = Spot & { readonly agent_id: string }

/** What raw outputs said and packets did not show when it mattered, over one or many logs. */
export async function blindSpotsCommand(
  agents: readonly string[],
  options: BlindSpotsOptions,
): Promise<number> {
  const most = options.most ?? MOST_DEFAULT
  return withStore(options, async (store) => {
    const meant = await agentsMeant(store, agents, options)
    if (options.turn !== undefined && meant.length > 1)
      throw new TwotrackError('bad_argument', '--turn looks at one decision of one agent; name that agent.')
    const logs: Omit<BlindSpots, 'spots'>[] = []
    let worst: Found[] = []
    const causes = new Map<string, number>()
    for (const agent of meant) {
      const { spots, ...log } = await blindSpots(store, agent, {
        most: Number.MAX_SAFE_INTEGER,
        ...(options.turn === undefined ? {} : { turn: options.turn }),
      })
      logs.push(log)
      for (const { blame } of spots) causes.set(blameText(blame), (causes.get(blameText(blame)) ?? 0) + 1)
      // Only as many as are shown are kept: there may be ten thousand logs.
      worst = [...worst, ...spots.map((spot) => ({ agent_id: agent, ...spot }))].sort(byScore).slice(0, most)
    }
    if (options.json) printJson({ logs, spots: worst, causes: Object.fromEntries(causes) })
    else printAll(logs, worst, causes)
    return 0
  })
}

function printAll(
  logs: readonly Omit<BlindSpots, 'spots'>[],
  spots: readonly Found[],
  causes: ReadonlyMap<string, number>,
): void {
  const sum = (of: (log: Omit<BlindSpots, 'spots'>) => number) => logs.reduce((all, log) => all + of(log), 0)
  const decisions = sum((log) => log.decisions)
  const needed = sum(({ names_needed }) => names_needed)
  print(
    wrapped(
      `${count(logs.length, 'log')}, ${count(decisions, 'decision')}; ` +
        `${sum(({ blind }) => blind)} were made without something that raw output had said. ` +
        `${sum(({ names_missed }) => names_missed)} of ${count(needed, 'name')} that calls took from outputs were not in the packet.`,
    ),
  )
  for (const [at, spot] of spots.entries()) printSpot(at + 1, spot, logs.length > 1)
  if (spots.length > 0) {
    const rows = [...causes].sort((a, b) => b[1] - a[1]).map(([cause, spots]) => [cause, spots] as const)
    print(`\n${table(['to blame', 'spots'], rows)}`)
    const [{ agent_id, turn } = { agent_id: '', turn: 0 }] = spots
    print(
      paint('dim', `\nWhat the model saw there: ${self} replay ${agent_id} --turn ${Math.max(0, turn - 1)}`),
    )
  }
  const invented = sum(({ invented_count }) => invented_count)
  if (invented > 0)
    print(paint('dim', `${count(invented, 'name')} in calls stood in no output: the model's own.`))
  const pruned = sum(({ pruned }) => pruned)
  if (pruned > 0)
    print(paint('yellow', `${count(pruned, 'output')} were pruned; what they said can't be known.`))
}

function printSpot(at: number, spot: Found, withAgent: boolean): void {
  const { turn, seq, kind, names, harm, blame, text } = spot
  const of = withAgent ? `${safe(spot.agent_id)}, ` : ''
  const head = `${of}turn ${turn} chose without ${paint('bold', `#${seq} ${placeOf(spot)}`)} (${kind.replace('_', ' ')}): ${harmText(harm)}`
  print(`\n${wrapped(`${String(at).padStart(2)}. ${head}`, 0, 4)}`)
  print(`      ${marked(excerpt(text, LINE_CHARS_MAX, 6), names)}`)
  const needed =
    names.length === 0
      ? ''
      : `needed: ${safe(names.slice(0, 6).join(', '))}${names.length > 6 ? ', …' : ''}; `
  print(paint('dim', wrapped(`${needed}to blame: ${blameText(blame)}`, 4)))
}

const placeOf = ({ line, to_line }: Spot): string =>
  line === to_line ? `line ${line}` : `lines ${line}-${to_line}`

/** The names that a call needed, bright on a terminal. */
function marked(line: string, names: readonly string[]): string {
  let shown = line
  for (const name of names) {
    const from = shown.indexOf(name)
    if (from >= 0)
      shown = `${shown.slice(0, from)}${paint('inverse', shown.slice(from, from + name.length))}${shown.slice(from + name.length)}`
  }
  return shown
}

const HARM: Readonly<Record<Harm['kind'], string>> = {
  call_failed: 'a call that needed it failed',
  asked_again: 'asked for again',
  named: 'named',
  failed_after: 'the next calls failed',
}

function harmText(harm: readonly Harm[]): string {
  if (harm.length === 0) return 'nothing shows that it mattered'
  const kinds = [...new Set(harm.map(({ kind }) => kind))]
  return kinds
    .map((kind) => {
      const calls = [...new Set(harm.filter((one) => one.kind === kind).map(({ seq }) => `#${seq}`))]
      return `${HARM[kind]} (${calls.slice(0, 4).join(', ')}${calls.length > 4 ? ', …' : ''})`
    })
    .join('; ')
}
