import { withStore } from '../../app/context.ts'
import type { Compared } from '../../app/heads.ts'
import { agentsMeant, type WhichOptions } from '../../app/names.ts'
import { verifyAll } from '../../app/verify.ts'
import type { RedactionFound, Verified } from '../../audit/verified.ts'
import type { Finding } from '../../core/store/finding.ts'
import { type CommandWords, LAST_RUN } from '../command.ts'
import { readInput } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, paint, progress, safe, UNKNOWN_VIEW, wrapped } from '../output.ts'

interface VerifyOptions extends CommonOptions, WhichOptions {
  readonly heads?: string
  readonly note?: boolean
}

/** Checks logs, blobs, prompts and indexes; 0 when all is well, 1 when anything is not, 3 when prompts are in a view that is not known here. */
async function verifyCommand(agents: readonly string[], options: VerifyOptions): Promise<Found> {
  const { heads: name, note } = options
  const file = name === undefined ? undefined : { name, text: await readInput(name) }
  return withStore(options, async (store, { folder, root: project }) => {
    const isSome = agents.length > 0 || options.last === true
    const some = isSome ? await agentsMeant(store, agents, options) : undefined
    const found = await verifyAll(store, { folder, project, some, file, note, onLog: progress })
    const { ok, logs, store: beside, compared } = found
    const events = logs.reduce((sum, log) => sum + log.events, 0)
    const verdict = ok ? paint('green', 'intact') : paint('red', 'NOT intact')
    const unknown = logs.flatMap(({ unknown_view }) => unknown_view ?? [])
    return {
      json: found,
      code: ok ? (unknown.length > 0 ? UNKNOWN_VIEW : 0) : 1,
      lines: () => [
        ...logs.flatMap(logLines),
        ...beside.map(findingLine),
        `${verdict}: ${count(logs.length, 'log')}, ${count(events, 'event')}`,
        unknown.length > 0 &&
          `Prompts of ${count(unknown.length, 'log')} were not checked: shown in the view ${[...new Set(unknown)].join(', ')}, ` +
            'which is not known here. The version that wrote them can.',
        ...comparedLines(compared),
        ok && note && 'The heads are a git note of the last commit now (git log --notes=twotrack).',
      ],
    }
  })
}

/** What shows whether a log was rewritten as a whole; nothing in the folder itself could. */
function comparedLines(compared: readonly Compared[]): string[] {
  if (compared.length === 0)
    return ['Compared with nothing kept elsewhere: who can write this folder could have rewritten its logs.']
  const line = ({ with: what, time, logs, key }: Compared) =>
    [
      `Compared with ${what}${time ? ` of ${time.slice(0, 16).replace('T', ' ')}` : ''}: ${count(logs, 'log')}`,
      ...(key ? [`signed by the key ${key.slice(0, 12)}, which is not yours`] : []),
    ].join(', ')
  return compared.map(line)
}

function logLines(log: Verified): string[] {
  const isWhole = log.unknown_view === undefined
  const mark = !log.ok ? paint('red', '✗') : isWhole ? paint('green', '✓') : paint('yellow', '?')
  const parts = [count(log.events, 'event'), count(log.blobs, 'blob'), promptWords(log)]
  if (log.accepted > 0) parts.push(`${count(log.accepted, 'file')} accepted`)
  const head = `head ${log.head?.hash.slice(0, 12) ?? 'none'}`
  return [
    wrapped(`${mark} ${safe(log.agent_id)}  ${[...parts, head].join(', ')}`, 0, 4),
    ...log.redactions.map(redactionLine),
    ...log.findings.map(findingLine),
  ]
}

/** How many prompts there are, and how close to what went out. */
function promptWords({ prompts, sent, wire, unknown_view }: Verified): string {
  if (wire === 'unseen') return 'requests of another program, unseen'
  const how = sent === prompts ? 'as sent' : sent > 0 ? `${sent} as sent, others handed over` : 'handed over'
  const checked = unknown_view === undefined ? how : `${how}, not checked`
  return `${count(prompts, 'prompt')}${prompts === 0 ? '' : ` (${checked})`}`
}

/** Events that are not as they were, on purpose: never left unsaid. */
function redactionLine({ by, timestamp, reason, pattern, marked, removed }: RedactionFound): string {
  const of = (seqs: readonly (readonly [number, number])[]) =>
    seqs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ')
  const what = [
    ...(marked.length > 0 ? [`redacted events ${of(marked)}`] : []),
    ...(removed.length > 0 ? [`raw output removed of events ${of(removed)}`] : []),
  ].join('; ')
  return `  ${paint('yellow', what)} ${safe(`by ${by}, ${timestamp.slice(0, 19)}: ${pattern} (${reason})`)}`
}

const findingLine = ({ level, where, what }: Finding): string =>
  `  ${paint(level === 'error' ? 'red' : 'yellow', level)} ${safe(where)}: ${safe(what)}`

export default {
  takes: '[agents...]',
  examples: [
    'verify',
    'verify --json > heads.json        # keep the heads elsewhere',
    'verify --heads heads.json         # and find a rewritten tail',
    'verify --note                     # keep them as a signed note of the last commit',
  ],
  options: [
    LAST_RUN,
    ['--heads <file>', 'heads kept from an earlier verify --json, or signed ones'],
    ['--note', 'keep the heads, signed, as a git note of the last commit'],
  ],
  call: verifyCommand,
} satisfies CommandWords
