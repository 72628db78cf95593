import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { configFor, storesIn } from '../../app/context.ts'
import { folderOf } from '../../app/job.ts'
import { secretsOfEnvironment } from '../../app/person-secrets.ts'
import { type Redacted, redactStore } from '../../audit/redact/redact.ts'
import { PATTERN_CHARS_MIN, type Redact, redactMatches, redactText } from '../../audit/redact/texts.ts'
import { TwotrackError } from '../../errors.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, type Lines, paint, progress, safe, self } from '../output.ts'

interface RedactCommand extends CommonOptions {
  readonly secrets?: boolean
  readonly regex?: boolean
  readonly reason?: string
  readonly yes?: boolean
}

/** Takes something out of every log, blob and file of the folder. Returns the exit code. */
async function redactCommand(given: string | undefined, options: RedactCommand): Promise<Found> {
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

export default {
  takes: '[pattern]',
  examples: [
    'redact "Ada Lovelace"                          # says what would change',
    'redact "Ada Lovelace" --yes --reason "asked for by the person"',
    'redact - --yes < secret.txt                    # not in the history of your shell',
    'redact --secrets --yes',
    'redact --regex "[\\w.]+@example[.]com" --yes',
  ],
  options: [
    ['--secrets', 'whatever the detector of secrets finds, and the keys of the environment'],
    ['--regex', 'the pattern is a regular expression'],
    ['--reason <text>', 'recorded in the tombstone of each log'],
    ['--yes', 'do it; without this it only says what would change'],
  ],
  call: redactCommand,
} satisfies CommandWords
