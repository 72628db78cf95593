import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { BlobRef } from '../../core/event/event.ts'
import { defined } from '../../core/event/json.ts'
import { messageOf } from '../../errors.ts'
import { inside } from '../../files/confine.ts'
import { programFolders } from '../../files/harmless-environment.ts'
import { COMMAND_DEADLINE_MS_DEFAULT, COMMAND_SHOWN_BYTES } from '../../limits.ts'
import { assertAllowed } from './allow.ts'
import { assertProgram, contained, isKilled, killAll, MARK, notStarted, survivors } from './contain.ts'
import { Ends } from './ends.ts'
import { keepLarge, merged } from './output.ts'

/** Output of one command; at this size it is stopped. */
const COMMAND_OUTPUT_BYTES_MAX = 256 * 1024 * 1024

/** What commands may run, and how. */
export interface RunCommandOptions {
  /** Plain data, so that an agent's YAML can hold it. */
  readonly allow: readonly {
    /** Compared as a whole with what is asked for: a bare name found on PATH, or an absolute path. */
    readonly program: string
    /** The first arguments must be these: `['-m', 'pytest']`. */
    readonly starts?: readonly string[]
    /** Options that are refused, in every form: `-c` also means `-cVALUE`, `--config` also `--config=VALUE` and `--conf`. */
    readonly refuse?: readonly string[]
  }[]
  /** Without a network: refused where the system can't do that (it takes Linux namespaces), or with one there. */
  readonly offline?: boolean | 'if_possible'
  readonly deadlineMs?: number
  readonly outputBytesMax?: number
  /** Absolute folders with programs that come before those of PATH: the project's `node_modules/.bin`. */
  readonly path?: readonly string[]
  /** Variables to add, or to leave out where they are undefined; what holds a secret does not belong here. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface CommandOptions extends RunCommandOptions {
  /** The workspace: absolute. */
  readonly root: string
  /** Relative to the workspace. */
  readonly cwd?: string
  readonly signal?: AbortSignal
  /** Takes the raw output, byte for byte in the order it came, once it is too large to be shown as a whole. */
  readonly keep?: (bytes: AsyncIterable<Uint8Array>) => Promise<BlobRef>
  /** Called with every part of either output as it comes. */
  readonly seen?: (from: 'stdout' | 'stderr', chunk: Uint8Array) => void
}

export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exit_code: number | null
  /** Set when it did not end by itself. */
  readonly stopped?: 'deadline' | 'cancelled' | 'output_limit'
  /** Processes that it started and that could not be ended. */
  readonly left?: readonly number[]
  /** Output and error output as they came, both ends where they are long. */
  readonly text: string
  readonly stdout: string
  readonly stderr: string
  readonly bytes: number
  readonly raw?: BlobRef
  readonly duration_ms: number
}

type Child = ChildProcessByStdio<null, Readable, Readable>

/**
 * Runs an allowed command in the workspace; no shell reads its arguments. It ends with every process it started: at its
 * own end, at the deadline, when `signal` aborts, or when it has written too much. On a system without process namespaces
 * one that left its group and its environment escapes that. Memory stays flat whatever it writes: a slow `keep` slows the
 * command down.
 */
export async function runCommand(argv: readonly string[], options: CommandOptions): Promise<CommandResult> {
  assertAllowed(argv, options.allow)
  options.signal?.throwIfAborted()
  const cwd = await inside(options.root, options.cwd ?? '.')
  const home = await mkdtemp(join(tmpdir(), 'twotrack-command-'))
  try {
    const mark = randomUUID()
    const env = environmentFor(options.root, home, mark, options)
    const [asked = ''] = argv
    assertProgram(asked, env['PATH'] ?? '', cwd)
    const [program = '', ...args] = contained(argv, options.offline)
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    await once(child, 'spawn').catch((cause) => {
      throw notStarted(asked, messageOf(cause), cause)
    })
    return await supervise(child, mark, options)
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function supervise(child: Child, mark: string, options: CommandOptions): Promise<CommandResult> {
  const begin = performance.now()
  let stopped: CommandResult['stopped']
  let running = true
  // Once it has ended its number may belong to another process.
  const kill = () => running && killAll(child.pid ?? 0, mark)
  const stop = (why: NonNullable<CommandResult['stopped']>) => {
    stopped ??= why
    kill()
  }
  const cancel = () => stop('cancelled')
  const timer = setTimeout(() => stop('deadline'), options.deadlineMs ?? COMMAND_DEADLINE_MS_DEFAULT)
  options.signal?.addEventListener('abort', cancel, { once: true })
  // While it was started nobody listened.
  if (options.signal?.aborted) cancel()
  const exited = once(child, 'exit').finally(() => {
    clearTimeout(timer)
    // What it left running goes with it, or its output would never end.
    kill()
    running = false
  })
  const [all, out, err] = [
    new Ends(COMMAND_SHOWN_BYTES),
    new Ends(COMMAND_SHOWN_BYTES),
    new Ends(COMMAND_SHOWN_BYTES),
  ]
  try {
    const output = merged(child, exited, {
      max: options.outputBytesMax ?? COMMAND_OUTPUT_BYTES_MAX,
      full: () => stop('output_limit'),
      seen: (from, chunk) => {
        all.push(chunk)
        ;(from === 'stdout' ? out : err).push(chunk)
        options.seen?.(from, chunk)
      },
    })
    const raw = await keepLarge(output, options.keep)
    const [exit_code] = await exited
    const left = await survivors(mark)
    return {
      exit_code: typeof exit_code === 'number' && !isKilled(exit_code) ? exit_code : null,
      ...defined({ stopped, raw, left: left.length === 0 ? undefined : left }),
      text: all.text(),
      stdout: out.text(),
      stderr: err.text(),
      bytes: all.bytes,
      duration_ms: Math.round(performance.now() - begin),
    }
  } finally {
    options.signal?.removeEventListener('abort', cancel)
    kill() // still running only if its output could not be kept
    await exited
  }
}

/** What a command may know: where programs are, a home of its own, and nothing of ours. */
function environmentFor(
  root: string,
  home: string,
  mark: string,
  { path = [], env = {} }: RunCommandOptions,
): Record<string, string | undefined> {
  return {
    PATH: [...path.filter(isAbsolute), ...programFolders(process.env)].join(delimiter),
    HOME: home,
    TMPDIR: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    NO_COLOR: '1',
    CI: '1',
    // The workspace is often inside the project: git must not find the project's repository from there.
    GIT_CEILING_DIRECTORIES: dirname(root),
    ...env,
    [MARK]: mark,
  }
}
