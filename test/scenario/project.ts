import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { Event } from '../../src/core/event/event.ts'
import { isObject } from '../../src/core/event/json.ts'
import { BUNDLE } from '../cli/bundle.ts'
import { type Ended, environment, folderWith, jsonLines, NODE_ARGS, twotrack } from '../cli/run.ts'
import { type FaultServer, type Reply, startFaultServer } from '../model/fault-server.ts'
import * as reply from '../model/replies.ts'

/** Two semicolons that the bundled ruff removes in any project, and a variable that it only reports. */
export const PYTHON = 'A = 1;\nB = 2;\n\n\ndef first(x):\n    y = 1\n    return x\n'
export const PYTHON_FIXED = PYTHON.replaceAll(';', '')
/** One that oxlint only reports. */
export const SCRIPT = 'export function stop(x: number): number {\n  debugger;\n  return x;\n}\n'
export const CLEAN = 'def clean(x):\n    return x\n'

export const lintProject = (): string =>
  folderWith({ 'src/app.py': PYTHON, 'src/stop.ts': SCRIPT, 'src/clean.py': CLEAN })

export interface AgentReport {
  readonly agent_id: string
  readonly node_id: string
  readonly stop: { readonly reason: string; readonly summary: string }
  readonly turns: number
  readonly changes: readonly { readonly path: string }[]
  readonly open: readonly string[]
}

/** What `--json` printed: one document. */
export const reportIn = ({ stdout }: Ended): AgentReport[] => JSON.parse(stdout) as AgentReport[]

export const textOf = (cwd: string, path: string): string => readFileSync(join(cwd, path), 'utf8')

/** Every log of a folder must verify. */
export async function expectIntact(cwd: string, ...options: string[]): Promise<void> {
  const { code, stdout, stderr } = await twotrack(cwd, ['verify', ...options])
  expect({ code, stderr, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stderr: '', stdout: '' })
}

/** The events of one log, as `export` gives them. */
export async function eventsOf(cwd: string, agent: string): Promise<Event[]> {
  const { stdout } = await twotrack(cwd, ['export', agent])
  return jsonLines(stdout) as Event[]
}

/** The number of whole events in the only log of an agent in a folder, read as bytes: no lock, no parser. */
export function linesLogged(cwd: string): number {
  const folder = join(cwd, '.agentfs/traces')
  if (!existsSync(folder)) return 0
  const [log] = readdirSync(folder).filter((name) => name.endsWith('.jsonl') && !name.startsWith('run%3a'))
  return log === undefined ? 0 : readFileSync(join(folder, log), 'utf8').split('\n').length - 1
}

export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  stderr(): string
  stdout(): string
}

/** A command that goes on while the test does something. */
export function start(cwd: string, args: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [...NODE_ARGS, BUNDLE, ...args], { cwd, env: environment(env) })
  onTestFinished(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
  )
  return { child, ended, stderr: () => stderr, stdout: () => stdout }
}

/** Waits until something holds; the test's own time limit ends it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20)
}

/** A model server that takes the first candidate of the packet it is given, whichever API it is asked through. */
export const takesFirst: Reply = (exchange) =>
  reply.says({ calls: [firstCandidate(promptIn(exchange.body))] })(exchange)

export async function modelServer(
  script: readonly Reply[] | ((index: number) => Reply),
): Promise<FaultServer> {
  const server = await startFaultServer({ script })
  onTestFinished(() => server.kill())
  return server
}

/** The text that a model is given, of a chat or a completion. */
export function promptIn(body: unknown): string {
  if (!isObject(body)) return ''
  if (typeof body['prompt'] === 'string') return body['prompt']
  const last = Array.isArray(body['messages']) ? body['messages'].at(-1) : undefined
  return isObject(last) ? String(last['content']) : ''
}

/** The candidates stand in the packet as `- tool {"args":…} reason`. */
function firstCandidate(prompt: string): { tool: string; args: Record<string, never> } {
  const [, section = ''] = prompt.split('\nCANDIDATES\n')
  const line = section.split('\n')[0] ?? ''
  const [, tool = 'none', rest = ''] = /^- (\w+) ?(.*)$/.exec(line) ?? []
  return { tool, args: objectAtStart(rest) }
}

function objectAtStart(text: string): Record<string, never> {
  for (let end = text.length; end > 0; end--) {
    if (text[end - 1] !== '}') continue
    try {
      return JSON.parse(text.slice(0, end)) as Record<string, never>
    } catch {}
  }
  return {}
}
