import { sha256 } from '../sha256.ts'

const DIGEST_CHARS = 64

/** Text with its digest before it: `<sha256> <text>`. */
export const sealText = (text: string): string => `${sha256(text)} ${text}`

/** The text, or undefined when a bit of it or of its digest is not what was written. */
export function openText(bytes: Uint8Array): string | undefined {
  const text = bytes.subarray(DIGEST_CHARS + 1)
  const isSealed =
    bytes[DIGEST_CHARS] === 0x20 && Buffer.from(sha256(text)).equals(bytes.subarray(0, DIGEST_CHARS))
  return isSealed ? Buffer.from(text).toString() : undefined
}
