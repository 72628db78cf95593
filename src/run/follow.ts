import type { Memory } from '../memory/memory.ts'
import type { Store } from '../store/store.ts'
import { type RunState, readRunState, runState } from './state.ts'

/** Folds an agent's log once and then keeps the run state up with every event that its memory records. */
export async function followRun(memory: Memory, store: Store): Promise<() => RunState> {
  let state = await readRunState(store, memory.agent_id)
  memory.observe((event) => {
    state = runState(state, event)
  })
  return () => state
}
