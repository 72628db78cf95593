import { type Compacted, type CompactedLog, compact } from '../../audit/compact/compact.ts'
import type { Retention } from '../../audit/compact/policy.ts'
import { TwotrackError } from '../../errors.ts'
import { type CommonOptions, configFor, withStore } from '../context.ts'
import { bytes, count, paint, print, printJson, progress, safe } from '../output.ts'
import { lengthOfTime } from '../since.ts'
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
export async function compactCommand(options: CompactCommandOptions): Promise<number> {
  const dry_run = options.apply !== true
  const retention = retentionFor(options)
  const done = await withStore(options, (store, loaded) =>
    withWorkspaces(loaded, (workspaces) =>
      compact(store, { ...retention, dry_run, workspaces, onLog: progress }),
    ),
  )
  if (options.json) printJson(done)
  else show(done, retention)
  return done.logs.some(({ what }) => what === 'left') ? 1 : 0
}

/** What the command line says goes before what the configuration says. */
function retentionFor(options: CompactCommandOptions): Retention {
  const { retention } = configFor(options).config.runner.memory
  return {
    raw_days: options.olderThan === undefined ? retention.raw_days : daysOf(options.olderThan),
    raw_bytes: options.maxSize === undefined ? retention.raw_bytes : sizeOf(options.maxSize),
    keep_errors: options.keepErrors ?? retention.keep_errors,
    archive_days:
      options.archiveOlderThan === undefined ? retention.archive_days : daysOf(options.archiveOlderThan),
  }
}

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

function show(done: Compacted, retention: Retention): void {
  const { dry_run, logs, blobs, kept, pruned_bytes } = done
  const would = dry_run ? 'would be ' : ''
  const of = (what: CompactedLog['what']) => logs.filter((log) => log.what === what)
  const left = done.workspaces.filter(({ goes }) => goes)
  for (const { agent_id, why, bytes: size } of of('pruned').slice(0, SHOWN_MAX))
    print(`${safe(agent_id)}: ${bytes(size)} of raw output ${would}removed (${safe(why)})`)
  if (of('pruned').length > SHOWN_MAX) print(`… and ${count(of('pruned').length - SHOWN_MAX, 'more log')}`)
  for (const { agent_id, why } of of('left'))
    print(`${paint('yellow', 'left')} ${safe(agent_id)}: ${safe(why)}`)
  print(
    [
      `${count(of('pruned').length, 'log')} ${would}pruned of ${bytes(pruned_bytes)} of ${bytes(done.raw_bytes)} raw output`,
      `${count(blobs.blobs, 'blob')} (${bytes(blobs.bytes)} on disk) ${would}removed`,
      `${count(of('archived').length, 'log')} ${would}compressed`,
      `${count(left.length, 'workspace')} (${bytes(left.reduce((sum, one) => sum + one.bytes, 0))}) ${would}removed`,
    ].join('\n'),
  )
  if (kept.failed > 0)
    print(paint('dim', `${count(kept.failed, 'log')} of agents that failed keep it (--no-keep-errors)`))
  if (kept.open > 0) print(paint('dim', `${count(kept.open, 'log')} of agents that have not ended keep it`))
  if (retention.raw_days === null && retention.raw_bytes === null)
    print(
      paint(
        'dim',
        'No limit is set: give --older-than or --max-size, or set runner.memory.retention in twotrack.yaml.',
      ),
    )
  else if (dry_run)
    print(paint('dim', 'Nothing was changed. Packets and chain stay as they are with --apply too.'))
}
