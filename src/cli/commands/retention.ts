import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { configFor, storesIn, withStore } from '../../app/context.ts'
import { folderOf } from '../../app/job.ts'
import { secretsOfEnvironment } from '../../app/person-secrets.ts'
import { type Compacted, compact } from '../../audit/compact/compact.ts'
import type { Retention } from '../../audit/compact/policy.ts'
import { type Redacted, redactStore } from '../../audit/redact/redact.ts'
import { PATTERN_CHARS_MIN, type Redact, redactMatches, redactText } from '../../audit/redact/texts.ts'
import { TwotrackError } from '../../errors.ts'
import { lengthOfTime } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { bytes, count, type Found, type Lines, paint, progress, safe, self } from '../output.ts'
import { withWorkspaces } from './clean.ts'

const SHOWN_MAX = 20
const DAY_MS = 86_400_000

export interface CompactCommandOptions extends CommonOptions {
  readonly olderThan?: string
  readonly maxSize?: string
  readonly keepErrors?: boolean
  readonly archiveOlderThan?: string
  readonly apply?: boolean
}

/** Says what would be removed; with `--apply` removes it. 1 when a log had to be left alone. */
export async function compactCommand(options: CompactCommandOptions): Promise<Found> {
  const dry_run = options.apply !== true
  return withStore(options, async (store, loaded) => {
    const retention = retentionFor(options, loaded.config.runner.memory.retention)
    const done = await withWorkspaces(loaded, (workspaces) =>
      compact(store, { ...retention, dry_run, workspaces, onLog: progress }),
    )
    const code = done.logs.some(({ what }) => what === 'left') ? 1 : 0
    return { json: done, code, lines: () => compactedLines(done, retention) }
  })
}

/** What the command line says goes before what the configuration says. */
const retentionFor = (
  { olderThan, maxSize, keepErrors, archiveOlderThan }: CompactCommandOptions,
  retention: Retention,
): Retention => ({
  raw_days: olderThan === undefined ? retention.raw_days : daysOf(olderThan),
  raw_bytes: maxSize === undefined ? retention.raw_bytes : sizeOf(maxSize),
  keep_errors: keepErrors ?? retention.keep_errors,
  archive_days: archiveOlderThan === undefined ? retention.archive_days : daysOf(archiveOlderThan),
})

function daysOf(text: string): number {
  const length = lengthOfTime(text)
  if (length !== undefined) return length / DAY_MS
  throw new TwotrackError('bad_argument', `"${text}" is no length of time; write it as 12h, 30d or 4w.`)
}

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

function sizeOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?([KMGT]?B)$/i.exec(text) ?? []
  const factor = UNITS[unit.toUpperCase()]
  if (factor !== undefined) return Math.round(Number(number) * factor)
  throw new TwotrackError('bad_argument', `"${text}" is no size; write it as 500MB or 2GB.`)
}

function compactedLines(done: Compacted, { raw_days, raw_bytes }: Retention): Lines {
  const { dry_run, logs, blobs, kept } = done
  const would = dry_run ? 'would be ' : ''
  const { pruned = [], archived = [], left = [] } = Object.groupBy(logs, ({ what }) => what)
  const workspaces = done.workspaces.filter(({ goes }) => goes)
  const freed = workspaces.reduce((sum, one) => sum + one.bytes, 0)
  const isUnlimited = raw_days === null && raw_bytes === null
  return [
    ...pruned
      .slice(0, SHOWN_MAX)
      .map(
        ({ agent_id, why, bytes: size }) =>
          `${safe(agent_id)}: ${bytes(size)} of raw output ${would}removed (${safe(why)})`,
      ),
    pruned.length > SHOWN_MAX && `… and ${count(pruned.length - SHOWN_MAX, 'more log')}`,
    ...left.map(({ agent_id, why }) => `${paint('yellow', 'left')} ${safe(agent_id)}: ${safe(why)}`),
    `${count(pruned.length, 'log')} ${would}pruned of ${bytes(done.pruned_bytes)} of ${bytes(done.raw_bytes)} raw output`,
    `${count(blobs.blobs, 'blob')} (${bytes(blobs.bytes)} on disk) ${would}removed`,
    `${count(archived.length, 'log')} ${would}compressed`,
    `${count(workspaces.length, 'workspace')} (${bytes(freed)}) ${would}removed`,
    kept.failed > 0 &&
      paint('dim', `${count(kept.failed, 'log')} of agents that failed keep it (--no-keep-errors)`),
    kept.open > 0 && paint('dim', `${count(kept.open, 'log')} of agents that have not ended keep it`),
    isUnlimited &&
      paint(
        'dim',
        'No limit is set: give --older-than or --max-size, or set runner.memory.retention in twotrack.yaml.',
      ),
    !isUnlimited &&
      dry_run &&
      paint('dim', 'Nothing was changed. Packets and chain stay as they are with --apply too.'),
  ]
}

