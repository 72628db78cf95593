import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SCENARIOS } from './golden/scenarios.ts'
import { foldTurns, readLog } from './golden-log.ts'

const UPDATE = process.env['UPDATE_GOLDEN'] === '1'
const FOLDER = join(import.meta.dirname, 'golden')
const path = (name: string, file: string) => join(FOLDER, name, file)

/**
 * Logs that were recorded once and must fold to the same packets for ever. `npm run golden:update` records the
 * scenarios anew with today's summarizers, and writes what they fold to; its diff is what changed.
 */
describe('golden logs', () => {
  test('every scenario has a log and every log a scenario', () => {
    const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    if (!UPDATE) expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(SCENARIOS).sort())
  })

  test.each(Object.entries(SCENARIOS))('%s', async (name, record) => {
    if (UPDATE) {
      mkdirSync(join(FOLDER, name), { recursive: true })
      writeFileSync(path(name, 'events.jsonl'), await record())
    }
    const turns = (await foldTurns(readLog(path(name, 'events.jsonl')))).map(({ prompt }) => prompt)
    const packets = turns.map(({ packet }) => `${JSON.stringify(packet)}\n`).join('')
    const prompts = turns
      .map(({ packet, text, tokens }) => `=== turn ${packet.turn}, ${tokens} tokens ===\n${text}\n\n`)
      .join('')
    if (UPDATE) {
      writeFileSync(path(name, 'packets.jsonl'), packets)
      writeFileSync(path(name, 'prompts.txt'), prompts)
    }
    expect(prompts).toBe(readFileSync(path(name, 'prompts.txt'), 'utf8'))
    expect(packets).toBe(readFileSync(path(name, 'packets.jsonl'), 'utf8'))
  })

  test.each(Object.entries(SCENARIOS))('%s is recorded the same twice', async (_name, record) => {
    const first = await record()
    const again = await record()
    expect(again === first).toBe(true)
  })
})
