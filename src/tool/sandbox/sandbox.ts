import { z } from 'zod'
import { type Json, toJson } from '../../core/event/json.ts'
import { messageOf } from '../../errors.ts'
import { type ExternalAnswer, readMessages, type ScriptJob } from './message.ts'
import {
  type LimitsPreset,
  limitsOf,
  type SandboxLimits,
  type SandboxProcess,
  startProcess,
} from './process.ts'

/** How long the process may take until it is ready for a script. */
const START_MS_MAX = 20_000
/** One message out of the sandbox: a result, or a call of an external. */
const MESSAGE_BYTES_MAX = 4 * 1024 * 1024
/** Calls of externals that a script may have under way. */
const CALLS_MAX = 16

/** A function outside the sandbox that a script was granted. `signal` aborts when the script is gone. */
export type External = (args: readonly Json[], signal: AbortSignal) => Promise<unknown> | unknown

export interface ScriptOptions {
  readonly limits?: LimitsPreset | SandboxLimits
  readonly externals?: Readonly<Record<string, External>>
  readonly signal?: AbortSignal
  /** Only loads the script and looks for the function that it exports. */
  readonly check?: boolean
}

/** How a script ended. `stopped` means that it was killed; whatever it did through externals is done. */
export type ScriptEnd =
  | Extract<SandboxMessage, { type: 'returned' | 'threw' }>
  | {
      readonly type: 'stopped'
      readonly why: 'deadline' | 'memory' | 'output' | 'cancelled' | 'crashed'
      readonly error: string
    }

/** What a line was parsed from is JSON: to look at every value again would stop this process for seconds. */
const json = z.custom<Json>(() => true)
const messageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('call'), id: z.int(), name: z.string(), args: z.array(json) }),
  /** `stated`: the value was made by the script's success(), partial() or error(); otherwise it is data. */
  z.object({ type: z.literal('returned'), value: json, stated: z.boolean().exactOptional() }),
  z.object({ type: z.literal('threw'), error: z.string() }),
])
/** What the sandbox's process says: that it is ready, a call of an external, and how the script ended. */
export type SandboxMessage = z.infer<typeof messageSchema>

/**
 * Runs a script in a process of its own: `export default async function (inputs, externals) {…}`. It has no file,
 * network, environment or module but the externals it was granted. Past a limit the process is killed. Never throws.
 */
export async function runScript(
  source: string,
  inputs: Json,
  options: ScriptOptions = {},
): Promise<ScriptEnd> {
  const { externals = {}, signal } = options
  const limits = limitsOf(options.limits)
  if (signal?.aborted) return stopped('cancelled', 'The script was cancelled before it began.')
  const gone = new AbortController()
  const child = startProcess(limits)
  const result = Promise.withResolvers<ScriptEnd>()
  const stop = (why: Parameters<typeof stopped>[0], error: string) => result.resolve(stopped(why, error))
  const cancel = () => stop('cancelled', 'The script was cancelled.')
  let timer = setTimeout(
    () => stop('crashed', `The sandbox was not ready within ${START_MS_MAX} ms.`),
    START_MS_MAX,
  )
  signal?.addEventListener('abort', cancel, { once: true })
  child.ended.then((how) => stop(how.why, how.error))

  const begin = () => {
    clearTimeout(timer)
    const late = `The script was killed at its deadline of ${limits.deadlineMs} ms.`
    timer = setTimeout(() => stop('deadline', late), limits.deadlineMs)
    send(child, scriptJob(source, inputs, externals, options.check ?? false))
  }
  const receive = (message: SandboxMessage): void => {
    if (message.type === 'ready') begin()
    else if (message.type === 'call')
      call(externals, message, gone.signal).then((answer) => send(child, boundedAnswer(answer, limits)))
    else result.resolve(message)
  }
  readMessages(
    child.stdout,
    2 * MESSAGE_BYTES_MAX,
    (line) => {
      const message = parseMessage(line)
      if (message) receive(message)
      else stop('crashed', 'The sandbox sent something that is not part of its protocol.')
    },
    () => stop('output', `The script gave more than ${MESSAGE_BYTES_MAX} characters at once.`),
  )
  try {
    return await result.promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
    child.kill()
    gone.abort()
  }
}

const CHECKED_MAX = 100
/** Scripts that were looked at: a process that goes on loads the same agents again and again. */
const checkedScripts = new Map<string, Promise<string | undefined>>()

/** What keeps a script from being used: a mistake in its syntax, no function, an error while it loads. */
export function scriptProblem(source: string): Promise<string | undefined> {
  if (checkedScripts.size >= CHECKED_MAX) checkedScripts.clear()
  const problem = checkedScripts.get(source) ?? loadProblem(source)
  checkedScripts.set(source, problem)
  return problem
}

async function loadProblem(source: string): Promise<string | undefined> {
  const end = await runScript(source, null, { check: true })
  if (end.type === 'returned') return undefined
  const [message = '', ...stack] = end.error.split('\n')
  const line = /tool\.js:(\d+)/.exec(stack[0] ?? '')?.[1]
  return line === undefined ? message : `line ${line}: ${message}`
}

const stopped = (why: Extract<ScriptEnd, { type: 'stopped' }>['why'], error: string): ScriptEnd => ({
  type: 'stopped',
  why,
  error,
})

const scriptJob = (source: string, inputs: Json, externals: object, check: boolean): ScriptJob => ({
  source,
  check,
  inputs,
  externals: Object.keys(externals),
  message_bytes_max: MESSAGE_BYTES_MAX,
  calls_max: CALLS_MAX,
})

const send = (child: SandboxProcess, message: ScriptJob | ExternalAnswer): void => {
  child.stdin.write(`${JSON.stringify(message)}\n`)
}

function parseMessage(line: string): SandboxMessage | undefined {
  try {
    return messageSchema.parse(JSON.parse(line))
  } catch {
    return undefined
  }
}

async function call(
  externals: Readonly<Record<string, External>>,
  { id, name, args }: Extract<SandboxMessage, { type: 'call' }>,
  signal: AbortSignal,
): Promise<ExternalAnswer> {
  const granted = Object.hasOwn(externals, name) ? externals[name] : undefined
  if (!granted) return { id, error: `"${name}" was not granted to this script.` }
  try {
    return { id, value: toJson(await granted(args, signal)) }
  } catch (thrown) {
    return { id, error: messageOf(thrown) }
  }
}

/** An answer that would fill the script's memory by itself is refused with a message it can act on. */
function boundedAnswer(answer: ExternalAnswer, { memoryBytes }: SandboxLimits): ExternalAnswer {
  const bytes = 'value' in answer ? Buffer.byteLength(JSON.stringify(answer.value)) : 0
  if (bytes <= memoryBytes / 4) return answer
  return {
    id: answer.id,
    error: `The answer has ${bytes} bytes, too many for a sandbox of ${memoryBytes}; ask for less.`,
  }
}
