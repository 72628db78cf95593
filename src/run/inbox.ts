import { messageOf } from '../errors.ts'
import type { Memory } from '../memory.ts'

/** What a person said to an agent, before its process took it in. */
interface Said {
  readonly text: string
  /** Takes it out of the inbox, once it is recorded. */
  done(): Promise<void>
}

/** Where people leave words for one agent. */
export interface Inbox {
  /** What is there, in the order in which it was said. */
  waiting(): Promise<readonly Said[]>
}

/**
 * Records what people said since the last turn. It is taken out once it is on disk: a process that ends in between takes
 * it in twice, and never loses it. An inbox that can't be read is an event, and the agent goes on.
 */
export async function takeIn(memory: Memory, inbox: Inbox): Promise<void> {
  try {
    for (const { text, done } of await inbox.waiting()) {
      await memory.say(text)
      await memory.flush()
      await done()
    }
  } catch (thrown) {
    await memory.record({ type: 'agent_error', data: { where: 'inbox', message: messageOf(thrown) } })
  }
}
