import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { messageOf, TwotrackError } from '../errors.ts'
import { IMPORT_BYTES_MAX } from '../limits.ts'
import { bytes } from './output.ts'

/** The whole text of a file, or of standard input for `-`. */
export async function readInput(file: string): Promise<string> {
  const name = file === '-' ? 'standard input' : file
  try {
    if (file !== '-' && (await stat(file)).isDirectory())
      throw new TwotrackError('io', `${file} is a folder; give the files in it.`)
    return await textOf(file === '-' ? process.stdin : createReadStream(file), name)
  } catch (thrown) {
    if (thrown instanceof TwotrackError) throw thrown
    throw new TwotrackError('io', `${name} cannot be read: ${messageOf(thrown)}`, { cause: thrown })
  }
}

async function textOf(stream: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  // Fatal: a replaced byte would be recorded as if the tool had written it.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  try {
    for await (const chunk of stream) {
      size += chunk.length
      if (size > IMPORT_BYTES_MAX) {
        throw new TwotrackError(
          'limit',
          `${name} has more than ${bytes(IMPORT_BYTES_MAX)}, the most that is read.`,
        )
      }
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new TwotrackError('bad_import', `${name} is not UTF-8 text; save it as UTF-8.`, { cause })
  }
}
