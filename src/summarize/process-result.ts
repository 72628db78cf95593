import { isObject, type Json } from '../core/event/json.ts'
import { isComplaint } from './complaint.ts'

export interface ProcessResult {
  /** What the program wrote: its output, then its error output. */
  readonly text: string
  readonly exit?: number
  /** Stopped by a signal or a deadline. */
  readonly stopped: boolean
  /** Whether it complains on its error output; warnings are no complaint. */
  readonly complains: boolean
}

const EXIT = /^(?:exit_?code|return_?code|exit_?status)$/i
/** These mean an exit code only beside what a program wrote. */
const LOOSE_EXIT = /^(?:code|status)$/
const OUT = /^(?:std_?out|output)$/i
const ERR = /^std_?err$/i
const STOPPED = /^(?:timed_?out|killed|interrupted)$/i
const BESIDE =
  /^(?:signal|duration.*|elapsed.*|time.*|wall_?time|cmd|command|cwd|pid|truncated|is_?image|error|success|ok|metadata|no_?output_?expected)$/i

/** The result of a process, if that is all that a value is: `{ stdout, stderr, exit_code }` and the like. */
export function processResult(value: unknown): ProcessResult | undefined {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value)
  const [inner] = entries
  if (entries.length === 1 && /^(?:result|data|response)$/.test(inner?.[0] ?? ''))
    return processResult(inner?.[1])
  const textAt = (name: RegExp): string | undefined =>
    entries.flatMap(([key, one]) => (name.test(key) && typeof one === 'string' ? [one] : []))[0]
  const [out, err] = [textAt(OUT), textAt(ERR)]
  const exit = exitOf(value, out !== undefined || err !== undefined)
  const isProcess = err !== undefined || (out !== undefined && exit !== undefined)
  const names = [EXIT, LOOSE_EXIT, OUT, ERR, STOPPED, BESIDE]
  if (!isProcess || !entries.every(([key]) => names.some((name) => name.test(key)))) return undefined
  return {
    text: [out ?? '', err ?? ''].filter((text) => text.trim() !== '').join('\n'),
    ...(exit === undefined ? {} : { exit }),
    stopped: isStopped(value),
    complains: (err ?? '').split('\n', 2_000).some(isComplaint),
  }
}

/** The exit code that a value states, itself or in its metadata. Codes come as numbers and as text. */
export function exitOf(value: object, isProcess: boolean): number | undefined {
  for (const [key, one] of Object.entries(value)) {
    const isCode = EXIT.test(key) || (isProcess && LOOSE_EXIT.test(key))
    if (isCode && (typeof one === 'number' || (typeof one === 'string' && /^-?\d{1,10}$/.test(one))))
      return Number(one)
    if (/^(?:metadata|result|data)$/.test(key) && isObject(one)) {
      const inner = exitOf(one, false)
      if (inner !== undefined) return inner
    }
  }
  return undefined
}

export const isStopped = (value: object): boolean =>
  Object.entries(value).some(
    ([key, one]: [string, Json]) =>
      (STOPPED.test(key) && one === true) || (key === 'signal' && typeof one === 'string' && one !== ''),
  )
