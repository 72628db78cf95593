import { lstat, open, readFile, rename, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isObject, type Json } from '../../core/event/json.ts'
import { codeOf, TwotrackError } from '../../errors.ts'
import { filesBelow } from '../../files/disk.ts'
import { changeBytes } from '../../secrets/bytes.ts'

/** A file beside the logs that "redact" goes through; a larger one is left as it is. */
const REDACT_FILE_BYTES_MAX = 512 * 1024 * 1024

/** What is to go from a text: gives the text as it stays. */
export interface Redact {
  (text: string): string
  /** The same for a value, where names of its fields tell what is to go. */
  readonly within?: (value: Json) => Json
}

const MARK = '[redacted]'
/** A shorter text is part of too many others. */
export const PATTERN_CHARS_MIN = 4
const DIGEST = /^[0-9a-f]{64}$/

/**
 * A text, in the forms that JSON, addresses and JSON within JSON hold it in, its accents written in either way; and as the
 * sentence of a step quotes it.
 */
export function redactText(pattern: string): Redact {
  const written = [pattern, inQuotes(pattern)].flatMap((one) => [
    one,
    one.normalize('NFC'),
    one.normalize('NFD'),
  ])
  const longestFirst = [...new Set(written.flatMap(formsOf))].sort((a, b) => b.length - a.length)
  return (text) => longestFirst.reduce((left, form) => left.replaceAll(form, MARK), text)
}

/** Line by line, and with single quotation marks for its own. */
function inQuotes(pattern: string): string {
  const lines = pattern.split('\n').map((line) => line.trim().replaceAll('"', "'"))
  const told = lines.filter((line) => line !== '').join('", "')
  return told.length < PATTERN_CHARS_MIN ? pattern : told
}

function formsOf(pattern: string): string[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1)
  /** As JSON of other languages writes what is no ASCII. */
  const escaped = quoted(pattern).replace(
    /[^\x00-\x7f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const address = encodeURIComponent(pattern.toWellFormed())
  const lower = address.replace(/%../g, (code) => code.toLowerCase())
  return [pattern, address, lower, ...[quoted(pattern), escaped].flatMap((one) => [one, quoted(one)])]
}

export const redactMatches =
  (pattern: RegExp): Redact =>
  (text) =>
    text.replace(pattern, (found) => (found === '' ? '' : MARK))

/** Every text in a value, names of fields included; digests say nothing to a reader and hold the log together. */
export function redactIn(value: Json, redact: Redact): Json {
  if (redact.within) return redact.within(value)
  if (typeof value === 'string') return DIGEST.test(value) ? value : redact(value)
  if (Array.isArray(value)) return value.map((item) => redactIn(item, redact))
  if (!isObject(value)) return value
  const fields = Object.entries(value as Record<string, Json>)
  return Object.fromEntries(fields.map(([key, field]) => [redact(key), redactIn(field, redact)]))
}

/** What stands in place of something; the codes and breaks that stood within a secret stay behind its placeholder. */
const MARKS = /\[redacted\]|\[secret:[a-z0-9-]{1,40}:[0-9a-f]{12}\](?:\x1b\[[\d;]{0,20}m|\\[nru]|[\s+>|\\])*/

/** Throws `bad_argument` unless a value is another one with marks in it: nobody puts other words in the place of some. */
export function assertOnlyMarks(before: Json, after: Json): void {
  if (isMarked(before, after)) return
  throw new TwotrackError(
    'bad_argument',
    'What was given to take something out puts other text in its place. Give a function that only replaces parts of ' +
      `a text by ${MARK}, such as redactText and redactMatches make.`,
  )
}

function isMarked(before: Json | undefined, after: Json): boolean {
  if (typeof before === 'string' && typeof after === 'string') return isMarkedText(before, after)
  if (Array.isArray(before) && Array.isArray(after))
    return before.length === after.length && before.every((item, at) => isMarked(item, after[at] ?? null))
  if (!isObject(before) || !isObject(after)) return before === after
  const fields = Object.entries(before as Record<string, Json>)
  // Names that are the same once they are marked are one.
  return Object.entries(after as Record<string, Json>).every(([name, value]) =>
    fields.some(([key, field]) => (key === name || isMarkedText(key, name)) && isMarked(field, value)),
  )
}

/** Whether what stays of a text stood in it, in this order, and something else in the place of each mark. */
function isMarkedText(before: string, after: string): boolean {
  if (before === after) return true
  const [first = '', ...rest] = after.split(MARKS)
  const last = rest.pop()
  if (last === undefined || !before.startsWith(first)) return false
  let at = first.length
  for (const fragment of rest) {
    const found = before.indexOf(fragment, at)
    if (found < 0) return false
    at = found + fragment.length
  }
  return before.length >= at + last.length && before.endsWith(last)
}

/** Of a store: its own parts went through the store, all but the torn ends of logs. Locks are held by somebody. */
const OF_STORE =
  /^traces[/\\](?!.*\.jsonl\.torn-[\d-]+$)|^blobs[/\\]|^traces\.index|\.(?:lock|held)$|^agent\.db/
const SQLITE = 'SQLite format 3\0'
/** Beside nothing: what is left in a workspace would be a change of the project. */
const TEMPORARY = '.redacting'

/**
 * What else is under the folder: copies of projects, exports, indexes. A text is changed where it stands; a database
 * that holds it is a cache of ours, and is removed. Gives the paths of those.
 */
export async function redactFiles(
  folder: string,
  redact: Redact,
  dryRun: boolean,
): Promise<{ files: string[]; unread: string[] }> {
  const files: string[] = []
  const unread: string[] = []
  const temporary = join(folder, TEMPORARY)
  if (!dryRun) await rm(temporary, { force: true })
  for (const path of (await filesBelow(folder)).sort()) {
    const name = relative(folder, path)
    if (OF_STORE.test(name)) continue
    const found = await lstat(path).catch(ifGone)
    // What a link leads to is not ours.
    if (!found?.isFile()) continue
    if (found.size > REDACT_FILE_BYTES_MAX) {
      unread.push(name)
      continue
    }
    const before = await readFile(path)
    const after = changeBytes(before, redact)
    if (after === before) continue
    files.push(name)
    if (dryRun) continue
    const database = /^(.*)-(?:wal|shm|journal)$/.exec(path)?.[1] ?? path
    if (database !== path || before.toString('latin1', 0, SQLITE.length) === SQLITE)
      await removeDatabase(database)
    else await replace(path, temporary, after, found.mode)
  }
  return { files, unread }
}

/** With its database, or by somebody else. */
function ifGone(cause: unknown): undefined {
  if (codeOf(cause) !== 'ENOENT') throw cause
}

async function replace(path: string, temporary: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(temporary, 'w', mode)
  try {
    await file.chmod(mode)
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

async function removeDatabase(path: string): Promise<void> {
  for (const part of [`${path}-wal`, `${path}-shm`, `${path}-journal`, path]) await rm(part, { force: true })
}
