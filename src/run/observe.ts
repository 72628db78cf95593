import type { Event } from '../core/event/event.ts'
import { messageOf } from '../errors.ts'
import type { Memory } from '../memory.ts'

/** Tells somebody of each event. If they throw, that is an event too, and they are not told again. */
export function tellEvents(memory: Memory, onEvent: (event: Event) => void): void {
  let failed = false
  memory.observe((event) => {
    if (failed) return
    try {
      onEvent(event)
    } catch (thrown) {
      failed = true
      const data = { where: 'onEvent', message: messageOf(thrown) }
      memory.record({ type: 'agent_error', data }).catch(() => {}) // the run meets the same failure
    }
  })
}
