import { answerQuestion, type CallQuestion, questionsOf } from '../../app/approve.ts'
import { withStore } from '../../app/context.ts'
import { agentMeant } from '../../app/names.ts'
import { canonical } from '../../core/event/json.ts'
import { type CommandWords, OF_RUN } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, paint, safe, self, typed } from '../output.ts'

interface ApproveOptions extends CommonOptions {
  readonly run?: string
  readonly deny?: boolean
}

/** Answers a call that an agent's policy lets wait for a person, from any machine; without an agent it shows what waits. */
const approveCommand = (agent: string | undefined, options: ApproveOptions): Promise<Found> =>
  withStore(options, async (store): Promise<Found> => {
    if (agent === undefined) {
      const open = await questionsOf(store, options.run)
      const none = paint('dim', 'No call waits for a person.')
      return { json: open, lines: () => (open.length === 0 ? [none] : open.flatMap(questionLines)) }
    }
    const allowed = options.deny !== true
    const question = await answerQuestion(store, await agentMeant(store, agent, {}), allowed)
    const verb = allowed ? paint('green', 'approved') : paint('red', 'denied')
    return { json: { ...question, allowed }, lines: () => [`${verb} ${wordsOf(question)}`] }
  })

const wordsOf = ({ agent_id, tool, args }: CallQuestion): string =>
  `${safe(agent_id)}: ${safe(tool)} ${safe(canonical(args))}`

const questionLines = (question: CallQuestion): string[] => [
  `${wordsOf(question)} (${safe(question.effect)}, since ${question.since.slice(11, 16)})`,
  paint('dim', `  ${self} approve ${typed(question.agent_id)}   or with --deny`),
]

export default {
  takes: '[agent]',
  examples: ['approve                # what waits', 'approve deploy#1', 'approve deploy#1 --deny'],
  options: [OF_RUN, ['--deny', 'do not let it run']],
  call: approveCommand,
} satisfies CommandWords
