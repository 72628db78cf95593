/**
 * Runs commands one after the other: each gets its own folder, arguments and environment, and its output is sent back. What
 * they load, and the linters and parsers that they compile, stays for the next; that is most of what a command costs.
 */
import { pathToFileURL } from 'node:url'
import { BUNDLE } from './bundle.ts'

export interface Asked {
  readonly cwd: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

export interface Answered {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const EVENTS = ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM'] as const
let commands = 0

process.on('message', (asked: Asked) => void answer(asked))
process.on('disconnect', () => process.exit()) // the tests have ended

async function answer({ cwd, args, env }: Asked): Promise<void> {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv = [process.execPath, BUNDLE, ...args]
  process.exitCode = undefined
  const [stdout, stderr] = [captured(process.stdout), captured(process.stderr)]
  // The module that starts a command is evaluated anew each time; all that it imports is there.
  await import(`${pathToFileURL(BUNDLE).href}?${commands++}`)
  for (const event of EVENTS) process.removeAllListeners(event)
  process.stdout.removeAllListeners('error')
  const answered: Answered = { code: Number(process.exitCode ?? 0), stdout: stdout(), stderr: stderr() }
  process.send?.(answered)
}

/** Gives what is written from now on. */
function captured(stream: NodeJS.WriteStream): () => string {
  const chunks: Buffer[] = []
  stream.write = (chunk: Uint8Array | string, ...more: unknown[]) => {
    chunks.push(Buffer.from(chunk as string))
    const done = more.find((each) => typeof each === 'function')
    if (done) process.nextTick(done as () => void)
    return true
  }
  return () => Buffer.concat(chunks).toString()
}
