/**
 * The sandbox's process: QuickJS with one script. It reads nothing but the code in this folder and installed
 * packages, and speaks only through its pipes; the parent kills it.
 */
import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle, VmCallResult } from 'quickjs-emscripten'
import { type ExternalAnswer, readMessages, type ScriptJob } from './message.ts'
import type { SandboxMessage } from './sandbox.ts'

/** QuickJS's own memory before a script is loaded: what its wasm build starts with, in pages of 64 KiB. */
const BASE_PAGES = 256
const PAGE_BYTES = 64 * 1024
const STACK_BYTES = 256 * 1024

/**
 * Run before a script: its `success()`, `partial()` and `error()`, as in TypeScript (../result.ts). The value of the
 * whole says whether one of them made a value: what the script only read somewhere is data, whatever its fields.
 */
const PRELUDE = `(() => {
  const made = new WeakSet()
  const make = (outcome, result, summary, knowledge, stated, error) => {
    const value = { result, summary, knowledge_delta: knowledge, outcome, ...error, ...stated }
    made.add(value)
    return value
  }
  globalThis.success = (result, summary, knowledge = {}, stated = {}) =>
    make('success', result, summary, knowledge, stated)
  globalThis.partial = (result, summary, knowledge = {}, stated = {}) =>
    make('partial', result, summary, knowledge, stated)
  globalThis.error = (message, summary = 'Error: ' + message, stated = {}) =>
    make('error', null, summary, {}, stated, { error: message })
  const { has } = made
  return (value) => typeof value === 'object' && value !== null && has.call(made, value)
})()`

const NO_FUNCTION =
  'The script exports no function: write `export default async function (inputs, externals) {…}`.'
const UNSETTLED = 'The script waits for a promise that nothing can settle.'

const send = (message: SandboxMessage): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}
const end = (message: SandboxMessage): void => {
  process.stdout.write(`${JSON.stringify(message)}\n`, () => process.exit(0))
}

/** Known to every Node, not to the type library that this package is compiled with. */
declare const WebAssembly: {
  readonly Memory: new (pages: { initial: number; maximum: number }) => object
}

// Given by the parent: resolving a package by name would need to read every folder above this one.
const quickjs: typeof import('quickjs-emscripten') = await import(process.argv[2] ?? '')
const memoryBytes = Number(process.argv[3])
const maximum = BASE_PAGES + Math.ceil(memoryBytes / PAGE_BYTES)
const wasmMemory = new WebAssembly.Memory({ initial: BASE_PAGES, maximum })
const variant = quickjs.newVariant(quickjs.RELEASE_SYNC, { wasmMemory })
const runtime = (await quickjs.newQuickJSWASMModuleFromVariant(variant)).newRuntime()
runtime.setMemoryLimit(memoryBytes)
runtime.setMaxStackSize(STACK_BYTES)

const pending = new Map<number, QuickJSDeferredPromise>()
let answer = (_: ExternalAnswer): void => {}

readMessages(
  process.stdin,
  Number.POSITIVE_INFINITY,
  (line) => {
    const message: ScriptJob | ExternalAnswer = JSON.parse(line)
    if ('id' in message) answer(message)
    else run(message)
  },
  () => {},
)
process.stdin.on('end', () => process.exit(0))
// QuickJS without memory for its own bookkeeping throws here, not in the script.
process.on('uncaughtException', (thrown) => end({ type: 'threw', error: String(thrown) }))
send({ type: 'ready' })

function run(job: ScriptJob): void {
  const context = runtime.newContext()
  const json = jsonOf(context)
  const granted = context.newObject()
  for (const name of job.externals) context.setProp(granted, name, external(context, json, name, job))

  const isMade = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'))
  const loaded = context.evalCode(job.source, 'tool.js', { type: 'module' })
  if (loaded.error) fail(context, loaded.error)
  else settleScript(context, json, loaded.value, start)

  function start(exports: QuickJSHandle): void {
    const main = context.getProp(exports, 'default')
    if (context.typeof(main) !== 'function') end({ type: 'threw', error: NO_FUNCTION })
    else if (job.check) end({ type: 'returned', value: null })
    else callMain(main)
  }

  function callMain(main: QuickJSHandle): void {
    const inputs = json.parse(JSON.stringify(job.inputs))
    const called = context.callFunction(main, context.undefined, inputs, granted)
    if (called.error) fail(context, called.error)
    else settleScript(context, json, called.value, finish)
  }

  /** A script that broke what the prelude uses has stated nothing. */
  function isStated(value: QuickJSHandle): boolean {
    const asked = context.callFunction(isMade, context.undefined, value)
    return !asked.error && context.dump(asked.value) === true
  }

  function finish(value: QuickJSHandle): void {
    const text = json.stringify(value, job.message_bytes_max)
    if ('error' in text) fail(context, text.error)
    else
      end({ type: 'returned', value: JSON.parse(text.value), ...(isStated(value) ? { stated: true } : {}) })
  }
}

