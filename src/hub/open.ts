/** The hub as a run uses it: a running one over its socket, else the index on disk and a few files read here. */

import { existsSync } from 'node:fs'
import { messageOf } from '../errors.ts'
import { HUB_NODES_MAX, HUB_SILENT_MS } from '../limits.ts'
import type { Hub, HubAnswer } from './hub.ts'
import { answerFrom, askedPaths, type Question } from './index/answer.ts'
import { CodeIndex } from './index/code-index.ts'
import { type HubPlace, hubPlace } from './serve/place.ts'
import { answerSchema, ask } from './serve/protocol.ts'

export interface OpenHubOptions {
  /** The project's top folder. */
  project: string
  /** Where Twotrack keeps its records; `.agentfs` in the project unless told otherwise. */
  folder?: string
  /** The agent's own copy of the project: files that it changed there are read from there. */
  workspace?: string | (() => string)
}

/** The index that a hub left, and a few files, as a client reads them itself. Damage is a reason to do without it. */
const indexReader = (place: HubPlace) => {
  let index: CodeIndex | undefined
  const close = () => {
    index?.close()
    index = undefined
  }
  const pull = async (question: Question): Promise<HubAnswer> => {
    try {
      index ??= CodeIndex.openToRead(place.index)
      index?.refresh()
      if (index !== undefined) return await answerFrom(index, place.root, question)
    } catch {
      close()
    }
    return { ...(await answerFrom(undefined, place.root, question)), source: 'files' }
  }
  return { pull, close }
}

/** Without its socket there is no hub; a pipe of Windows is no file that could be looked for. */
const mayListen = (socket: string): boolean => process.platform === 'win32' || existsSync(socket)

export const openHub = async (options: OpenHubOptions): Promise<Hub> => {
  const place = await hubPlace(options.project, options.folder)
  const reader = indexReader(place)
  const paths = new Set<string>()
  let connected = false
  let silentUntil = 0
  let last: { content: string; freshness: string } | undefined

  const pullAny = async (question: Question, signal?: AbortSignal): Promise<HubAnswer> => {
    let gone: string | undefined
    if (Date.now() >= silentUntil && (connected || mayListen(place.socket))) {
      const began = Date.now()
      try {
        const reply = await ask(place.socket, { op: 'pull', ...question }, { signal })
        const answer = answerSchema.parse(reply)
        connected = true
        return answer
      } catch (thrown) {
        signal?.throwIfAborted()
        // One that is not there is asked again next time; one that is there and silent would cost its deadline.
        if (Date.now() - began > 1_000) silentUntil = Date.now() + HUB_SILENT_MS
        gone = connected ? messageOf(thrown) : undefined
        connected = false
      }
    }
    const answer = await reader.pull(question).catch(
      (thrown: unknown): HubAnswer => ({
        states: [],
        freshness: '',
        source: 'none',
        note: `Nothing is known of the code: ${messageOf(thrown)}`,
      }),
    )
    if (gone === undefined) return answer
    const note = `The hub is gone: ${gone} Its index and the files themselves are read instead.`
    return { ...answer, source: `${answer.source}, the hub is gone`, note }
  }

  return {
    name: 'code',
    async pull(nodes, since, signal) {
      signal?.throwIfAborted()
      const asked = [...new Set(nodes)].slice(0, HUB_NODES_MAX)
      for (const path of askedPaths(asked)) paths.add(path)
      const workspace = typeof options.workspace === 'function' ? options.workspace() : options.workspace
      const question = { nodes: asked, ...(workspace === undefined ? {} : { workspace, paths: [...paths] }) }
      const answer = await pullAny(question, signal)
      const content = JSON.stringify([answer.states, answer.missing])
      const { note } = answer
      const isSame = since !== undefined && last?.content === content && last.freshness === since
      last = { content, freshness: answer.freshness }
      if (!isSame) return answer
      return { states: [], freshness: since, source: answer.source, ...(note === undefined ? {} : { note }) }
    },
    async close() {
      reader.close()
    },
  }
}
