import { withStore } from '../../app/context.ts'
import { handoverOf, lastSession } from '../../app/handover.ts'
import { agentMeant } from '../../app/names.ts'
import { defined } from '../../core/event/json.ts'
import { type CommandWords, wholeNumber } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import type { Found } from '../output.ts'

interface HandoverOptions extends CommonOptions {
  readonly tokens?: number
}

/** The packet of the last session of this project, for whoever goes on with it: any other harness, or a person. */
async function handoverCommand(agent: string | undefined, options: HandoverOptions): Promise<Found> {
  return withStore(options, async (store) => {
    const meant = agent === undefined ? await lastSession(store) : await agentMeant(store, agent, {})
    const handover = await handoverOf(store, meant, defined({ tokens: options.tokens }))
    return { json: handover, lines: () => handover.text.split('\n') }
  })
}

export default {
  takes: '[agent]',
  examples: [
    'handover | pbcopy                      # into any chat',
    'codex "$(twotrack handover) Go on."    # what another agent began',
    'handover claude-code-1f0c --tokens 1500',
  ],
  options: [['--tokens <n>', 'at most so many (default: those of its packet)', wholeNumber]],
  call: handoverCommand,
} satisfies CommandWords
