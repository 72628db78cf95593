import { withAgent } from '../../app/context.ts'
import type { WhichOptions } from '../../app/names.ts'
import { changedBetween } from '../../app/replay.ts'
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
          before !== undefined && paint('red', `- ${safe(path)}: ${safe(JSON.stringify(before))}`),
          after !== undefined && paint('green', `+ ${safe(path)}: ${safe(JSON.stringify(after))}`),
        ]),
      ],
    }
  })

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
