import { messageOf, TwotrackError } from '../errors.ts'
import type { JsonObject } from '../event/json.ts'

/** Reads a TOML file; a date becomes its text. Throws `bad_config` with the line. */
export async function parseToml(text: string): Promise<JsonObject> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return JSON.parse(JSON.stringify(parse(text, { maxDepth: 32 })))
  } catch (thrown) {
    const [what = ''] = messageOf(thrown).replace('Invalid TOML document: ', '').split('\n')
    const line = thrown instanceof TomlError ? thrown.line : undefined
    throw new TwotrackError('bad_config', line === undefined ? what : `line ${line}: ${what}`, {
      cause: thrown,
      details: { line },
    })
  }
}
