import { onOneLine } from '../../../text/lines.ts'
import { valuesIn } from '../../../text/values.ts'
import { canonical, isObject, type Json } from '../../event/json.ts'
import type { Action } from '../../packet/state.ts'

const BEFORE = /^(?:old|before|original|search|find)(?:_|[A-Z]|$)/
const AFTER = /^(?:new|after|updated|modified|replace(?:ment)?)(?:_|[A-Z]|$)/

/**
 * A call as text. The newest call of a tool shows all its arguments; an older one leaves out what the newer one says too,
 * such as a limit of time. An edit that succeeded is shown as the lines that changed; one that failed as it was, for
 * it will be tried again.
 */
export function callText(action: Action, newer: Action | undefined): string {
  const { tool, args, outcome } = action
  if (typeof args === 'string') return joined(tool, [args])
  if (!isObject(args)) return args === null ? tool : joined(tool, [canonical(args)])
  const entries = Object.entries(args as Record<string, Json>)
  const edit = outcome === 'error' ? undefined : editIn(entries)
  const telling = entries
    .filter(([name, value]) => !edit?.names.includes(name) && !isSame(name, value, newer))
    .sort(([, a], [, b]) => rank(a) - rank(b))
  const [only] = telling
  const plain = telling.length === 1 && only && isMain(only[0], only[1])
  const parts = plain ? [text(only[1])] : telling.map(([name, value]) => named(name, text(value)))
  return edit ? `${joined(tool, parts)}\n${edit.text}` : joined(tool, parts)
}

/** Short texts say what a call is about; numbers and flags how; long texts follow. */
const rank = (value: Json): number => (typeof value !== 'string' ? 1 : value.includes('\n') ? 2 : 0)

/** The one argument that needs no name: a command, a path, a query. */
const isMain = (name: string, value: Json): boolean => typeof value === 'string' && name !== ''

const text = (value: Json): string => (typeof value === 'string' ? value : canonical(value))

const named = (name: string, value: string): string =>
  value.includes('\n') ? `${name}:\n${value}` : `${name}: ${value}`

/** On one line where no part has several. */
function joined(tool: string, parts: readonly string[]): string {
  const lines = parts.some((part) => part.includes('\n'))
  return `${tool} ${parts.join(lines ? '\n' : ', ')}`.trimEnd()
}

/** A number or a flag that the newer call has too. */
const isSame = (name: string, value: Json, newer: Action | undefined): boolean =>
  typeof value !== 'string' &&
  isObject(newer?.args) &&
  Object.hasOwn(newer.args, name) &&
  canonical(newer.args[name] as Json) === canonical(value)

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

/** What came of a call that stands above it: its sentence without the call that it begins with, whole or cut. */
export function resultOf(action: Action): string {
  const result = withoutCall(action)
  // That it failed is said before it.
  return action.outcome === 'error' ? result.replace(/^failed, /, '') : result
}

function withoutCall({ tool, summary, args }: Action): string {
  const isCommand = summary.startsWith('$ ')
  if (!isCommand && !summary.startsWith(`${tool} `)) return summary
  const cutAt = summary.indexOf('…: ')
  if (cutAt > 0) return summary.slice(cutAt + 3)
  let end = summary.indexOf(': ')
  // A command may have a colon of its own.
  const command = isCommand ? onOneLine(valuesIn(args)) : ''
  for (
    let next = end;
    next > 0 && command.includes(summary.slice(2, next));
    next = summary.indexOf(': ', next + 2)
  )
    end = next
  return end > 0 ? summary.slice(end + 2) : summary
}
