import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { canonical, tryParse } from '../core/event/json.ts'
import { codeOf, TwotrackError } from '../errors.ts'
import { makeFolder, temporaryBeside } from '../files/disk.ts'
import { decrypt, encrypt } from '../files/encrypted.ts'
import { personKey } from '../files/own-folder.ts'

const entrySchema = z.object({
  placeholder: z.string(),
  /** When it goes. */
  until: z.string(),
  /** Initialization vector, tag and encrypted original, one after the other, in base64. */
  sealed: z.base64(),
})
type Entry = z.infer<typeof entrySchema>

const DAY_MS = 86_400_000

const fileIn = (folder: string): string => join(folder, 'vault.jsonl')

/**
 * Keeps the originals of what is hidden, so that a mistake is no loss: encrypted with a key that only this person has,
 * outside the project, and until some days are over. Undefined where there is no place for a key.
 */
export function vaultIn(folder: string, days: number) {
  const key = personKey(process.env, 'vault.key')
  if (!key) return undefined
  const kept = new Set(purge(folder, () => false).map(({ placeholder }) => placeholder))
  return (placeholder: string, secret: string): void => {
    if (kept.has(placeholder)) return
    kept.add(placeholder)
    const until = new Date(Date.now() + days * DAY_MS).toISOString()
    const sealed = encrypt(Buffer.from(secret), key, saidOf({ placeholder, until })).toString('base64')
    makeFolder(folder)
    appendFileSync(fileIn(folder), `${JSON.stringify({ placeholder, until, sealed })}\n`, { mode: 0o600 })
  }
}

/** What a placeholder stood for, and until when that is kept. */
export interface Revealed {
  readonly placeholder: string
  readonly until: string
  readonly original: string
}

/** The originals whose placeholder holds a text, all unless given. What is over goes now. */
export function reveal(folder: string, text = ''): Revealed[] {
  const all = purge(folder, () => false)
  const found = all.filter(({ placeholder }) => placeholder.includes(text))
  if (found.length > 0 || text === '') return found
  throw new TwotrackError(
    'missing',
    `The vault has no ${text}: it was not kept (runner.memory.vault_days), its time is over, or it was redacted.`,
  )
}

/**
 * Removes what is over, and what `goes`, which is given the original, or undefined where another key sealed it or it was
 * changed. Gives what stays and can be read.
 */
export function purge(folder: string, goes: (original: string | undefined) => boolean): Revealed[] {
  const entries = entriesIn(folder)
  const stay = entries.filter((entry) => Date.parse(entry.until) > Date.now() && !goes(originalOf(entry)))
  if (stay.length === 0) rmSync(fileIn(folder), { force: true })
  else if (stay.length < entries.length) {
    const temporary = temporaryBeside(fileIn(folder))
    const text = stay.map((entry) => `${JSON.stringify(entry)}\n`).join('')
    writeFileSync(temporary, text, { mode: 0o600, flush: true })
    renameSync(temporary, fileIn(folder))
  }
  return stay.flatMap((entry) => {
    const original = originalOf(entry)
    return original === undefined ? [] : [{ placeholder: entry.placeholder, until: entry.until, original }]
  })
}

function entriesIn(folder: string): Entry[] {
  try {
    const lines = readFileSync(fileIn(folder), 'utf8').split('\n')
    return lines.flatMap((line) => entrySchema.safeParse(tryParse(line)).data ?? [])
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return []
    throw thrown
  }
}

/** What is encrypted together with it: nobody makes it last longer, or be that of another placeholder. */
const saidOf = ({ placeholder, until }: Pick<Entry, 'placeholder' | 'until'>): string =>
  canonical({ placeholder, until })

/** Undefined where another key sealed it, or somebody changed it. */
function originalOf(entry: Entry): string | undefined {
  const key = personKey(process.env, 'vault.key')
  return key && decrypt(Buffer.from(entry.sealed, 'base64'), key, saidOf(entry))?.toString()
}
