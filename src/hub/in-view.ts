import type { State } from '../core/packet/state.ts'
import { ID_CHARS_MAX } from '../limits.ts'
import { isSourcePath, nodePath } from '../nodes/source-path.ts'
import { NODES_MAX } from './hub.ts'

const SEPARATORS = /[\s"'`()[\]{}<>,;|=*]/
const TRAILING = '.:!?…'
/** Older actions are no longer what a turn is about. */
const ACTIONS_MAX = 10
const LINE = /^\d+(?::\d+)?$/

/** A word as a node's key: a source path, with a qualified name unless what follows it is a line. */
const keyIn = (word: string): string | undefined => {
  let end = word.length
  while (end > 0 && TRAILING.includes(word.charAt(end - 1))) end -= 1
  const key = (word.startsWith('./') ? word.slice(2, end) : word.slice(0, end)).trim()
  if (key.length > ID_CHARS_MAX) return undefined
  const path = nodePath(key)
  if (!isSourcePath(path)) return undefined
  return LINE.test(key.slice(path.length + 1)) ? path : key
}

/** The nodes a turn is about: the agent's own, then those named in its focus and its actions, newest first. */
export const nodesInView = ({
  node,
  focus,
  actions,
}: Pick<State, 'node' | 'focus' | 'actions'>): string[] => {
  const texts = [
    focus?.value.place ?? '',
    ...actions
      .slice(-ACTIONS_MAX)
      .toReversed()
      .map((one) => one.summary),
  ]
  const named = texts.flatMap((text) => text.split(SEPARATORS).flatMap((word) => keyIn(word) ?? []))
  return [...new Set([node.id, ...named])].slice(0, NODES_MAX)
}
