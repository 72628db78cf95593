import { assertView } from '../view/view.ts'
import type { AgentMemory } from './memory.ts'

/** A memory that a model is asked with. One whose packets cannot be shown here is closed, its log as it was. */
export async function shownHere<Opened extends AgentMemory>(memory: Opened): Promise<Opened> {
  try {
    assertView(memory.state.settings.view)
  } catch (thrown) {
    await memory.close()
    throw thrown
  }
  return memory
}
