import { canonical, isObject, type Json } from '../../event/json.ts'
import type { Action } from '../../packet/state.ts'

/** So many earlier calls of a tool must have had the same value before it is left out as always the same. */
const SAME_BEFORE_MIN = 3
const BEFORE = /^(?:old|before|original|search|find)(?:_|[A-Z]|$)/
const AFTER = /^(?:new|after|updated|modified|replace(?:ment)?)(?:_|[A-Z]|$)/

/** A call as text: the arguments that tell it from others, an edit as the lines that change. */
export function callText(action: Action, earlier: readonly Action[]): string {
  const { tool, args } = action
  if (typeof args === 'string') return joined(tool, [args])
  if (!isObject(args)) return args === null ? tool : joined(tool, [canonical(args)])
  const entries = Object.entries(args as Record<string, Json>)
  const edit = editIn(entries)
  const rest = entries.filter(([name]) => !edit?.names.includes(name))
  const telling = rest.filter(([name, value]) => !isUsual(action, name, value, earlier))
  const [only] = telling
  const plain = telling.length === 1 && only && isMain(only[0], only[1])
  const parts = plain ? [text(only[1])] : telling.map(([name, value]) => named(name, text(value)))
  return joined(tool, edit ? [...parts, edit.text] : parts)
}

/** The one argument that needs no name: a command, a path, a query. */
const isMain = (name: string, value: Json): boolean => typeof value === 'string' && name !== ''

const text = (value: Json): string => (typeof value === 'string' ? value : canonical(value))

const named = (name: string, value: string): string =>
  value.includes('\n') ? `${name}:\n${value}` : `${name}: ${value}`

/** On one line where that is short, else a line for each part. */
function joined(tool: string, parts: readonly string[]): string {
  const short = parts.every((part) => !part.includes('\n')) && parts.join('').length <= 160
  return `${tool} ${parts.join(short ? ', ' : '\n')}`.trimEnd()
}

/** An argument that every one of the last calls had too: a limit of time, a flag. */
function isUsual({ tool }: Action, name: string, value: Json, earlier: readonly Action[]): boolean {
  if (typeof value === 'string' && value.length > 40) return false
  const same = earlier.filter((other) => other.tool === tool).slice(-SAME_BEFORE_MIN)
  return (
    same.length === SAME_BEFORE_MIN &&
    same.every(({ args }) => isObject(args) && canonical((args[name] ?? null) as Json) === canonical(value))
  )
}

/** The lines that an edit takes out and puts in; what is the same at both ends is left out. */
function editIn(
  entries: readonly (readonly [string, Json])[],
): { names: string[]; text: string } | undefined {
  const before = entries.find(([name, value]) => BEFORE.test(name) && typeof value === 'string')
  const after = entries.find(([name, value]) => AFTER.test(name) && typeof value === 'string')
  if (!before || !after) return undefined
  const old = text(before[1]).split('\n')
  const now = text(after[1]).split('\n')
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail))
    tail++
  const context = head > 0 ? [`  ${old[head - 1]}`] : []
  const lines = [
    ...context,
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
  ]
  return { names: [before[0], after[0]], text: lines.join('\n') }
}
