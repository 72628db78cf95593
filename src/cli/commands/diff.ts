import { withAgent } from '../../app/context.ts'
import type { WhichOptions } from '../../app/names.ts'
import { changedBetween } from '../../app/replay.ts'
import type { Json } from '../../core/event/json.ts'
import { cut } from '../../text/cut.ts'
import { type CommandWords, LAST_AGENT } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, safe } from '../output.ts'

interface DiffOptions extends CommonOptions, WhichOptions {
  readonly from: number
  readonly to: number
}

/** What changed in the packet between two turns. */
const diffCommand = (agent: string | undefined, options: DiffOptions): Promise<Found> =>
  withAgent(agent, options, async (store, agentId) => {
    const changes = await changedBetween(store, agentId, options.from, options.to)
    return {
      json: changes,
      lines: () => [
        changes.length === 0 && 'The packets are the same.',
        ...changes.flatMap(({ path, before, after }) => [
          ...linesOf(before, after).map((line) => paint('red', `- ${safe(path)}: ${line}`)),
          ...linesOf(after, before).map((line) => paint('green', `+ ${safe(path)}: ${line}`)),
        ]),
      ],
    }
  })

/** Of what is there on one side only; --json has all of it. */
const VALUE_CHARS_MAX = 300

/** A value as one line; of a text with another in its place, only the lines that the other has not. */
function linesOf(value: Json | undefined, other: Json | undefined): string[] {
  if (value === undefined) return []
  if (typeof value !== 'string' || typeof other !== 'string' || value === '' || other === '')
    return [safe(cut(JSON.stringify(value), VALUE_CHARS_MAX))]
  if (!/\n/.test(value + other)) return [safe(JSON.stringify(value))]
  const known = new Set(other.split('\n'))
  return value.split('\n').flatMap((line) => (known.has(line) ? [] : [safe(line)]))
}

export default {
  takes: '[agent]',
  examples: ['diff import-run --from 3 --to 4'],
  options: [
    LAST_AGENT,
    ['--from <turn>', 'the earlier turn', 'required'],
    ['--to <turn>', 'the later turn', 'required'],
  ],
  call: diffCommand,
} satisfies CommandWords