export interface RedactCommand extends CommonOptions {
  readonly secrets?: boolean
  readonly regex?: boolean
  readonly reason?: string
  readonly yes?: boolean
}

/** Takes something out of every log, blob and file of the folder. Returns the exit code. */
export async function redactCommand(given: string | undefined, options: RedactCommand): Promise<Found> {
  // What is typed as an argument stays in the history of the shell.
  const pattern = given === '-' ? readFileSync(0, 'utf8').replace(/\r?\n$/, '') : given
  const redact = await redactionOf(pattern, options)
  const { config, root } = configFor(options)
  const folder = folderOf(config, root)
  const reason = options.reason ?? (options.secrets ? 'secrets' : 'asked for by a person')
  if (redact(reason) !== reason)
    throw new TwotrackError(
      'bad_argument',
      'The reason holds what is to go, and it is recorded. Say it in other words.',
    )
  const results: Redacted[] = []
  const dry_run = !options.yes
  const stores = storesIn(folder)
  try {
    for (const [at, store] of stores.entries()) {
      const files = at === stores.length - 1 ? { folder } : {}
      results.push(await redactStore(store, { redact, reason, dry_run, onLog: progress, ...files }))
    }
  } finally {
    for (const store of stores) await store.close()
  }
  const all = {
    dry_run,
    logs: results.flatMap(({ logs }) => logs),
    blobs: results.reduce((sum, { blobs }) => sum + blobs, 0),
    files: results.flatMap(({ files }) => files),
    unread: results.flatMap(({ unread }) => unread),
    left: results.some(({ left }) => left),
  }
  return { json: all, code: all.left ? 1 : 0, lines: () => redactedLines(all) }
}

async function redactionOf(pattern: string | undefined, { secrets, regex }: RedactCommand): Promise<Redact> {
  if ((pattern === undefined) !== (secrets === true))
    throw new TwotrackError('bad_argument', 'Give either a PATTERN or --secrets.')
  if (pattern === undefined) {
    const { secretsOf } = await import('../../secrets/secrets.ts')
    const key = randomBytes(32)
    const mac = (secret: string) => createHmac('sha256', key).update(secret).digest('hex')
    const { hide, hideIn } = secretsOf({ mac, known: secretsOfEnvironment(process.env) })
    return Object.assign(hide, { within: hideIn })
  }
  if (!regex && pattern.length < PATTERN_CHARS_MIN)
    throw new TwotrackError(
      'bad_argument',
      `"${pattern}" has fewer than ${PATTERN_CHARS_MIN} characters: too much else would go with it.`,
    )
  if (!regex) return redactText(pattern)
  try {
    return redactMatches(new RegExp(pattern, 'gu'))
  } catch (cause) {
    throw new TwotrackError('bad_argument', `${JSON.stringify(pattern)} is no regular expression.`, { cause })
  }
}

function redactedLines({ dry_run, logs, blobs, files, unread, left }: Redacted): Lines {
  const changed = logs.filter((log) => log.left === undefined)
  const events = changed.reduce((sum, log) => sum + log.events, 0)
  if (changed.length + blobs + files.length === 0 && !left) return ['Nothing here holds it.']
  const sum = `${count(events, 'event')} of ${count(changed.length, 'log')}, ${count(blobs, 'blob')} and ${count(files.length, 'other file')}`
  const still = (name: string, why: string) => `  ${paint('red', 'left')} ${safe(name)}: ${safe(why)}`
  return [
    `${dry_run ? 'Would change' : 'Changed'} ${sum}:`,
    ...changed.map((log) => `  ${safe(log.agent_id)}: ${count(log.events, 'event')}`),
    ...files.map((file) => `  ${safe(file)}`),
    ...logs.map((log) => log.left !== undefined && still(log.agent_id, log.left)),
    ...unread.map((file) => still(file, 'too large to be searched')),
    dry_run &&
      `Nothing was changed. Add --yes to do it; it can't be undone. ("${self} verify" shows afterwards that the logs are whole.)`,
  ]
}
