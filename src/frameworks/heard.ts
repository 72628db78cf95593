import type { Call, ToolDeclaration } from '../core/event/event.ts'
import type { Json } from '../core/event/json.ts'
import type { Memory } from '../memory.ts'
import { notWords } from './fields.ts'

/** What a framework is about to send to its model, read from whatever form it has. */
export interface Heard {
  readonly model: string
  readonly instructions: string
  readonly tools: readonly ToolDeclaration[]
  /** The conversation so far, in order. */
  readonly steps: readonly HeardStep[]
}

export type HeardStep = HeardPerson | HeardAnswer | HeardResult

interface HeardPerson {
  readonly kind: 'person'
  readonly text: string
  /** A part that is no words, as an error names it. */
  readonly other?: string | undefined
}

/** Words and calls of a model; those that follow one another are one answer. */
interface HeardAnswer {
  readonly kind: 'model'
  readonly text: string
  readonly calls: readonly Call[]
}

/** A result that stands in the conversation, whoever ran the call. */
export interface HeardResult {
  readonly kind: 'result'
  readonly callId: string
  readonly tool: string
  readonly args: Json
  readonly returned: unknown
}

/** What a person said since the model or a tool last spoke, and what stands before it. */
export function partedAtLast(steps: readonly HeardStep[]): {
  readonly earlier: readonly HeardStep[]
  readonly said: string
} {
  const begin = steps.findLastIndex(({ kind }) => kind !== 'person') + 1
  const said = steps.slice(begin).map((step) => {
    if (step.kind !== 'person') return ''
    if (step.other !== undefined) throw notWords(step.other)
    return step.text
  })
  return { earlier: steps.slice(0, begin), said: said.join('\n\n') }
}

/** What a person said before the log began. A part that is no words leaves a mark. */
export const earlierWordsOf = ({ text, other }: HeardPerson): string =>
  [text, other === undefined ? '' : `[a part of type ${other} is not shown]`]
    .filter((part) => part !== '')
    .join('\n\n')

/** Which model gave an earlier answer stands in no conversation. */
const EARLIER_MODEL = 'unknown'

/** Records what stood in a conversation before its log began. `isGoal` is the message that the log began with. */
export async function recordEarlier(
  memory: Memory,
  steps: readonly HeardStep[],
  isGoal: (step: HeardStep) => boolean,
  recordResult: (result: HeardResult) => Promise<void>,
): Promise<void> {
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'result') await recordResult(step)
    else if (step.kind === 'person') {
      if (!isGoal(step) && earlierWordsOf(step) !== '') await memory.say(earlierWordsOf(step))
    } else if (steps[at - 1]?.kind !== 'model') {
      const { text, calls } = answerAt(steps, at)
      if (text === '' && calls.length === 0) continue
      await memory.startTurn()
      await memory.recordResponse({ model: EARLIER_MODEL, text, calls })
    }
  }
}

function answerAt(steps: readonly HeardStep[], begin: number): Omit<HeardAnswer, 'kind'> {
  const end = steps.findIndex(({ kind }, at) => at > begin && kind !== 'model')
  const parts = steps
    .slice(begin, end === -1 ? undefined : end)
    .flatMap((step) => (step.kind === 'model' ? [step] : []))
  return {
    text: parts
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
    calls: parts.flatMap(({ calls }) => calls),
  }
}
