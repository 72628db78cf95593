import { describe, expect, test } from 'vitest'
import { verifyLog } from '../../src/audit/verify.ts'
import { Memory } from '../../src/memory.ts'
import { firstCandidate } from '../../src/model/first-candidate.ts'
import { scripted } from '../../src/model/scripted.ts'
import { answerEscalation, escalationBundle } from '../../src/run/answer.ts'
import { startAgent } from '../../src/run/start.ts'
import { memoryStore } from '../../src/store/memory.ts'

const again = { text: '', calls: [{ call_id: 'c', tool: 'nothing', args: {} }] }

async function stuckAgent() {
  const store = memoryStore()
  const report = await startAgent({
    store,
    agentId: 'a',
    goal: 'Be done.',
    model: scripted([again, again, again, again]),
    limits: { turnsMax: 3 },
  })
  expect(report.stop.reason).not.toBe('submitted')
  return store
}

describe('an answer to an escalation', () => {
  test("is a person's words in the packet, and a resumed run goes on from it", async () => {
    const store = await stuckAgent()
    const { bundle } = await escalationBundle(store, 'a')
    expect(bundle.reason).toMatch(/^(loop|turn_limit), /)
    const { event, recorded } = await answerEscalation(store, 'a', { text: '  Call submit_result.\n' })
    expect(recorded).toBe(true)
    expect(event.data).toMatchObject({ answer: 'Call submit_result.' })
    expect(event.data).not.toHaveProperty('model')
    const prompts: string[] = []
    const model = scripted([
      { text: '', calls: [{ call_id: 's', tool: 'submit_result', args: { summary: 'done' } }] },
    ])
    const resumed = await startAgent({
      store,
      agentId: 'a',
      limits: { turnsMax: 3 },
      model: {
        ...model,
        answer(request, signal) {
          prompts.push(request.prompt.text)
          return model.answer(request, signal)
        },
      },
    })
    expect(resumed.stop.reason).toBe('submitted')
    expect(prompts[0]).toContain('Call submit_result.')
    expect(await verifyLog(store, 'a')).toMatchObject({ ok: true, findings: [] })
  })

  test("a larger model's is advice, and its name is kept", async () => {
    const store = await stuckAgent()
    await answerEscalation(store, 'a', { text: 'Submit.', model: 'large' })
    const memory = await Memory.open({ store, agentId: 'a' })
    expect(memory.packet.state_summary).toContain('Advice: Submit.')
    expect(memory.packet.person.map(({ text }) => text)).not.toContain('Submit.')
    await memory.close()
  })

  test('is recorded once, however often it is given, until something was done since', async () => {
    const store = await stuckAgent()
    const first = await answerEscalation(store, 'a', { text: 'Submit.' })
    const second = await answerEscalation(store, 'a', { text: 'Submit.\n' })
    expect(second).toEqual({ event: first.event, recorded: false })
    expect((await answerEscalation(store, 'a', { text: 'Submit now.' })).recorded).toBe(true)
    await startAgent({ store, agentId: 'a', model: firstCandidate(), limits: { turnsMax: 3 } })
    expect((await answerEscalation(store, 'a', { text: 'Submit now.' })).recorded).toBe(true)
  })

  test('is refused where it is empty, too long, or comes too late', async () => {
    const store = await stuckAgent()
    await expect(answerEscalation(store, 'a', { text: ' \n' })).rejects.toMatchObject({
      code: 'bad_argument',
    })
    await expect(answerEscalation(store, 'a', { text: 'x'.repeat(64_001) })).rejects.toMatchObject({
      code: 'limit',
    })
    await expect(answerEscalation(store, 'b', { text: 'x' })).rejects.toMatchObject({ code: 'missing' })
    const memory = await Memory.open({ store, agentId: 'a' })
    await expect(answerEscalation(store, 'a', { text: 'x' })).rejects.toMatchObject({ code: 'locked' })
    await memory.record({ type: 'submit_result', data: { summary: 'done' } })
    await memory.close()
    await expect(answerEscalation(store, 'a', { text: 'x' })).rejects.toMatchObject({ code: 'conflict' })
  })
})
