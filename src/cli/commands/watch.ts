import { existsSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { watch } from 'chokidar'
import { configFor } from '../../app/context.ts'
import { agentFor, type RunOptions } from '../../app/environment.ts'
import type { RunStart } from '../../app/run-jobs.ts'
import { jobsFor } from '../../app/targets.ts'
import { trustFor } from '../../app/trust.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { IgnoreRules } from '../../files/ignore.ts'
import { type CommandWords, RUN, wholeNumber } from '../command.ts'
import { terminal } from '../front.ts'
import type { CommonOptions } from '../options.ts'
import { type Found, remark, show } from '../output.ts'
import { performRun } from '../perform-run.ts'

interface WatchOptions extends RunOptions, CommonOptions {
  readonly debounce?: number
}

const DEBOUNCE_MS = 500

/** Runs an agent on every file that is saved, in batches, until it is interrupted. */
async function watchCommand(
  operation: string,
  paths: readonly string[],
  options: WatchOptions,
): Promise<Found> {
  const loaded = configFor(options)
  const project = loaded.root
  const trust = await trustFor(loaded, options, terminal)
  const agent = await agentFor(operation, project, trust, options, terminal)
  const absent = paths.find((path) => !existsSync(path))
  if (absent !== undefined) throw new TwotrackError('missing', `There is nothing to watch at ${absent}.`)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const saved = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const watched = paths.length === 0 ? [project] : paths.map((path) => resolve(path))
  const ignored = IgnoreRules.of(project)
  const watcher = watch(watched, {
    ignoreInitial: true,
    ignored: (path, stats) => {
      const inside = relative(project, path).split(sep).join('/')
      if (stats === undefined || watched.includes(path) || inside.startsWith('..')) return false
      return ignored.has(inside, stats.isDirectory())
    },
  })
  const batch = () => {
    const files = [...saved]
    saved.clear()
    running = running
      .then(() => runOn(files))
      .catch((thrown: unknown) => remark(`twotrack: ${messageOf(thrown)}`))
  }
  const runOn = async (files: readonly string[]) => {
    const there = files.filter((file) => existsSync(file)) // a save is often a new file, renamed
    if (there.length === 0 || stop.signal.aborted) return
    const jobs = ({ suffix, front }: RunStart) => jobsFor(agent, project, there, suffix, front)
    await show(await performRun(options, jobs), options.json === true)
  }
  watcher.on('all', (event, path) => {
    if (event !== 'add' && event !== 'change') return
    saved.add(path)
    clearTimeout(timer)
    timer = setTimeout(batch, options.debounce ?? DEBOUNCE_MS)
  })
  await new Promise<void>((ready) => watcher.once('ready', () => ready()))
  remark(`Watching ${paths.join(', ') || '.'} for ${operation}. Ctrl-C ends it.`)
  await new Promise<void>((ended) => stop.signal.addEventListener('abort', () => ended(), { once: true }))
  clearTimeout(timer)
  await watcher.close()
  await running
  return { json: null, lines: () => [] }
}

export default {
  takes: '<agent> [paths...]',
  examples: ['watch lint src/'],
  options: [...RUN, ['--debounce <ms>', 'wait this long for more saves (default: 500)', wholeNumber]],
  call: watchCommand,
} satisfies CommandWords
