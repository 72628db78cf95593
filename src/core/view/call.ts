import { onOneLine } from '../../text/lines.ts'
import { valuesIn } from '../../text/values.ts'
import { canonical, isObject, type Json } from '../event/json.ts'
import { sameEnds } from '../packet/files.ts'
import type { Action } from '../packet/state.ts'

const BEFORE = /^(?:old|before|original|search|find)(?:_|[A-Z]|$)/
const AFTER = /^(?:new|after|updated|modified|replace(?:ment)?)(?:_|[A-Z]|$)/

/**
 * A call as text: short texts say what it is about, numbers and flags how; long texts follow. An edit that succeeded is
 * shown as the lines that changed; one that failed as it was, for it will be tried again.
 */
export function callText({ tool, args, outcome }: Action, usual: readonly UsualArg[] = []): string {
  if (!isObject(args)) return args === null ? tool : `${tool} ${text(args)}`
  const all = Object.entries(args as Record<string, Json>)
  const unusual = all.filter(([name]) => !usual.some((arg) => arg.tool === tool && arg.name === name))
  const entries = unusual.length > 0 ? unusual : all
  const edit = outcome === 'error' ? undefined : editIn(entries)
  const telling = entries
    .filter(([name]) => !edit?.names.includes(name))
    .sort(([, a], [, b]) => rank(a) - rank(b))
  const [only] = telling
  const parts =
    telling.length === 1 && only && typeof only[1] === 'string'
      ? [only[1]]
      : telling.map(([name, value]) => `${name}:${text(value).includes('\n') ? '\n' : ' '}${text(value)}`)
  const told = parts.join(parts.some((part) => part.includes('\n')) ? '\n' : ', ')
  return `${tool} ${told}${edit ? `\n${edit.text}` : ''}`.trimEnd()
}

/** An argument that was the same in every call of a tool: told once for all. */
export interface UsualArg {
  readonly tool: string
  readonly name: string
  readonly value: string
}

const USUAL_CALLS_MIN = 4
const USUAL_CHARS_MAX = 120
const USUAL_STEPS = 100

export function usualArgs(actions: readonly Action[]): readonly UsualArg[] {
  const seen = new Map<string, UsualArg & { calls: number }>()
  for (const { tool, args } of actions.slice(-USUAL_STEPS))
    for (const [name, value] of isObject(args) ? Object.entries(args as Record<string, Json>) : []) {
      // A long one is usual in no sense.
      const told = typeof value === 'string' && value.length > USUAL_CHARS_MAX ? '' : text(value)
      const known = seen.get(`${tool} ${name}`) ?? { tool, name, value: told, calls: 0 }
      seen.set(`${tool} ${name}`, {
        ...known,
        value: known.value === told ? told : '',
        calls: known.calls + 1,
      })
    }
  const isUsual = (value: string): boolean =>
    value !== '' && value.length <= USUAL_CHARS_MAX && !value.includes('\n')
  return [...seen.values()].filter(({ calls, value }) => calls >= USUAL_CALLS_MIN && isUsual(value))
}

const text = (value: Json): string => (typeof value === 'string' ? value : canonical(value))
const rank = (value: Json): number => (typeof value !== 'string' ? 1 : value.includes('\n') ? 2 : 0)

/** The lines that an edit takes out and puts in; what is the same at both ends is left out. */
function editIn(
  entries: readonly (readonly [string, Json])[],
): { names: string[]; text: string } | undefined {
  const before = entries.find(([name, value]) => BEFORE.test(name) && typeof value === 'string')
  const after = entries.find(([name, value]) => AFTER.test(name) && typeof value === 'string')
  if (!before || !after) return undefined
  const [old, now] = [text(before[1]).split('\n'), text(after[1]).split('\n')]
  const { head, tail } = sameEnds(old, now)
  const lines = [
    ...old.slice(Math.max(0, head - 1), head).map((line) => `  ${line}`),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
  ]
  return { names: [before[0], after[0]], text: lines.join('\n') }
}

/** What came of a call that stands above it: its sentence without the call that it begins with, whole or cut. */
export function resultOf({ tool, summary, args }: Action): string {
  const isCommand = summary.startsWith('$ ')
  if (!isCommand && ![' ', ': '].some((next) => summary.startsWith(tool + next))) return summary
  const cutAt = summary.indexOf('…: ')
  if (cutAt > 0) return summary.slice(cutAt + 3)
  // A command may have a colon of its own.
  const command = isCommand ? onOneLine(valuesIn(args)) : ''
  let end = summary.indexOf(': ')
  for (let next = end; next > 0 && command.includes(summary.slice(2, next)); ) {
    end = next
    next = summary.indexOf(': ', end + 2)
  }
  return end > 0 ? summary.slice(end + 2) : summary
}
