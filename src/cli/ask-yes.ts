import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'

/** Asks the person at the terminal. No answer, an end of input and an interruption are no. */
export async function askYes(question: string, signal?: AbortSignal): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  terminal.on('SIGINT', () => {
    terminal.close()
    // The terminal gave it to the question; whoever else waits for it has to know.
    process.kill(process.pid, 'SIGINT')
  })
  try {
    const closed = once(terminal, 'close').then(() => '')
    const answer = await Promise.race([terminal.question(question, signal ? { signal } : {}), closed])
    return /^y(es)?$/i.test(answer.trim())
  } catch {
    return false
  } finally {
    terminal.close()
  }
}
