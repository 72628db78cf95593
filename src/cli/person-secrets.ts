import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../files/disk.ts'
import type { HideOptions } from '../memory/hide.ts'
import { trustFile } from '../trust/store.ts'

type Environment = Readonly<Record<string, string | undefined>>

const KEY_BYTES = 32
const SECRET_NAMES = /(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|pwd|auth|_pat)_?\d*$/i
/** Names that end like those of secrets, and hold none. */
const HARMLESS = /^(?:PWD|OLDPWD|SSH_AUTH_SOCK|XAUTHORITY)$|(?:PUBLIC|KEYBOARD)/i

/**
 * Values of the environment whose names say that they are secret: whatever they look like, no log gets them. One that
 * begins like a path may be a key too, unless it is that of a file.
 */
export const secretsOfEnvironment = (env: Environment): string[] =>
  Object.entries(env).flatMap(([name, value]) =>
    value && SECRET_NAMES.test(name) && !HARMLESS.test(name) && !existsSync(value) ? [value.trim()] : [],
  )

/** A shorter value is a word that texts may hold. */
const SHOWN_CHARS_MIN = 8

/** A text for the console, whatever it was made of. */
export const withoutKeys = (text: string, env: Environment = process.env): string =>
  secretsOfEnvironment(env)
    .filter((value) => value.length >= SHOWN_CHARS_MIN)
    .reduce((shown, value) => shown.replaceAll(value, '[key]'), text)

/** With a key of the person's own, beside what they trust: a resumed run gives a secret the placeholder that it had. */
export function hideOptions(env: Environment): HideOptions {
  const key = keyIn(join(dirname(trustFile(env)), 'placeholder.key'))
  return { known: secretsOfEnvironment(env), ...(key ? { key } : {}) }
}

/** Made at its first use. Without a place to keep it, placeholders are those of this process alone. */
function keyIn(file: string): Uint8Array | undefined {
  try {
    return keyOf(readFileSync(file))
  } catch {
    try {
      makeFolder(dirname(file))
      writeFileSync(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 })
    } catch {
      // Another process made it just now, or nobody can.
    }
  }
  try {
    return keyOf(readFileSync(file))
  } catch {
    return undefined
  }
}

const keyOf = (bytes: Uint8Array): Uint8Array | undefined => (bytes.length === KEY_BYTES ? bytes : undefined)
