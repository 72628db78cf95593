import { expect, test } from 'vitest'
import type { Json } from '../../src/core/event/json.ts'
import { personReply } from '../../src/summarize/person-reply.ts'
import { observed } from '../../src/testing/summarizer.ts'

const reply = (args: Json, text: string) =>
  personReply.summarize(observed({ tool: 'respond', args, text, turn: 4 }))

test('says what was asked and answered; the answer itself is recorded as words of a person', () => {
  const summary = reply({ content: 'Where to?' }, 'Please ship it to the other address.')
  expect(summary).toMatchObject({ output: null, summary: expect.stringContaining('Where to?') })
})

test('no answer is no knowledge', () => {
  for (const args of [{ message: 'Hello' }, 'Hello', null, 7, []] as Json[]) {
    const summary = reply(args, ' \n')
    expect(summary?.summary).toEqual(expect.any(String))
    expect(summary?.knowledge).toBeUndefined()
  }
})
