import { compactStore } from '../../app/retention.ts'
import type { Compacted } from '../../audit/compact/compact.ts'
import type { Retention } from '../../audit/compact/policy.ts'
import { defined } from '../../core/event/json.ts'
import { TwotrackError } from '../../errors.ts'
import type { CommandWords } from '../command.ts'
import { lengthOfTime } from '../input.ts'
import type { CommonOptions } from '../options.ts'
import { bytes, count, type Found, type Lines, paint, progress, safe, wrapped } from '../output.ts'

const SHOWN_MAX = 20
const DAY_MS = 86_400_000

interface CompactCommandOptions extends CommonOptions {
  readonly olderThan?: string
  readonly maxSize?: string
  readonly keepErrors?: boolean
  readonly archiveOlderThan?: string
  readonly apply?: boolean
}

/** Says what would be removed; with `--apply` removes it. 1 when a log had to be left alone. */
async function compactCommand(options: CompactCommandOptions): Promise<Found> {
  const { retention, done } = await compactStore(options, wanted(options), options.apply !== true, progress)
  const code = done.logs.some(({ what }) => what === 'left') ? 1 : 0
  return { json: done, code, lines: () => compactedLines(done, retention) }
}

/** What the command line says goes before what the configuration says. */
const wanted = ({ olderThan, maxSize, keepErrors, archiveOlderThan }: CompactCommandOptions) =>
  defined({
    raw_days: olderThan === undefined ? undefined : daysOf(olderThan),
    raw_bytes: maxSize === undefined ? undefined : sizeOf(maxSize),
    keep_errors: keepErrors,
    archive_days: archiveOlderThan === undefined ? undefined : daysOf(archiveOlderThan),
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
    ...done.workspaces.map(({ name, reason, goes }) =>
      wrapped(`${goes ? `${would}removed` : 'kept'} ${safe(name)}: ${safe(reason)}`, 0, 2),
    ),
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

export default {
  examples: [
    'compact --older-than 30d                # says what would be removed',
    'compact --older-than 30d --apply        # removes it',
    'compact --max-size 2GB --no-keep-errors --apply',
    'compact --archive-older-than 90d --apply',
  ],
  options: [
    ['--older-than <time>', 'raw output of agents that ended longer ago (30d, 4w)'],
    ['--max-size <size>', 'the most that all raw output may have together (500MB, 2GB)'],
    ['--keep-errors', 'keep it of agents and calls that failed'],
    ['--no-keep-errors', 'of those too'],
    ['--archive-older-than <time>', 'compress logs of agents that ended longer ago'],
    ['--apply', 'do it; without this nothing is changed'],
  ],
  call: compactCommand,
} satisfies CommandWords
