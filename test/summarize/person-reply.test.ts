import { expect, test } from 'vitest'
import type { Json } from '../../src/event/json.ts'
import { personReply } from '../../src/summarize/person-reply.ts'
import { observed } from '../../src/testing/summarizer.ts'

const reply = (args: Json, text: string) =>
  personReply.summarize(observed({ tool: 'respond', args, text, turn: 4 }))

test('keeps what a person said, whole', () => {
  const text = `Please ship it to the other address.\n${'And mind this. '.repeat(100)}`
  expect(Object.values(reply({ content: 'Where to?' }, text)?.knowledge ?? {}).join('')).toContain(
    text.trim(),
  )
})

test('no answer is no knowledge', () => {
  for (const args of [{ message: 'Hello' }, 'Hello', null, 7, []] as Json[]) {
    const summary = reply(args, ' \n')
    expect(summary?.summary).toEqual(expect.any(String))
    expect(summary?.knowledge).toBeUndefined()
  }
})
