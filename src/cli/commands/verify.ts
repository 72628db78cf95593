import { z } from 'zod'
import { withStore } from '../../app/context.ts'
import { agentsMeant, type WhichOptions } from '../../app/names.ts'
import { verifyAll } from '../../app/verify.ts'
import type { Verified } from '../../audit/verify.ts'
import { tryParse } from '../../core/event/json.ts'
import type { Finding, Head } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { type CommandWords, LAST_RUN } from '../command.ts'
import { readInput } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, paint, progress, safe } from '../output.ts'

interface VerifyOptions extends CommonOptions, WhichOptions {
  readonly heads?: string
}

/** Checks logs, blobs, prompts and indexes; 0 when all is well, 1 when anything is not. */
async function verifyCommand(agents: readonly string[], options: VerifyOptions): Promise<Found> {
  const heads = options.heads === undefined ? new Map<string, Head>() : await readHeads(options.heads)
  return withStore(options, async (store) => {
    const isSome = agents.length > 0 || options.last === true
    const some = isSome ? await agentsMeant(store, agents, options) : undefined
    const found = await verifyAll(store, some, heads, progress)
    const { ok, logs, store: beside } = found
    const events = logs.reduce((sum, log) => sum + log.events, 0)
    const verdict = ok ? paint('green', 'intact') : paint('red', 'NOT intact')
    return {
      json: found,
      code: ok ? 0 : 1,
      lines: () => [
        ...logs.flatMap(logLines),
        ...beside.map(findingLine),
        `${verdict}: ${count(logs.length, 'log')}, ${count(events, 'event')}`,
      ],
    }
  })
}

const headsSchema = z.object({
  logs: z.array(
    z.object({ agent_id: z.string(), head: z.object({ seq: z.number(), hash: z.string() }).optional() }),
  ),
})

/** Heads kept elsewhere: the output of an earlier `verify --json`. */
async function readHeads(file: string): Promise<Map<string, Head>> {
  const parsed = headsSchema.safeParse(tryParse(await readInput(file)))
  if (!parsed.success)
    throw new TwotrackError('bad_argument', `${file} is not the output of "twotrack verify --json".`)
  return new Map(parsed.data.logs.flatMap(({ agent_id, head }) => (head ? [[agent_id, head] as const] : [])))
}

function logLines(log: Verified): string[] {
  const mark = log.ok ? paint('green', '✓') : paint('red', '✗')
  const parts = [count(log.events, 'event'), count(log.blobs, 'blob'), promptWords(log)]
  if (log.accepted > 0) parts.push(`${count(log.accepted, 'file')} accepted`)
  const head = `head ${log.head?.hash.slice(0, 12) ?? 'none'}`
  return [
    `${mark} ${safe(log.agent_id)}  ${paint('dim', [...parts, head].join(', '))}`,
    ...log.findings.map(findingLine),
  ]
}

/** How many prompts there are, and how close to what went out. */
function promptWords({ prompts, sent, wire }: Verified): string {
  if (wire === 'unseen') return 'requests of another program, unseen'
  const how = sent === prompts ? 'as sent' : sent > 0 ? `${sent} as sent, others handed over` : 'handed over'
  return `${count(prompts, 'prompt')}${prompts === 0 ? '' : ` (${how})`}`
}

const findingLine = ({ level, where, what }: Finding): string =>
  `  ${paint(level === 'error' ? 'red' : 'yellow', level)} ${safe(where)}: ${safe(what)}`

export default {
  takes: '[agents...]',
  examples: [
    'verify',
    'verify --json > heads.json        # keep the heads elsewhere',
    'verify --heads heads.json         # and find a rewritten tail',
  ],
  options: [LAST_RUN, ['--heads <file>', 'heads kept from an earlier verify --json']],
  call: verifyCommand,
} satisfies CommandWords
