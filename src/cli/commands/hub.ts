import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { configFor } from '../../app/context.ts'
import { isObject, tryParse } from '../../core/event/json.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { makeFolder } from '../../files/disk.ts'
import { harmlessEnvironment } from '../../files/harmless-environment.ts'
import { isHeld } from '../../files/lock.ts'
import type { NodeState } from '../../hub/hub.ts'
import { openHub } from '../../hub/open.ts'
import { type HubPlace, hubPlace } from '../../hub/serve/place.ts'
import { ask, type HubStatus, statusSchema } from '../../hub/serve/protocol.ts'
import { startHub } from '../../hub/serve/running.ts'
import { HUB_END_MS_MAX, HUB_START_MS_MAX } from '../../limits.ts'
import type { Edge } from '../../nodes/edges.ts'
import type { CommonOptions } from '../options.ts'
import { count, type Found, paint, print, printJson, remark, safe, self } from '../output.ts'

export interface HubOptions extends CommonOptions {
  readonly detach?: boolean
}

export type HubAction = 'start' | 'status' | 'stop' | 'query'

export async function hubCommand(
  action: HubAction,
  nodes: readonly string[],
  options: HubOptions,
): Promise<Found | number> {
  if (action === 'query' ? nodes.length === 0 : nodes.length > 0)
    throw new TwotrackError(
      'bad_argument',
      action === 'query'
        ? 'hub query takes the keys of one or more nodes, such as src/app.py:App.run.'
        : `hub ${action} takes no nodes; received ${nodes.join(' ')}.`,
    )
  const { config, root } = configFor(options)
  const place = await hubPlace(root, resolve(root, config.runner.memory.folder))
  if (action === 'start') return options.detach ? detach(place, options) : runHere(place, options)
  if (action === 'status') return statusFound(place)
  return action === 'stop' ? stop(place) : query(place, nodes)
}

async function runHere(place: HubPlace, options: HubOptions): Promise<number> {
  const stamped = (note: string) => remark(`${new Date().toISOString()} ${safe(note)}`)
  const hub = await startHub({ project: place.root, folder: place.folder, onNote: stamped })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void hub.stop())
  if (options.json) printJson(hub.status())
  else print(`Hub for ${hub.place.root}, pid ${process.pid}. Ctrl-C stops it.`)
  await hub.ready
  await hub.stopped
  return 0
}

/** Starts the same command in the background and returns once it answers. */
async function detach(place: HubPlace, options: HubOptions): Promise<Found> {
  if (isHeld(place.lock))
    throw new TwotrackError('locked', `A hub runs for ${place.root} already. See "${self} hub status".`)
  makeFolder(place.folder)
  const log = openSync(place.log, 'a')
  const own = ['hub', 'start', '--folder', place.folder, ...sameConfig(options)]
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? '', ...own], {
    cwd: place.root,
    detached: true,
    // It outlives this command, and needs no key.
    env: harmlessEnvironment(process.env),
    stdio: ['ignore', log, log],
  })
  child.unref()
  let ended: string | undefined
  child.on('error', (thrown) => {
    ended = messageOf(thrown)
  })
  child.on('exit', (code) => {
    ended = `it ended with code ${code}`
  })
  const until = Date.now() + HUB_START_MS_MAX
  while (ended === undefined && Date.now() < until) {
    const status = await statusOf(place)
    const started = `Hub for ${place.root}, pid ${child.pid}, in the background. Its notes: ${place.log}`
    if (status?.pid === child.pid) return { json: status, lines: () => [started] }
    await wait(50)
  }
  throw new TwotrackError(
    'io',
    `The hub could not be started (${ended ?? 'it does not answer'}). Its notes: ${place.log}`,
  )
}

const sameConfig = ({ config, set = [] }: HubOptions): string[] => [
  ...(config === undefined ? [] : ['--config', resolve(config)]),
  ...set.flatMap((one) => ['--set', one]),
]

/** Undefined when no hub answers. */
async function statusOf(place: HubPlace): Promise<HubStatus | undefined> {
  try {
    return statusSchema.parse(await ask(place.socket, { op: 'status' }))
  } catch {
    return undefined
  }
}

