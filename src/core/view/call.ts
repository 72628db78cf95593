import { onOneLine } from '../../text/lines.ts'
import { valuesIn } from '../../text/values.ts'
import { canonical, isObject, type Json } from '../event/json.ts'
import { sameEnds } from '../packet/files.ts'
import type { Action } from '../packet/state.ts'

const BEFORE = /^(?:old|before|original|search|find)(?:_|[A-Z]|$)/
const AFTER = /^(?:new|after|updated|modified|replace(?:ment)?)(?:_|[A-Z]|$)/

/** What calls of a tool give again and again, such as a folder or a limit of time. */
export type Constants = ReadonlyMap<string, ReadonlySet<string>>
const CALLS_MIN = 4

export function constantsIn(actions: readonly Action[]): Constants {
  const byTool = Map.groupBy(actions, ({ tool }) => tool)
  return new Map(
    [...byTool].map(([tool, calls]) => {
      const counts = new Map<string, number>()
      for (const { args } of calls)
        for (const [name, value] of isObject(args) ? Object.entries(args as Record<string, Json>) : []) {
          const key =
            typeof value === 'string'
              ? value.length > 200
                ? ''
                : `${name} ${value}`
              : `${name} ${canonical(value)}`
          counts.set(key, (counts.get(key) ?? 0) + 1)
        }
      const often = [...counts].filter(
        ([key, count]) => key !== '' && count >= CALLS_MIN && count * 3 > calls.length * 2,
      )
      return [tool, new Set(often.map(([key]) => key))]
    }),
  )
}

/**
 * A call as text, without what its tool's calls all give. An edit that succeeded is shown as the lines that changed; one
 * that failed as it was, for it will be tried again.
 */
export function callText({ tool, args, outcome }: Action, constants?: Constants): string {
  if (!isObject(args)) return args === null ? tool : `${tool} ${text(args)}`
  const entries = Object.entries(args as Record<string, Json>)
  const edit = outcome === 'error' ? undefined : editIn(entries)
  const given = constants?.get(tool)
  const telling = entries
    .filter(([name, value]) => !edit?.names.includes(name) && !given?.has(`${name} ${text(value)}`))
    .sort(([, a], [, b]) => rank(a) - rank(b))
  const [only] = telling
  const parts =
    telling.length === 1 && only && typeof only[1] === 'string'
      ? [only[1]]
      : telling.map(([name, value]) => `${name}:${text(value).includes('\n') ? '\n' : ' '}${text(value)}`)
  const lines = [...parts, ...(edit ? [edit.text] : [])]
  return (
    `${tool} ${parts.join(parts.some((part) => part.includes('\n')) ? '\n' : ', ')}${edit ? `\n${edit.text}` : ''}`.trimEnd() ||
    lines.join('\n')
  )
}

const text = (value: Json): string => (typeof value === 'string' ? value : canonical(value))
/** Short texts say what a call is about; numbers and flags how; long texts follow. */
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
export function resultOf({ tool, summary, args, outcome }: Action): string {
  const isCommand = summary.startsWith('$ ')
  let result = summary
  if (isCommand || summary.startsWith(`${tool} `)) {
    const cutAt = summary.indexOf('…: ')
    let end = summary.indexOf(': ')
    // A command may have a colon of its own.
    const command = isCommand ? onOneLine(valuesIn(args)) : ''
    for (
      let next = end;
      next > 0 && command.includes(summary.slice(2, next));
      next = summary.indexOf(': ', next + 2)
    )
      end = next
    result = cutAt > 0 ? summary.slice(cutAt + 3) : end > 0 ? summary.slice(end + 2) : summary
  }
  // That it failed is said before it.
  return outcome === 'error' ? result.replace(/^failed, /, '') : result
}

/** The folders of a path that are left out where they take more than this. */
const FOLDERS_CHARS_MAX = 16

/** Long paths by their last part, where there is no room for more. */
export const withoutFolders = (sentence: string): string =>
  sentence.replace(/(?<![\w.~:$%{}@+/\\-])(?:[\w.~:$%{}@+-]*[/\\])+(?=[\w.-])/g, (folders) =>
    folders.length > FOLDERS_CHARS_MAX ? '' : folders,
  )
