import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
}

export type Content = { type: 'text'; text: string } | ReturnType<typeof called>
export const called = (id: string, name: string, input: unknown) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: name,
  input: typeof input === 'string' ? input : JSON.stringify(input),
})
export const ending = (content: readonly Content[]) => {
  const unified: 'stop' | 'tool-calls' = content.some(({ type }) => type === 'tool-call')
    ? 'tool-calls'
    : 'stop'
  return { finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] }
}
/** A model of the AI SDK's own test kit that answers turn by turn, and keeps what it was sent. */
export function answering(answers: (turn: number) => Content[]) {
  let turn = 0
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const content = answers(++turn)
      return { content, ...ending(content) }
    },
    doStream: async () => {
      const content = answers(++turn)
      const parts = content.flatMap((part, at): LanguageModelV4StreamPart[] =>
        part.type === 'text'
          ? [
              { type: 'text-start' as const, id: `${at}` },
              { type: 'text-delta' as const, id: `${at}`, delta: part.text },
              { type: 'text-end' as const, id: `${at}` },
            ]
          : [part],
      )
      const { finishReason, usage } = ending(content)
      const chunks: LanguageModelV4StreamPart[] = [
        { type: 'stream-start' as const, warnings: [] },
        ...parts,
        { type: 'finish' as const, finishReason, usage },
      ]
      return { stream: simulateReadableStream({ chunks }) }
    },
  })
}
