import { basename, extname } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Store } from '../core/store/store.ts'
import { TwotrackError } from '../errors.ts'
import { readTrajectory } from '../import/read.ts'
import { type Imported, recordTrajectory } from '../import/record.ts'
import type { Memory } from '../memory.ts'
import { memorySettings } from './context.ts'

/** A recording that is a log now. */
export interface ImportedFile extends Imported {
  readonly file: string
  readonly view_tokens_max: number
}

interface ImportOwn {
  /** The log's name; by the file's, unless given. */
  readonly agent?: string
  /** Is told what a model would have been given after each turn. */
  readonly onView?: (view: { readonly turn: number; readonly view: string }) => void
}

/** Records another harness's recording as a log, through the same summarizers as a live run. */
export async function importText(
  store: Store,
  config: Config,
  { name, text }: { readonly name: string; readonly text: string },
  { agent, onView }: ImportOwn,
): Promise<ImportedFile> {
  const trajectory = readTrajectory(text, name)
  const agentId = agent ?? agentIdFor(name)
  if (await store.head(agentId))
    throw new TwotrackError(
      'conflict',
      `Agent "${agentId}" has a log already. Choose another name with --agent.`,
    )
  let view_tokens_max = 0
  const onTurn = async (memory: Memory, turn: number) => {
    const prompt = await memory.prompt()
    view_tokens_max = Math.max(view_tokens_max, prompt.tokens)
    onView?.({ turn, view: prompt.text })
  }
  const imported = await recordTrajectory(trajectory, { store, agentId, ...memorySettings(config) }, onTurn)
  return { file: name, ...imported, view_tokens_max }
}

const agentIdFor = (name: string): string =>
  name === 'standard input' ? 'import-stdin' : `import-${basename(name, extname(name)).toLowerCase()}`
