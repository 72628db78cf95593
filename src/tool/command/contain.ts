import { spawnSync } from 'node:child_process'
import { accessSync, constants as files, readdirSync, readFileSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { TwotrackError } from '../../errors.ts'
import { harmlessEnvironment, programFolders } from '../../files/harmless-environment.ts'

const NAMESPACE = ['--pid', '--fork', '--kill-child', '--mount-proc']
/** Root may make a process namespace; anybody else may in a user namespace, where the system lets them. */
const WAYS = [NAMESPACE, ['--user', '--map-current-user', ...NAMESPACE]]
const PROBE_MS = 5_000
const PROBE_CODE = 7

/**
 * The first process of a namespace is a shell that waits for the program: a program in its place would not get the
 * signals that it sends itself. When the shell ends, the system ends whatever else is in the namespace.
 */
const FIRST_PROCESS = ['/bin/sh', '-c', 'unset PWD OLDPWD SHLVL; "$@"; exit $?', 'command']

const ways = new Map<boolean, readonly string[] | undefined>()

/** What goes before a command line here, undefined where the system has no such thing; tried once. */
function wayHere(isOffline: boolean): readonly string[] | undefined {
  if (!ways.has(isOffline)) {
    // Not found by the PATH that the command is given: a project may have put something there.
    const unshare = programIn(programFolders(process.env).join(delimiter), 'unshare')
    const net = isOffline ? ['--net'] : []
    const all =
      unshare === undefined ? [] : WAYS.map((way) => [unshare, ...net, ...way, '--', ...FIRST_PROCESS])
    ways.set(isOffline, all.find(works))
  }
  return ways.get(isOffline)
}

function works([program = '', ...args]: readonly string[]): boolean {
  if (process.platform !== 'linux') return false
  const tried = spawnSync(program, [...args, '/bin/sh', '-c', `exit ${PROBE_CODE}`], {
    env: harmlessEnvironment(process.env),
    stdio: 'ignore',
    timeout: PROBE_MS,
  })
  return tried.status === PROBE_CODE
}

/**
 * A command line that runs `argv` where every process it starts ends with it, however it was detached: in a process
 * namespace of its own, which also hides all other processes. As it is where the system has no such thing.
 */
export function contained(
  argv: readonly string[],
  offline: boolean | 'if_possible' = false,
): readonly string[] {
  const without = offline === false ? undefined : wayHere(true)
  if (offline === true && !without)
    throw new TwotrackError(
      'missing',
      "This agent's policy has a `network`, so its commands must run without one, and this system cannot take it away (that needs Linux and `unshare`). Leave `network` out of the policy to run them with the network that you have.",
    )
  return [...(without ?? wayHere(false) ?? []), ...argv]
}

/** The shell in between reports a signal as an exit code; these are no program's own. */
const KILLED = (['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGSEGV', 'SIGTERM'] as const).map(
  (name) => 128 + constants.signals[name],
)

export const isKilled = (exitCode: number): boolean => KILLED.includes(exitCode)

/** Throws `missing` unless there is such a program: what runs it in between could not say so. */
export function assertProgram(program: string, path: string, cwd: string): void {
  const found = program.includes('/') ? isProgram(resolve(cwd, program)) : programIn(path, program)
  if (!found) throw notStarted(program, 'there is no such program')
}

function programIn(path: string, program: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isProgram)
}

export const notStarted = (program: string, why: string, cause?: unknown): TwotrackError =>
  new TwotrackError(
    'missing',
    `"${program}" could not be started: ${why}. Install it, or allow another program.`,
    { cause },
  )

function isProgram(file: string): boolean {
  try {
    accessSync(file, files.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The variable whose value marks every process that a command started, also one that left its process group. */
export const MARK = 'TWOTRACK_COMMAND'

const ROUNDS_MAX = 5
const ROUND_MS = 100

/** Kills a process group and, on Linux, every process that still carries the mark. */
export function killAll(group: number, mark: string): void {
  signal(-group)
  // Again until none is left: one may start another between being seen and being killed.
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const pids = marked(mark)
    if (pids.length === 0) return
    for (const pid of pids) signal(pid)
  }
}

/** The processes with the mark that do not end although they were killed. */
export async function survivors(mark: string): Promise<number[]> {
  for (let round = 0; ; round++) {
    const pids = marked(mark)
    if (pids.length === 0 || round === ROUNDS_MAX) return pids
    for (const pid of pids) signal(pid)
    await sleep(ROUND_MS)
  }
}

function marked(mark: string): number[] {
  if (process.platform !== 'linux') return []
  const wanted = `${MARK}=${mark}\0`
  return readdirSync('/proc')
    .filter((name) => name >= '0' && name < ':')
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).includes(wanted))
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return '' // gone, or not ours
  }
}

function signal(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Already gone: that is what was wanted.
  }
}
