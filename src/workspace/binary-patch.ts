import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const LINE_BYTES = 52
const ABSENT = '0'.repeat(40)

/** What follows the header of a git patch for contents that are no text: both of them whole, so that it can be undone too. */
export function binaryPatch(before: Uint8Array | undefined, after: Uint8Array | undefined): string {
  const literal = (content: Uint8Array = new Uint8Array()) =>
    `literal ${content.length}\n${base85(deflateSync(content))}\n`
  return `index ${blobId(before)}..${blobId(after)}\nGIT binary patch\n${literal(after)}${literal(before)}`
}

/** How git names a content: `git apply` takes a binary patch only for the content that it was made from. */
const blobId = (content: Uint8Array | undefined): string =>
  content ? createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex') : ABSENT

/** Each line begins with its length: A to Z for 1 to 26 bytes, a to z for 27 to 52. */
function base85(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = bytes.subarray(at, at + LINE_BYTES)
    text += String.fromCharCode(line.length <= 26 ? 64 + line.length : 70 + line.length)
    for (let group = 0; group < line.length; group += 4) text += fiveOf(line, group)
    text += '\n'
  }
  return text
}

function fiveOf(line: Uint8Array, at: number): string {
  let value = 0
  for (let byte = 0; byte < 4; byte++) value = value * 256 + (line[at + byte] ?? 0)
  let text = ''
  for (let digit = 0; digit < 5; digit++, value = Math.floor(value / 85))
    text = (ALPHABET[value % 85] ?? '') + text
  return text
}
