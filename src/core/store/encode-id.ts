import { TwotrackError } from '../../errors.ts'
import { sha256 } from '../../sha256.ts'

/**
 * A file name made from an id, in bytes, before it is shortened to a digest.
 * @internal
 */
export const FILE_NAME_BYTES_MAX = 180

/**
 * An id as a file name or a part of a key: two ids never share one, on any disk, and none leads out of its
 * folder. `[a-z0-9_.-]` stay; all else, upper case too since some disks fold it, is percent-encoded UTF-8 in
 * lower-case hex. A result over the limit keeps its beginning, then `~` (which is never left bare) and a digest.
 */
export function encodeId(id: string, bytesMax = FILE_NAME_BYTES_MAX): string {
  if (id === '') throw new TwotrackError('bad_argument', 'An id is empty; give it at least one character.')
  const encoded = id.replace(/^\.|[^a-z0-9_.-]/gu, percent)
  if (encoded.length <= bytesMax) return encoded
  const digest = sha256(encoded)
  return `${encoded.slice(0, bytesMax - digest.length - 1)}~${digest}`
}

function percent(character: string): string {
  // UTF-8 has no form for half a surrogate pair: encoders make all of them U+FFFD, and they would collide.
  if (!character.isWellFormed()) return `%u${character.charCodeAt(0).toString(16)}`
  let encoded = ''
  for (const byte of Buffer.from(character)) encoded += `%${byte.toString(16).padStart(2, '0')}`
  return encoded
}