/** The pid that the last hub noted; only worth something while the lock is held. */
function notedPid({ info }: HubPlace): number | undefined {
  try {
    const noted = tryParse(readFileSync(info, 'utf8'))
    return isObject(noted) && typeof noted['pid'] === 'number' ? noted['pid'] : undefined
  } catch {
    return undefined
  }
}

/** 0 when a hub runs and answers, 1 when not. */
async function statusFound(place: HubPlace): Promise<Found> {
  const status = await statusOf(place)
  if (status !== undefined) {
    const { project, pid, started_at, state, files, nodes, unparsed, pending, unwatched } = status
    return {
      json: { running: true, ...status },
      lines: () => [
        `Hub for ${project}, pid ${pid}, since ${started_at}: ${state}.`,
        `${count(files, 'file')}, ${count(nodes, 'node')}.`,
        unparsed > 0 && `${count(unparsed, 'file')} can't be parsed now; the last good state is kept.`,
        pending > 0 && `${count(pending, 'changed path')} not yet taken in.`,
        unwatched !== undefined &&
          `Not everything can be watched (${safe(unwatched)}): files are looked at more often.`,
      ],
    }
  }
  const pid = notedPid(place)
  const silent = isHeld(place.lock)
  const reason = silent
    ? `A hub${pid === undefined ? '' : ` (pid ${pid})`} runs and does not answer. "${self} hub stop" ends it.`
    : pid === undefined
      ? `No hub runs here. Begin with: ${self} hub start --detach`
      : `The last hub (pid ${pid}) ended without being stopped. Start it again: nothing is lost.`
  return { json: { running: false, silent, reason }, lines: () => [reason], code: 1 }
}

async function stop(place: HubPlace): Promise<Found> {
  const wasRunning = isHeld(place.lock)
  if (wasRunning) {
    const pid = notedPid(place)
    await ask(place.socket, { op: 'stop' }).catch(() => {
      // It holds the lock, so the noted pid is its own and no other program's.
      if (pid !== undefined) process.kill(pid, 'SIGTERM')
    })
    const until = Date.now() + HUB_END_MS_MAX
    while (isHeld(place.lock)) {
      if (Date.now() > until)
        throw new TwotrackError(
          'io',
          `The hub (pid ${pid ?? 'unknown'}) does not end. End that process yourself.`,
        )
      await wait(50)
    }
  }
  return {
    json: { stopped: wasRunning },
    lines: () => [wasRunning ? 'The hub has stopped.' : 'No hub runs here.'],
  }
}

/** 0 when all nodes are known, 1 when one is not. */
async function query(place: HubPlace, nodes: readonly string[]): Promise<Found> {
  const hub = await openHub({ project: place.root, folder: place.folder })
  try {
    const answer = await hub.pull(nodes, undefined)
    const known = new Set(answer.states.map(({ key }) => key))
    const unknown = nodes.filter((key) => !known.has(key))
    return {
      json: answer,
      code: unknown.length === 0 ? 0 : 1,
      lines: () => [
        ...answer.states.map(describe),
        ...unknown.map((key) => `${safe(key)}: no such node`),
        paint('dim', `from: ${answer.source}`),
      ],
    }
  } finally {
    await hub.close()
  }
}

const edgeText = (edges: readonly Edge[] | null): string =>
  edges === null
    ? 'not known without an index'
    : edges.map(({ key, certain }) => key + (certain ? '' : ' (by name only)')).join(', ') || 'none'

function describe(state: NodeState): string {
  const rows: [string, string][] = [
    ['signature', state.signature],
    [
      'docstring',
      `${state.docstring ?? 'none'}${state.docstring_outdated ? ' (older than the signature)' : ''}`,
    ],
    ['lines', `${state.start_line} to ${state.end_line}`],
    ['callees', state.callees.join(', ')],
    ['callers', edgeText(state.callers)],
    ['tests', edgeText(state.tests)],
    ['changed', state.updated_at],
  ]
  const title = `${paint('bold', safe(state.key))} ${state.type}${state.stale ? ' (the file has changed since)' : ''}`
  const lines = rows.flatMap(([name, text]) => (text === '' ? [] : [`  ${name.padEnd(10)} ${safe(text)}`]))
  return [title, ...lines].join('\n')
}
