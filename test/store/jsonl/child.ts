import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { bundled } from '../../cli/bundle.ts'

/** A child process that talks in lines. */
export interface Child {
  readonly process: ChildProcess
  /** Every line so far. */
  readonly lines: readonly string[]
  /** The first line, past or future, that begins so; undefined if the child ends without one. */
  line(beginning: string): Promise<string | undefined>
  /** Resolves when it has said so many lines, or ended. */
  count(lineCount: number): Promise<void>
  say(text: string): void
  /** `kill -9`, then waits until it is gone and all it said is in `lines`. */
  kill(): Promise<void>
  readonly ended: Promise<void>
}

/** Appends to a log (append-child.ts). */
export function startChild(args: readonly string[], options: { prefix?: string } = {}): Child {
  const command = [process.execPath, bundled('append-child'), ...args]
  const env = { ...process.env, NODE_NO_WARNINGS: '1' }
  // With a prefix, through a shell that sets limits first.
  const child = options.prefix
    ? spawn('bash', ['-c', `${options.prefix}; exec "$@"`, 'bash', ...command], { env })
    : spawn(command[0] ?? '', command.slice(1), { env })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const reader = createInterface({ input: child.stdout })
  let closed = false
  const wake = () => {
    for (const each of [...waiting]) each()
  }
  reader.on('line', (line) => {
    lines.push(line)
    wake()
  })
  child.stderr.pipe(process.stderr)
  child.stdin.on('error', () => {})
  const ended = Promise.all([once(reader, 'close'), once(child, 'close')]).then(() => {
    closed = true
    wake()
  })
  const until = (isDone: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isDone() && !closed) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return {
    process: child,
    lines,
    ended,
    line: async (beginning) => {
      const find = () => lines.find((line) => line.startsWith(beginning))
      await until(() => find() !== undefined)
      return find()
    },
    count: (lineCount) => until(() => lines.length >= lineCount),
    say: (text) => child.stdin.write(`${text}\n`),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
