/** The hub of a project, in this process: its index is opened with the first question. */

import { messageOf } from '../errors.ts'
import type { CodeGraph } from '../nodes/edges.ts'
import { type Hub, type HubAnswer, NODES_MAX } from './hub.ts'
import { answerFrom, askedPaths, pathsBehind, type Question } from './index/answer.ts'
import { CodeView } from './index/code-view.ts'
import { LiveIndex } from './index/live-index.ts'
import { lookAt } from './index/look.ts'
import { workspaceOverlay } from './index/overlay.ts'
import { hubPlace } from './index/place.ts'

/** How long a turn waits for the first look at a large project; it goes on meanwhile. */
const FIRST_LOOK_MS_MAX = 5_000

/** A hub for any number of agents. */
export interface ProjectHub extends Required<Hub> {
  /** The same hub for one agent: files that it changed in its own copy of the project are read from there. */
  at(workspace?: string | (() => string)): Required<Hub>
}

/**
 * `folder` is where Twotrack keeps its records: `.agentfs` in the project unless told otherwise; null keeps nothing.
 * Several processes may have the hub of one project open. Nothing is read before the first question.
 */
export function openHub({
  project,
  folder,
}: {
  readonly project: string
  readonly folder?: string | null
}): ProjectHub {
  const live = new LiveIndex(() => hubPlace(project, folder))
  const at: ProjectHub['at'] = (workspace) => clientOf(live, workspace)
  return { ...at(), at, close: () => live.close() }
}

const clientOf = (live: LiveIndex, workspace: string | (() => string) | undefined): Required<Hub> => {
  const paths = new Set<string>()
  const folder = async () => {
    const { root } = await live.place
    const path = typeof workspace === 'function' ? workspace() : workspace
    return path === root ? undefined : path
  }
  let last: { content: string; freshness: string } | undefined
  let told: string | undefined

  const ask = async (asked: Omit<Question, 'workspace'>, signal?: AbortSignal): Promise<HubAnswer> => {
    // A run that is not about code costs no look at it.
    if (askedPaths(asked.nodes).length === 0)
      return { states: [], missing: [], freshness: '', source: 'index' }
    try {
      const place = await live.place
      const question = { ...asked, workspace: await folder() }
      return await live.ask({ wait_ms: FIRST_LOOK_MS_MAX, signal }, async (index) => {
        await lookAt(place, index, pathsBehind(index, question.nodes))
        return answerFrom(index, place.root, question, live.isComplete)
      })
    } catch (thrown) {
      signal?.throwIfAborted()
      const note = `Nothing is known of the code: ${messageOf(thrown)}`
      return { states: [], freshness: '', source: 'none', note }
    }
  }

  return {
    name: 'code',
    async pull(nodes, since, signal) {
      signal?.throwIfAborted()
      const asked = [...new Set(nodes)].slice(0, NODES_MAX)
      for (const path of askedPaths(asked)) paths.add(path)
      const { note, ...answer } = await ask({ nodes: asked, paths }, signal)
      const content = JSON.stringify([answer.states, answer.missing])
      const isNews = note !== undefined && note !== told
      told = note
      const isSame = since !== undefined && last?.content === content && last.freshness === since
      last = { content, freshness: answer.freshness }
      const same = { states: [], freshness: since ?? '', source: answer.source }
      return { ...(isSame ? same : answer), ...(isNews ? { note } : {}) }
    },
    async graph(signal): Promise<CodeGraph> {
      const copy = await folder()
      // What an agent changed in the project itself is seen by a look alone.
      const options = { wait_ms: Number.POSITIVE_INFINITY, signal, now: copy === undefined }
      return live.ask(options, async (index) =>
        copy ? new CodeView(index, await workspaceOverlay(index, copy)) : new CodeView(index),
      )
    },
    async close() {},
  }
}
