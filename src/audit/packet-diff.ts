import { canonical, isObject, type Json } from '../core/event/json.ts'

export interface PacketChange {
  /** Dotted path of the leaf, keys with dots quoted. */
  readonly path: string
  readonly before?: Json
  readonly after?: Json
}

/** The leaves that differ between two packets, in order of path. Lists are compared as wholes when lengths differ in the middle. */
export function diffPackets(before: Json, after: Json, path = ''): PacketChange[] {
  if (before === after) return []
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => diffField(before as Fields, after as Fields, key, path))
  }
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, path)
  return canonical(before) === canonical(after) ? [] : [{ path, before, after }]
}

type Fields = { [key: string]: Json }

function diffField(before: Fields, after: Fields, key: string, path: string): PacketChange[] {
  const at = path === '' ? key : `${path}.${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)}`
  const old = Object.hasOwn(before, key) ? before[key] : undefined
  const now = Object.hasOwn(after, key) ? after[key] : undefined
  if (old === undefined) return now === undefined ? [] : [{ path: at, after: now }]
  if (now === undefined) return [{ path: at, before: old }]
  return diffPackets(old, now, at)
}

/** Items are matched by value, then by what they are about: what only one side has was added or removed. */
function diffLists(before: Json[], after: Json[], path: string): PacketChange[] {
  const old = new Map(before.map((item) => [canonical(item), item]))
  const now = new Map(after.map((item) => [canonical(item), item]))
  const removed = [...old].flatMap(([text, item]) => (now.has(text) ? [] : [item]))
  const added = [...now].flatMap(([text, item]) => (old.has(text) ? [] : [item]))
  const changed = removed.flatMap((before): PacketChange[] => {
    const name = nameOf(before)
    const at = name === undefined ? -1 : added.findIndex((item) => nameOf(item) === name)
    const [after] = at === -1 ? [] : added.splice(at, 1)
    return after === undefined
      ? [{ path: `${path}[]`, before }]
      : diffPackets(before, after, `${path}[${name}]`)
  })
  return [...changed, ...added.map((after) => ({ path: `${path}[]`, after }))]
}

/** What an item of a list is about: a file, an event, or the first line of a stretch. */
function nameOf(item: Json): string | undefined {
  if (!isObject(item)) return undefined
  const name = item['path'] ?? item['ref'] ?? item['from']
  return typeof name === 'string' || typeof name === 'number' ? String(name) : undefined
}
