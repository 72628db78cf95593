import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { personKey } from '../files/own-folder.ts'
import type { HideOptions } from '../secrets/hide.ts'

type Environment = Readonly<Record<string, string | undefined>>

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
  // Without a place to keep it, placeholders are those of this process alone.
  const key = personKey(env, 'placeholder.key')
  return { known: secretsOfEnvironment(env), ...(key ? { key } : {}) }
}

/** Where /proc/PID/stat says that the environment began and ended, counted from the field after the name. */
const [ENV_START, ENV_END] = [47, 48]

/**
 * Overwrites the block of memory in which the system gave this process its environment. On Linux every process of the
 * same user can read that block in /proc/PID/environ, so a command that got no key could take it from there; a changed
 * `process.env` does not change it. `process.env` itself stays as it is. Elsewhere there is no such way, and nothing is
 * done: see docs/security.md.
 */
export function hideEnvironment(): void {
  if (process.platform !== 'linux') return
  // Set again, each variable gets memory of its own, and nothing points to the block any more.
  for (const [name, value] of Object.entries(process.env)) process.env[name] = value
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [start, end] = [Number(fields[ENV_START]), Number(fields[ENV_END])]
    if (!(start > 0 && end > start)) return
    const memory = openSync('/proc/self/mem', 'r+')
    try {
      writeSync(memory, Buffer.alloc(end - start), 0, end - start, start)
    } finally {
      closeSync(memory)
    }
  } catch {
    // A system that does not let a process write its own memory so: then only process namespaces hide the block.
  }
}
