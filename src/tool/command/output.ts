import { isUtf8 } from 'node:buffer'
import { PassThrough, type Readable, Transform } from 'node:stream'
import type { BlobRef } from '../../core/event/event.ts'
import { COMMAND_SHOWN_BYTES } from '../../limits.ts'

/** How long an output may stay open and silent once its program has ended: someone else holds it. */
const SILENT_MS_MAX = 1_000

interface Meter {
  /** Bytes of both outputs together; what comes after is dropped. */
  readonly max: number
  full(): void
  seen(from: 'stdout' | 'stderr', chunk: Uint8Array): void
}

/** Both outputs of a process as one stream, in the order they came. It is read only as fast as it is consumed. */
export function merged(
  child: { readonly stdout: Readable; readonly stderr: Readable },
  exited: Promise<unknown>,
  meter: Meter,
): Readable {
  const all = new PassThrough()
  let bytes = 0
  let open = 2
  const metered = (from: 'stdout' | 'stderr') =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        const taken = chunk.subarray(0, meter.max - bytes)
        bytes += taken.length
        if (taken.length > 0) meter.seen(from, taken)
        if (taken.length < chunk.length) meter.full()
        done(null, taken)
      },
    })
  for (const from of ['stdout', 'stderr'] as const) {
    const stage = metered(from)
    child[from].on('error', () => stage.end())
    stage.on('end', () => {
      if (--open === 0) all.end()
    })
    child[from].pipe(stage).pipe(all, { end: false })
    exited.then(() => endWhenSilent(child[from], stage, () => bytes))
  }
  return all
}

/** Ends a stream that another process keeps open, unless there is data on its way or waiting to be consumed. */
function endWhenSilent(source: Readable, stage: Transform, bytes: () => number, before = -1): void {
  if (stage.writableEnded) return
  const waiting = source.readableLength + stage.readableLength + stage.writableLength > 0 || source.isPaused()
  if (!waiting && bytes() === before) {
    source.destroy()
    stage.end()
    return
  }
  setTimeout(() => endWhenSilent(source, stage, bytes, bytes()), SILENT_MS_MAX).unref()
}

/** Reads a stream to its end. Where it is larger than what is shown, or no text, `keep` gets all of it, from the first byte. */
export async function keepLarge(
  stream: AsyncIterable<Uint8Array>,
  keep: ((bytes: AsyncIterable<Uint8Array>) => Promise<BlobRef>) | undefined,
): Promise<BlobRef | undefined> {
  const iterator = stream[Symbol.asyncIterator]()
  const held: Uint8Array[] = []
  for (let bytes = 0; bytes <= COMMAND_SHOWN_BYTES; ) {
    const next = await iterator.next()
    if (next.done) return keep && !isUtf8(Buffer.concat(held)) ? keep(continued(held, iterator)) : undefined
    held.push(next.value)
    bytes += next.value.length
  }
  const whole = continued(held, iterator)
  if (keep) return keep(whole)
  for await (const _ of whole);
  return undefined
}

async function* continued(
  held: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let chunk = held.shift(); chunk; chunk = held.shift()) yield chunk
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