/** Runs the script's jobs until `promise` is settled; each answer to a call lets it go on. */
function settleScript(
  context: QuickJSContext,
  json: ScriptJson,
  promise: QuickJSHandle,
  then: (value: QuickJSHandle) => void,
): void {
  answer = (given) => {
    const deferred = pending.get(given.id)
    pending.delete(given.id)
    // What is not let go of stays in the script's memory until it ends.
    if ('error' in given) context.newError(given.error).consume((error) => deferred?.reject(error))
    else json.parse(JSON.stringify(given.value)).consume((value) => deferred?.resolve(value))
    deferred?.dispose()
    look()
  }
  look()

  function look(): void {
    const jobs = runtime.executePendingJobs()
    const state = context.getPromiseState(promise)
    if (jobs.error) fail(context, jobs.error)
    else if (state.type === 'fulfilled') then(state.value)
    else if (state.type === 'rejected') fail(context, state.error)
    else if (pending.size === 0) end({ type: 'threw', error: UNSETTLED })
  }
}

type ScriptJson = ReturnType<typeof jsonOf>

/** The script's own JSON, taken before the script could change it. */
function jsonOf(context: QuickJSContext) {
  const json = context.getProp(context.global, 'JSON')
  const [parse, stringify] = [context.getProp(json, 'parse'), context.getProp(json, 'stringify')]
  return {
    parse: (text: string): QuickJSHandle =>
      context
        .newString(text)
        .consume((string) => context.unwrapResult(context.callFunction(parse, context.undefined, string))),
    /** A value that JSON has no word for is null; one too large is an error before it is copied out. */
    stringify(value: QuickJSHandle, charsMax: number): { value: string } | { error: QuickJSHandle } {
      const result: VmCallResult<QuickJSHandle> = context.callFunction(stringify, context.undefined, value)
      if (result.error) return { error: result.error }
      return result.value.consume((text) => {
        if (context.typeof(text) !== 'string') return { value: 'null' }
        const chars = context.getProp(text, 'length').consume((length) => context.getNumber(length))
        if (chars <= charsMax) return { value: context.getString(text) }
        return {
          error: context.newError(
            `A value of ${chars} characters is over the limit of ${charsMax}; give less.`,
          ),
        }
      })
    },
  }
}

let calls = 0

function external(context: QuickJSContext, json: ScriptJson, name: string, job: ScriptJob): QuickJSHandle {
  return context.newFunction(name, (...handles) => {
    if (pending.size >= job.calls_max)
      return { error: context.newError(`More than ${job.calls_max} calls at once; await some first.`) }
    const args = []
    for (const handle of handles) {
      const text = json.stringify(handle, job.message_bytes_max / handles.length)
      if ('error' in text) return { error: text.error }
      args.push(JSON.parse(text.value))
    }
    const id = ++calls
    const deferred = context.newPromise()
    pending.set(id, deferred)
    send({ type: 'call', id, name, args })
    // The script's own; `deferred` is disposed once it is settled.
    return deferred.handle.dup()
  })
}

function fail(context: QuickJSContext, thrown: QuickJSHandle): void {
  const dumped: unknown = context.dump(thrown)
  const { name, message, stack } = Object(dumped)
  const error =
    typeof message === 'string'
      ? `${name}: ${message}\n${String(stack ?? '').slice(0, 1_000)}`
      : JSON.stringify(dumped)
  end({ type: 'threw', error: String(error).slice(0, 4_000).trim() })
}
