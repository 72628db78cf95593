import { readFileSync } from 'node:fs'
import { redactAll } from '../../app/redact.ts'
import type { RedactedStore } from '../../audit/redact/redact.ts'
import type { CommandWords } from '../command.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, type Lines, paint, progress, safe, self } from '../output.ts'

interface RedactCommand extends CommonOptions {
  readonly secrets?: boolean
  readonly regex?: boolean
  readonly reason?: string
  readonly yes?: boolean
}

/** Takes something out of every log, blob and file of the folder. */
async function redactCommand(given: string | undefined, options: RedactCommand): Promise<Found> {
  // What is typed as an argument stays in the history of the shell.
  const pattern = given === '-' ? readFileSync(0, 'utf8').replace(/\r?\n$/, '') : given
  const all = await redactAll(options, { ...options, pattern, dryRun: !options.yes }, progress)
  return { json: all, code: all.left ? 1 : 0, lines: () => redactedLines(all) }
}

function redactedLines({
  dry_run,
  logs,
  blobs,
  files,
  unread,
  waiting,
  remains,
  left,
}: RedactedStore): Lines {
  const changed = logs.filter((log) => log.events > 0)
  const events = changed.reduce((sum, log) => sum + log.events, 0)
  if (changed.length + blobs + files.length === 0 && !left) return ['Nothing here holds it.']
  const sum = `${count(events, 'event')} of ${count(changed.length, 'log')}, ${count(blobs, 'blob')} and ${count(files.length, 'other file')}`
  const still = (name: string, why: string) => `  ${paint('red', 'left')} ${safe(name)}: ${safe(why)}`
  return [
    `${dry_run ? 'Would change' : 'Changed'} ${sum}:`,
    ...changed.flatMap(({ agent_id, events, proposed = [] }) => [
      `  ${safe(agent_id)}: ${count(events, 'event')}`,
      ...proposed.map(
        (path) => `    ${paint('yellow', 'proposed')} ${safe(path)}: it can't be accepted after this`,
      ),
    ]),
    ...files.map((file) => `  ${safe(file)}`),
    ...logs.map((log) => log.left !== undefined && still(log.agent_id, log.left)),
    ...unread.map((file) => still(file, 'too large to be searched')),
    waiting > 0 &&
      still(
        count(waiting, 'blob'),
        'a log that is open may be about to name it; do it again when that one is done',
      ),
    ...remains.map((place) => `  may still hold it: ${safe(place)}`),
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
    ['--reason <text>', 'recorded in each log'],
    ['--yes', 'do it; without this it only says what would change'],
  ],
  call: redactCommand,
} satisfies CommandWords
