import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { foldTurns, readLog } from './golden-log.ts'

const FOLDER = join(import.meta.dirname, 'frozen')

/**
 * Logs of every released view and what they showed. A view never changes once it is released, so nothing here is ever
 * written by a script: when this test fails, the view was changed, and what changed belongs into a new one.
 */
describe.each(readdirSync(FOLDER))('view %s', (view) => {
  test.each(readdirSync(join(FOLDER, view)))('%s shows the same for ever', async (name) => {
    const path = (file: string) => join(FOLDER, view, name, file)
    const turns = await foldTurns(readLog(path('events.jsonl')))
    expect(turns[0]?.settings.view).toBe(view)
    expect(turns.map(({ prompt }) => `${JSON.stringify(prompt.packet)}\n`).join('')).toBe(
      readFileSync(path('packets.jsonl'), 'utf8'),
    )
    expect(turns.map(({ prompt }) => `${prompt.text}\n`).join('\n')).toBe(
      readFileSync(path('prompts.txt'), 'utf8'),
    )
  })
})
