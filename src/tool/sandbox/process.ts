import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { missingPackage } from '../../errors.ts'
import { Ends } from '../command/ends.ts'

/** QuickJS's heap and the time from the script's first statement to its kill. */
const PRESETS = {
  strict: { memoryBytes: 8 * 1024 * 1024, deadlineMs: 500 },
  default: { memoryBytes: 16 * 1024 * 1024, deadlineMs: 2_000 },
  permissive: { memoryBytes: 64 * 1024 * 1024, deadlineMs: 10_000 },
} as const
/** The process besides the script's own memory: Node, V8 and QuickJS itself. */
const BASE_BYTES = 192 * 1024 * 1024
/** How often its resident memory is looked at. */
const WATCH_MS = 50

export type LimitsPreset = keyof typeof PRESETS
export interface SandboxLimits {
  readonly memoryBytes: number
  /** From the script's first statement on, time spent in externals included. */
  readonly deadlineMs: number
}

export const limitsOf = (limits: LimitsPreset | SandboxLimits = 'default'): SandboxLimits =>
  typeof limits === 'string' ? PRESETS[limits] : limits

export interface SandboxProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Resolves when the process is gone, with the reason as far as it is known. */
  readonly ended: Promise<{ readonly why: 'memory' | 'crashed'; readonly error: string }>
  kill(): void
}

const PAGE_BYTES = 4096
/** V8's own heap holds messages on their way, nothing of the script. */
const HEAP_MB = 64

/** Starts the process that a script runs in: no environment, no rights but to read its own code. */
export function startProcess(limits: SandboxLimits): SandboxProcess {
  const [program, ...args] = commandLine(limits)
  const child = spawn(program, args, { env: {}, cwd: sep, stdio: ['pipe', 'pipe', 'pipe'] })
  const kill = () => void child.kill('SIGKILL')
  // Writing to a process that was just killed fails; `ended` says why.
  child.stdin.on('error', () => {})
  const complaints = new Ends(1_000)
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk))
  let tooMuch = false
  const stopWatching = watchMemory(child, limits.memoryBytes + BASE_BYTES, () => {
    tooMuch = true
    kill()
  })
  const ended = Promise.withResolvers<Awaited<SandboxProcess['ended']>>()
  child.on('error', (cause) =>
    ended.resolve({ why: 'crashed', error: `The sandbox could not be started: ${cause.message}.` }),
  )
  child.on('close', (code, signal) => {
    stopWatching()
    const crash =
      `The sandbox ended unexpectedly (${signal ?? `exit code ${code}`}). ${complaints.text()}`.trim()
    ended.resolve(
      tooMuch
        ? {
            why: 'memory',
            error: `The script was killed: its process took more memory than ${limits.memoryBytes} bytes allow.`,
          }
        : { why: 'crashed', error: crash },
    )
  })
  return { stdin: child.stdin, stdout: child.stdout, ended: ended.promise, kill }
}

function sandboxLibrary(): string {
  try {
    return import.meta.resolve('quickjs-emscripten')
  } catch (thrown) {
    throw missingPackage(thrown, 'A script tool')
  }
}

function commandLine({ deadlineMs, memoryBytes }: SandboxLimits): [string, ...string[]] {
  const here = dirname(fileURLToPath(import.meta.url))
  const file = join(here, import.meta.url.endsWith('.ts') ? 'child.ts' : 'child.js')
  const library = sandboxLibrary()
  const packages = `${fileURLToPath(library).split(`${sep}node_modules${sep}`)[0]}${sep}node_modules${sep}`
  const node = [
    process.execPath,
    '--permission',
    `--allow-fs-read=${here}${sep}`,
    `--allow-fs-read=${packages}`,
    `--max-old-space-size=${HEAP_MB}`,
    '--no-warnings',
    file,
    library,
    String(memoryBytes),
  ] as const
  if (process.platform === 'win32') return [...node]
  // The system ends a sandbox that spins on after the process that would have killed it is gone.
  const seconds = Math.ceil(deadlineMs / 1000) + 5
  return ['/bin/sh', '-c', `unset PWD; ulimit -c 0; ulimit -t ${seconds}; exec "$@"`, 'sandbox', ...node]
}

/** Looks at the resident memory where the system shows it; the script's own heap is bounded in any case. */
function watchMemory(
  { pid }: ChildProcessByStdio<Writable, Readable, Readable>,
  max: number,
  over: () => void,
): () => void {
  if (process.platform !== 'linux' || pid === undefined) return () => {}
  const timer = setInterval(() => {
    try {
      const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1])
      if (pages * PAGE_BYTES > max) over()
    } catch {
      clearInterval(timer)
    }
  }, WATCH_MS)
  return () => clearInterval(timer)
}
