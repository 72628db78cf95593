import { createHash } from 'node:crypto'
import { TwotrackError } from '../../errors.ts'
import { BLOB_BYTES_MAX } from '../../limits.ts'
import type { BlobRef } from '../event/event.ts'

export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>

/** Passes a blob's bytes on; `ref` names the blob once all of them went through. Throws `limit`. */
export function measured(content: BlobContent, media: BlobRef['media']) {
  const digest = createHash('sha256')
  let bytes = 0
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      bytes += chunk.length
      if (bytes > BLOB_BYTES_MAX) {
        throw new TwotrackError('limit', `A blob is over the limit of ${BLOB_BYTES_MAX} bytes.`)
      }
      digest.update(chunk)
      yield chunk
    }
  }
  return { chunks: chunks(), ref: (): BlobRef => ({ sha256: digest.digest('hex'), bytes, media }) }
}

export const missingBlob = (digest: string, place: string, cause?: unknown): TwotrackError =>
  new TwotrackError('missing', `There is no blob ${digest} in ${place}.`, { cause })

export const damagedBlob = (
  what: string,
  reason: string,
  details: Record<string, string>,
  cause?: unknown,
): TwotrackError =>
  new TwotrackError('damaged', `Blob ${what} is damaged: ${reason}. Restore the file from a copy.`, {
    cause,
    details,
  })
