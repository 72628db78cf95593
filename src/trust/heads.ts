import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { canonical, tryParse } from '../core/event/json.ts'
import { personKey } from '../files/own-folder.ts'

const headSchema = z.object({ agent_id: z.string(), seq: z.int().positive(), hash: z.string() })
const signedSchema = z.object({
  /** The store that the logs are in: its kind, and its folder or its own word for where it is. */
  place: z.string(),
  /** Which folder of that name: one that is made anew is another. */
  made: z.string(),
  time: z.string(),
  heads: z.array(headSchema),
  /** The public key, and what it signed: all that is above, as canonical JSON. */
  key: z.string(),
  signature: z.string(),
})
/** Where logs ended at a time, signed with a person's own key: who can write the logs can't write this. */
export type SignedHeads = z.infer<typeof signedSchema>

type Environment = Readonly<Record<string, string | undefined>>

/** What stands before the 32 bytes of an Ed25519 key in PKCS 8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
/** The same of a public one (SPKI). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

function privateKey(env: Environment): KeyObject | undefined {
  const seed = personKey(env, 'heads.key')
  return seed && createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
}

const textOf = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(SPKI.length).toString('hex')

/** Undefined where there is no place to keep a key. */
export function signHeads(
  env: Environment,
  said: Pick<SignedHeads, 'place' | 'made' | 'time' | 'heads'>,
): SignedHeads | undefined {
  const key = privateKey(env)
  if (!key) return undefined
  const unsigned = { ...said, key: textOf(key) }
  return { ...unsigned, signature: sign(null, Buffer.from(canonical(unsigned)), key).toString('hex') }
}

/** What was signed in a text of one line each. Lines of something else, or that were changed, are only counted. */
export function readSigned(text: string): { signed: SignedHeads[]; other: number } {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const signed = lines.flatMap((line) => {
    const one = signedSchema.safeParse(tryParse(line)).data
    return one && isSigned(one) ? [one] : []
  })
  return { signed, other: lines.length - signed.length }
}

function isSigned({ signature, ...unsigned }: SignedHeads): boolean {
  try {
    const der = Buffer.concat([SPKI, Buffer.from(unsigned.key, 'hex')])
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    return verify(null, Buffer.from(canonical(unsigned)), key, Buffer.from(signature, 'hex'))
  } catch {
    return false
  }
}

/** Whether it was this person who signed. */
export function isOwnKey(env: Environment, { key }: SignedHeads): boolean {
  const own = privateKey(env)
  return own !== undefined && textOf(own) === key
}
