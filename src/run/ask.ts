import { messageOf } from '../errors.ts'
import { modelFaultOf } from '../model/faults.ts'
import { renderFor } from '../model/formats.ts'
import type { ModelAnswer, ModelRequest } from '../model/model.ts'
import { waitBeforeRetry } from '../model/retry.ts'
import type { AgentRun, Stop } from './run.ts'

/** Asks the model for the next calls: each attempt, each fault and the answer are events. */
export async function ask(run: AgentRun, signal: AbortSignal): Promise<ModelAnswer | Stop> {
  const { memory, model, context } = run
  const prompt = await memory.prompt()
  const request: ModelRequest = {
    prompt,
    tools: memory.tools,
    instructions: memory.instructions,
    context,
    ...(context === 'packet' ? {} : { messages: await memory.messages() }),
    callRequired: true,
  }
  for (let failed = 0; ; ) {
    const text = renderFor(model.format, request)
    await memory.recordRequest(prompt, model.name, { format: model.format, context, text })
    const begun = performance.now()
    try {
      const answer = await model.answer(request, signal)
      await recordAnswer(run, answer, performance.now() - begun)
      return answer
    } catch (thrown) {
      if (signal.aborted) return { reason: 'cancelled', summary: 'stopped while the model was asked' }
      const fault = modelFaultOf(thrown) ?? { kind: 'bad_answer' as const, retry: false }
      const wait = waitBeforeRetry(++failed, fault, run.random)
      await memory.record({
        type: 'agent_error',
        data: {
          where: 'model',
          message: messageOf(thrown),
          code: fault.kind,
          attempt: failed,
          retry: wait !== undefined,
        },
      })
      if (wait === undefined) return { reason: 'model_failed', summary: messageOf(thrown) }
      await run.wait(wait, signal)
      if (signal.aborted) return { reason: 'cancelled', summary: 'stopped while waiting to ask again' }
    }
  }
}

async function recordAnswer(run: AgentRun, answer: ModelAnswer, latency_ms: number): Promise<void> {
  await run.memory.record({
    type: 'model_response',
    data: {
      model: run.model.name,
      text: answer.text,
      calls: [...answer.calls],
      ...(answer.usage ? { usage: answer.usage } : {}),
      latency_ms: Math.round(latency_ms),
      ...(answer.finish === undefined ? {} : { finish: answer.finish }),
    },
  })
}
