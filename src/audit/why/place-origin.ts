import type { Event } from '../../event/event.ts'
import { namedBy } from '../../packet/names.ts'
import { isSamePath } from '../../text/paths.ts'
import type { Asked, Origin } from './asked.ts'

/** The index is made of names: each comes from the last call or output that wrote it like that. */
export function placeOrigins({ leaf, end, history }: Asked): Origin[] {
  const value = String(leaf.value)
  const parts = new Set(leaf.path[2] === 'places' ? value.split(', ') : [value])
  parts.delete('')
  const origins: Origin[] = []
  for (const isIn of [isWritten, isSameFile, isSameName])
    for (let seq = end.seq; seq > 0 && parts.size > 0; seq--) {
      const event = history.event(seq)
      for (const part of event ? parts : []) {
        const found = event && isIn(event, part)
        if (found === undefined) continue
        parts.delete(part)
        origins.push({ seq, field: event?.type === 'tool_call' ? '/data/args' : '/delta', part: found })
      }
    }
  return origins
}

/** `12 name` is a definition on line 12. */
function isWritten(event: Event, part: string): string | undefined {
  const [, line, name = ''] = /^(?:(\d+) )?(.*)$/.exec(part) ?? []
  const isThere = namedBy(event).some(
    ({ path, names, defined }) =>
      (line === undefined && (names.includes(name) || path === name)) ||
      defined.some(([at, one]) => one === name && (line === undefined || at === Number(line))),
  )
  return isThere ? name : undefined
}

/** One file may have been named from another folder. */
const isSameFile = (event: Event, part: string): string | undefined =>
  namedBy(event).find(({ path }) => path !== '' && isSamePath(path, part))?.path

/** The index holds one of several spellings, and the line of the last definition. */
function isSameName(event: Event, part: string): string | undefined {
  const wanted = part.replace(/^\d+ /, '').toLowerCase()
  const named = namedBy(event).flatMap(({ names, defined }) => [...names, ...defined.map(([, name]) => name)])
  return named.find((name) => name.toLowerCase() === wanted)
}
