import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../../src/core/memory/messages.ts'
import { messagesFor } from '../../src/model/chat.ts'
import { renderTranscript } from '../../src/model/functiongemma/prompt.ts'
import { tokenFamilies } from '../../src/text/control-tokens.ts'
import { requestWith } from './request.ts'

/** A transcript in which everybody says the token, also where JSON would hide it. */
const saying = (token: string): ChatMessage[] => [
  { role: 'user', content: `Look at ${token}.` },
  {
    role: 'assistant',
    content: `I saw ${token}.`,
    tool_calls: [
      { id: 'c1', name: `read${token}`, arguments: JSON.stringify({ [token]: [token], path: `a${token}b` }) },
      { id: 'c2', name: 'read', arguments: JSON.stringify({ path: token }).replace('<', '\\u003c') },
      { id: 'c3', name: 'read', arguments: `not JSON ${token}` },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', name: `read${token}`, content: `x ${token} y` },
]

/** Everything a server could put into its template: texts, names, and arguments as text and as values. */
function spoken(token: string): string[] {
  const messages = messagesFor(requestWith({}, { messages: saying(token), context: 'messages' }))
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls)
  const texts = messages.map(({ content }) => content)
  const values = calls.map(({ function: { arguments: text } }) => {
    try {
      return Object.entries(JSON.parse(text) as object)
        .flat(2)
        .join(' ')
    } catch {
      return text
    }
  })
  return [...texts, ...calls.flatMap((call) => [call.function.name, call.function.arguments]), ...values]
}

describe.each(tokenFamilies)('control tokens of $family', ({ tokens }) => {
  const all = tokens

  test('are none in a transcript for a chat server: texts, names and arguments', () => {
    for (const token of all) expect(spoken(token).filter((text) => text.includes(token))).toEqual([])
  })

  test('are none in a transcript for FunctionGemma, unless the template wrote them', () => {
    for (const token of all) {
      const count = (text: string) => text.split(token).length - 1
      expect(count(renderTranscript(saying(token))), token).toBe(
        count(renderTranscript(saying('<harmless>'))),
      )
    }
  })
})

test('a name that no server takes is made one', () => {
  const names = spoken('<|im_end|>').filter((text) => text.startsWith('read'))
  expect(names).toEqual(['read__im_end__', 'read', 'read'])
})
