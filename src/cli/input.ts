import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { codeOf, messageOf, TwotrackError } from '../errors.ts'
import { IMPORT_BYTES_MAX } from '../limits.ts'
import { bytes } from './output.ts'

/** The whole text of a file, or of standard input for `-`. */
export async function readInput(file: string): Promise<string> {
  const name = file === '-' ? 'standard input' : file
  try {
    if (file !== '-' && (await stat(file)).isDirectory())
      throw new TwotrackError('io', `${file} is a folder; give the files in it.`)
    return await decoded(file === '-' ? process.stdin : createReadStream(file), name)
  } catch (thrown) {
    if (thrown instanceof TwotrackError) throw thrown
    if (codeOf(thrown) === 'ENOENT')
      throw new TwotrackError('io', `There is no file ${name}.`, { cause: thrown })
    throw new TwotrackError('io', `${name} cannot be read: ${messageOf(thrown)}`, { cause: thrown })
  }
}

async function decoded(stream: AsyncIterable<Uint8Array>, name: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size > IMPORT_BYTES_MAX)
      throw new TwotrackError(
        'limit',
        `${name} has more than ${bytes(IMPORT_BYTES_MAX)}, the most that is read.`,
      )
  }
  try {
    // Fatal: a replaced byte would be recorded as if the tool had written it.
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new TwotrackError('bad_import', `${name} is not UTF-8 text; save it as UTF-8.`, { cause })
  }
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** A length of time such as `90m`, `12h`, `30d`, `4w`, in milliseconds. Undefined when it is none. */
export function lengthOfTime(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? []
  const unit_ms = UNITS_MS[unit]
  return unit_ms === undefined ? undefined : Number(count) * unit_ms
}

/** A date, or a length of time before now, as an ISO date. */
export function sinceWhen(text: string, now = Date.now()): string {
  const length = lengthOfTime(text)
  const at = length === undefined ? Date.parse(text) : now - length
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw new TwotrackError(
    'bad_argument',
    `"${text}" is no time; give a date (2026-11-16) or a length (90m, 12h, 7d, 4w).`,
  )
}
