import { createHmac, randomBytes } from 'node:crypto'
import { type Hide, hideNothing } from '../core/memory/hide.ts'
import { bytesOfText, changeBytes, textOfBytes } from './bytes.ts'
import type { Secrets } from './secrets.ts'

/** What is read on either side of a part of a stream to know whether it holds a secret: no rule looks further. */
const WINDOW_BYTES = 40 * 1024
/** How much of a stream is read for secrets at once. */
const CHUNK_BYTES = 512 * 1024

export interface HideOptions {
  /** Values that are secret whatever they look like, such as the keys of the environment. */
  readonly known?: readonly string[]
  /** Placeholders are made with it: the same key gives a secret the same placeholder when a run is resumed. */
  readonly key?: Uint8Array
  /** Is told once of each secret that is hidden: who keeps originals, encrypted, loses nothing by a mistake. */
  readonly onHidden?: (placeholder: string, secret: string) => void
}

/** Without a key of the caller's own: the same secret has the same placeholder as long as this process runs. */
const processKey = randomBytes(32)

/** The border of one run. The detector is loaded when a memory is opened, not with the package. */
export async function hideFor(secrets: 'off' | HideOptions | undefined, runId: string): Promise<Hide> {
  if (secrets === 'off') return hideNothing
  const { secretsOf } = await import('./secrets.ts')
  const { key = processKey, known = [], onHidden } = secrets ?? {}
  const mac = (secret: string) => createHmac('sha256', key).update(`${runId}\0${secret}`).digest('hex')
  const one = secretsOf({ mac, known, ...(onHidden ? { onHidden } : {}) })
  return {
    on: true,
    ...one,
    bytes: (bytes) => changeBytes(bytes, one.hide),
    stream: (chunks) => hideStream(one, chunks),
  }
}

/**
 * The same for a stream, in bounded memory. A secret may begin in one chunk and end in another, and be known by what
 * stands before it: a window of either side is held while a part is hidden.
 */
async function* hideStream(
  { hideBetween }: Secrets,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let text = ''
  let done = 0
  let half: Uint8Array = new Uint8Array()
  const part = (end: number): Uint8Array => {
    const { hidden, to } = hideBetween(text, done, end)
    const from = Math.max(0, to - WINDOW_BYTES)
    text = text.slice(from)
    done = to - from
    return bytesOfText(hidden)
  }
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([half, chunk])
    const whole = bytes.length - begunIn(bytes)
    half = bytes.subarray(whole)
    text += textOfBytes(bytes.subarray(0, whole))
    const end = text.length - WINDOW_BYTES
    if (end - done > CHUNK_BYTES) yield part(isWithinPair(text, end) ? end - 1 : end)
  }
  text += textOfBytes(half)
  if (done < text.length) yield part(text.length)
}

/** How many of the last bytes may be a character that goes on in the next chunk. */
function begunIn(bytes: Uint8Array): number {
  const last = bytes.subarray(-3)
  const at = last.findLastIndex((byte) => byte >= 0b1100_0000)
  return at === -1 ? 0 : last.length - at
}

const isWithinPair = (text: string, at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff
