import { type ChildProcess, fork, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { markOwn } from '../../src/files/own-folder.ts'
import { BUNDLE } from './bundle.ts'
import type { Asked } from './command-server.ts'

/**
 * The parsers and linters that run as WASM are not compiled a second time for speed: for the small files of tests that
 * takes three times as long as all the rest.
 */
export const NODE_ARGS = ['--liftoff-only']
const SERVER = fileURLToPath(new URL('./command-server.ts', import.meta.url))
export const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))
export const TRAJECTORY = fileURLToPath(new URL('../../examples/trajectory.jsonl', import.meta.url))
export const AGENT = 'import-trajectory'
export const storeKinds = ['jsonl', 'kv'] as const

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** As this user, who may do less. */
  readonly uid?: number
  /** In a process of its own, such as one that loads a module which the test has changed. */
  readonly fresh?: true
}

/**
 * The real command in a child process. Where nothing asks for a process of its own, one that has run commands before takes
 * it, which is several times as fast.
 */
export function twotrack(cwd: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const alone =
    Object.keys(options).some((option) => option !== 'env') ||
    options.env?.['NODE_OPTIONS'] !== undefined ||
    args.some((arg) => ALONE.has(arg))
  return alone || serving
    ? inOwnProcess(cwd, args, options)
    : served({ cwd, args, env: environment(options.env) })
}

/** Commands that go on until they are stopped, or read what is typed. */
const ALONE = new Set(['review', '--follow', '--edit'])

/** The process that takes commands, if it is there, and whether it is at one: two at once are two processes. */
let server: ChildProcess | undefined
let serving = false

async function served(asked: Asked): Promise<Ended> {
  serving = true
  try {
    server ??= fork(SERVER, {
      execArgv: NODE_ARGS,
      env: asked.env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const ended = Promise.withResolvers<Ended>()
    const died = () => {
      server = undefined
      ended.reject(new Error(`twotrack ${asked.args.join(' ')} ended the process that ran it`))
    }
    server.once('exit', died).once('message', ended.resolve as (answer: unknown) => void)
    server.send(asked)
    const answer = await ended.promise
    server.removeListener('exit', died)
    return answer
  } finally {
    serving = false
  }
}

/** As a shell would start it. */
function inOwnProcess(cwd: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const user = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }
  const child = spawn(process.execPath, [...NODE_ARGS, BUNDLE, ...args], {
    cwd,
    env: environment(options.env),
    ...user,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.on('error', reject)
  child.on('close', (code) => resolve({ code, stdout, stderr }))
  child.stdin.on('error', () => {}) // a command that refuses its arguments does not read
  child.stdin.end(options.input ?? '')
  return promise
}

/** Only what a shell needs: no variable of the machine that runs the tests reaches the command. */
export const environment = (own: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], // halves the time that a command takes to start (vitest.config.ts)
  XDG_STATE_HOME: process.env['XDG_STATE_HOME'], // one for all tests (vitest.config.ts): nothing is trusted there
  ...own,
})

/** A temporary folder with these files, its own git root, so that no configuration above it is found. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'twotrack-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, '.git'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

/** Every file below a folder with its content, to see that nothing changed. */
export function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name)
      return [name, statSync(path).isDirectory() ? '' : readFileSync(path, 'base64')]
    }),
  )
}

/** A folder into which the example trajectory was imported. */
export async function imported(store: (typeof storeKinds)[number] = 'jsonl'): Promise<string> {
  importedOnce[store] ??= importInto(store)
  const cwd = folderWith()
  cpSync(await importedOnce[store], cwd, { recursive: true })
  markOwn(join(cwd, '.agentfs'))
  return cwd
}

/** All tests of a process begin with copies of one import. */
const importedOnce: Partial<Record<string, Promise<string>>> = {}

async function importInto(store: string): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), 'twotrack-imported-'))
  process.once('exit', () => rmSync(cwd, { recursive: true, force: true }))
  mkdirSync(join(cwd, '.git'))
  const { code, stderr } = await twotrack(cwd, ['import', TRAJECTORY, '--store', store])
  if (code !== 0) throw new Error(`the import failed: ${stderr}`)
  return cwd
}

export const jsonLines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
