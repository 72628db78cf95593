import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** Initialization vector, tag and what was encrypted, one after the other. `said` is bound to it, and not in it. */
export function encrypt(content: Uint8Array, key: Uint8Array, said: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(said))
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted])
}

/** Undefined where another key encrypted it, or somebody changed it. */
export function decrypt(encrypted: Uint8Array, key: Uint8Array, said: string): Buffer | undefined {
  if (encrypted.length < IV_BYTES + TAG_BYTES) return undefined
  try {
    const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, IV_BYTES))
    decipher.setAAD(Buffer.from(said)).setAuthTag(encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
    return Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
