import { memorySettings, withStore } from '../../app/context.ts'
import { agentMeant } from '../../app/names.ts'
import { sayTo } from '../../app/say.ts'
import type { CommandWords } from '../command.ts'
import { readInput } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, safe, self, typed } from '../output.ts'

/** Leaves words for an agent; its own process takes them in at its next turn, on whatever machine that is. */
const sayCommand = (agent: string, words: readonly string[], options: CommonOptions): Promise<Found> =>
  withStore(options, async (store, { config, folder }) => {
    const text = words.length === 1 && words[0] === '-' ? await readInput('-') : words.join(' ')
    const { secrets } = memorySettings(config, folder)
    const left = await sayTo({ store, secrets }, await agentMeant(store, agent, {}), text)
    const next = left.at_work
      ? `${safe(left.name)} takes it in at its next turn.`
      : `${safe(left.name)} has ended and takes it in when it goes on: ${self} resume ${typed(left.name)}`
    return { json: left, lines: () => [next] }
  })

export default {
  takes: '<agent> <words...>',
  examples: [
    'say lint#3 "Leave the public names as they are."',
    'git diff main | twotrack say lint#3 -   # from standard input',
  ],
  call: sayCommand,
} satisfies CommandWords
