import { isObject, tryParse } from '../event/json.ts'
import { sha256 } from '../sha256.ts'
import type { Snapshot } from './store.ts'

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

export const sealSnapshot = (agentId: string, { seq, hash, state }: Snapshot): string =>
  sealText(JSON.stringify({ agent_id: agentId, seq, hash, state }))

/** The snapshot, or undefined when it is damaged or of another agent. */
export function openSnapshot(bytes: Uint8Array, agentId: string): Snapshot | undefined {
  const text = openText(bytes)
  const value = text === undefined ? undefined : tryParse(text)
  if (!isObject(value) || value['agent_id'] !== agentId) return undefined
  const { seq, hash, state } = value
  if (typeof seq !== 'number' || typeof hash !== 'string' || typeof state !== 'string') return undefined
  return { seq, hash, state }
}
