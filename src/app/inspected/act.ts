import { z } from 'zod'
import type { Store } from '../../core/store/store.ts'
import { TwotrackError } from '../../errors.ts'
import { memorySettings, type Project } from '../context.ts'
import { acceptAll, rejectAll } from '../decide.ts'
import { answerEscalation } from '../escalation.ts'
import type { Front } from '../front.ts'
import { type Proposed, proposalsOf } from '../proposals.ts'
import { jobsToRetry } from '../retry.ts'
import { type RunWatcher, runJobs, startRun } from '../run-jobs.ts'
import { sayTo } from '../say.ts'

/** What a person may ask for, from a page, about one agent. */
const askedSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('accept') }),
  z.strictObject({ do: z.literal('reject') }),
  z.strictObject({ do: z.literal('retry') }),
  z.strictObject({ do: z.literal('say'), text: z.string() }),
  z.strictObject({ do: z.literal('answer'), text: z.string() }),
])

/** Does what a person asks about an agent, and says in a sentence what came of it; `agent` is one that was begun. */
export type PersonActions = (
  agentId: string,
  asked: unknown,
) => Promise<{ readonly said: string; readonly agent?: string }>

/** What a page may do when it was started for that. Nobody can be asked there: what is not trusted yet is refused. */
export function personActions(store: Store, loaded: Project, signal: AbortSignal): PersonActions {
  const { root: project, folder, config } = loaded
  const place = { store, project, folder, secrets: memorySettings(config, folder).secrets }
  return async (agentId, given) => {
    const { success, data: asked } = askedSchema.safeParse(given)
    if (!success)
      throw new TwotrackError(
        'bad_argument',
        'Ask for accept, reject, retry, say or answer: {"do": "accept"}.',
      )
    switch (asked.do) {
      case 'say': {
        const { at_work } = await sayTo(place, agentId, asked.text)
        return { said: at_work ? 'It reads this at its next turn.' : 'It reads this when it goes on.' }
      }
      case 'answer': {
        const { recorded, event } = await answerEscalation(store, agentId, { text: asked.text })
        return {
          said: recorded
            ? `Recorded as #${event.seq}. It goes on from there with: twotrack resume ${agentId}`
            : 'It is there already.',
        }
      }
      case 'accept': {
        const { done, problems } = await acceptAll([await standing(agentId)], place, {}, silent)
        const [one] = done
        if (!one) throw new TwotrackError('locked', problems[0]?.problem ?? 'It can’t be taken now.')
        const conflicts = one.conflicts.map(({ path, reason }) => ` ${path} was not taken: ${reason}`)
        return { said: `Taken: ${one.accepted.join(', ') || 'nothing'}.${conflicts.join('')}` }
      }
      case 'reject': {
        const { done, problems } = await rejectAll([await standing(agentId)], 'rejected in the inspector')
        if (!done[0]) throw new TwotrackError('locked', problems[0]?.problem ?? 'It can’t be rejected now.')
        return { said: `Rejected: ${done[0].files.join(', ')}.` }
      }
      case 'retry': {
        const agent = await retried(agentId)
        return { said: `Trying again as ${agent}.`, agent }
      }
    }
  }

  async function standing(agentId: string): Promise<Proposed> {
    const [found] = await proposalsOf([agentId], place)
    if (found?.proposed) return found.proposed
    throw new TwotrackError('missing', found?.problem ?? `"${agentId}" proposes no changes.`)
  }

  /** The name of the new agent, once it has a log; it goes on after the answer. */
  function retried(agentId: string): Promise<string> {
    const begun = Promise.withResolvers<string>()
    const watcher: RunWatcher = { ...unwatched, happened: ({ agent_id }) => begun.resolve(agent_id) }
    startRun({ folder }, silent, async (start) => {
      const jobs = await jobsToRetry([agentId], start, {})
      await runJobs(start.environment, jobs, { watcher, signal })
      // Nothing is recorded where nothing is to be done.
      begun.reject(new TwotrackError('conflict', 'Nothing was begun: there is nothing to do now.'))
    }).catch(begun.reject)
    return begun.promise
  }
}

const silent: Front = { note() {}, agrees: async () => false }
const unwatched: RunWatcher = { begin() {}, happened() {}, end() {}, skip() {}, tell() {} }
