import { TwotrackError } from '../errors.ts'
import { decrypt, encrypt } from '../files/encrypted.ts'
import { personFolder, personKey } from '../files/own-folder.ts'

/** What a sealed content begins with. */
const MARK = Buffer.from('twotrack sealed 1\0')
const KEY_FILE = 'contents.key'
/** For machines that are no person's: 32 bytes in hex, the same for all that work on one project. */
const KEY_VARIABLE = 'TWOTRACK_CONTENTS_KEY'
const KEY_FORM = /^[0-9a-f]{64}$/i

function contentsKey(): Uint8Array | undefined {
  const given = process.env[KEY_VARIABLE]
  if (given === undefined || given === '') return personKey(process.env, KEY_FILE)
  if (KEY_FORM.test(given)) return Buffer.from(given, 'hex')
  throw new TwotrackError('bad_argument', `${KEY_VARIABLE} is no key: give 64 hexadecimal digits.`)
}

/** A content that no store may hold as it is, for whoever has the key. Two of the same are not alike. */
export function sealContent(content: Uint8Array): Buffer {
  const key = contentsKey()
  if (key) return Buffer.concat([MARK, encrypt(content, key, MARK.toString())])
  throw new TwotrackError(
    'bad_argument',
    `A file with a secret is stored sealed, and there is no place for its key in ${personFolder(process.env)}. ` +
      `Make that folder writable, or give the key as ${KEY_VARIABLE}.`,
  )
}

export const isSealed = (bytes: Uint8Array): boolean => MARK.equals(bytes.subarray(0, MARK.length))

/** Undefined where another key sealed it. */
export function openSealed(bytes: Uint8Array): Uint8Array | undefined {
  const key = isSealed(bytes) ? contentsKey() : undefined
  return key && decrypt(bytes.subarray(MARK.length), key, MARK.toString())
}
