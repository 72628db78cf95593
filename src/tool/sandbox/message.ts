import type { Json } from '../../core/event/json.ts'

/** What the sandbox's process is told, one JSON line each. The first is the job, the others answer its calls. */
export interface ScriptJob {
  readonly source: string
  readonly check: boolean
  readonly inputs: Json
  readonly externals: readonly string[]
  readonly message_bytes_max: number
  readonly calls_max: number
}
export type ExternalAnswer =
  | { readonly id: number; readonly value: Json }
  | { readonly id: number; readonly error: string }

/**
 * Splits a stream of bytes into lines. A line over `max` bytes calls `tooLong` once and ends the reading: the
 * other side is not trusted to ever send a newline. (`node:readline` also splits at U+2028, which JSON leaves bare.)
 */
export function readMessages(
  stream: NodeJS.ReadableStream,
  max: number,
  line: (text: string) => void,
  tooLong: () => void,
): void {
  let held: Buffer[] = []
  let bytes = 0
  let ended = false
  stream.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1 && !ended; end = chunk.indexOf(10, start)) {
      held.push(chunk.subarray(start, end))
      bytes += end - start
      start = end + 1
      const whole = Buffer.concat(held)
      held = []
      ended = bytes > max
      bytes = 0
      if (ended) tooLong()
      else line(whole.toString())
    }
    if (ended) return
    held.push(chunk.subarray(start))
    bytes += chunk.length - start
    ended = bytes > max
    if (ended) tooLong()
  })
}
