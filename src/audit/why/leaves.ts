import { isObject, type Json } from '../../core/event/json.ts'
import type { Packet } from '../../core/packet/packet.ts'
import { folderIn, withoutFolder } from '../../core/view/outline.ts'
import { onOneLine } from '../../text/lines.ts'
import type { History, TurnEnd } from '../history.ts'

/** A value inside a packet that holds no others. */
export interface Leaf {
  readonly pointer: string
  readonly path: readonly string[]
  readonly value: null | boolean | number | string
}

/** Every leaf in the order of the packet, with its JSON pointer (RFC 6901). */
export function leavesOf(value: Json, path: readonly string[] = []): Leaf[] {
  if (value === null || typeof value !== 'object') return [{ pointer: pointerOf(path), path, value }]
  return Object.entries(value).flatMap(([key, field]) => leavesOf(field, [...path, key]))
}

export const pointerOf = (path: readonly string[]): string =>
  path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The parts of a pointer; undefined when the text is none. */
export function pathOf(pointer: string): string[] | undefined {
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** What stands at a path; undefined when nothing does. */
export function valueAt(value: Json, path: readonly string[]): Json | undefined {
  let found: Json | undefined = value
  for (const part of path) {
    if (Array.isArray(found)) found = /^\d+$/.test(part) ? found[Number(part)] : undefined
    else if (isObject(found) && Object.hasOwn(found, part)) found = (found as Record<string, Json>)[part]
    else return undefined
  }
  return found
}

/** What a person copies from a rendered packet brings its bullet, number or quotes along. */
const COPIED =
  /^(?:\s*(?:[-•→]|#\d+|\[[ x>-]\]|\d+\||\(turn \d+\)|you said:|FAILED:|PARTLY:|NO RESULT YET))+\s*/

/** Leaves that hold a text, best first (the shortest value around it), and the text as they hold it. */
export function leavesWith(packet: Packet, text: string): { leaves: Leaf[]; wanted: string } {
  const leaves = leavesOf(packet as Json)
  const folder = folderIn(packet)
  const copied = text.replace(COPIED, '')
  for (const wanted of new Set([text, text.trim(), onOneLine(text), copied.trim(), onOneLine(copied)])) {
    if (wanted === '') continue
    const found = leaves.filter((leaf) => holds(leaf, wanted, folder))
    if (found.length > 0)
      return { leaves: found.sort((a, b) => String(a.value).length - String(b.value).length), wanted }
  }
  return { leaves: [], wanted: text }
}

const NAMED = new Set(['knowledge', 'extensions', 'hub_context'])

/** Facts are found by their name too, as the packet shows them: `name: value`; paths also below the folder left out. */
function holds({ path, value }: Leaf, wanted: string, folder: string): boolean {
  const [section = '', name = ''] = path
  if (NAMED.has(section) && path.at(-1) !== 'source_turn' && `${name}: ${value}`.includes(wanted)) return true
  if (typeof value !== 'string') return value !== null && String(value) === wanted
  return [value, onOneLine(value), withoutFolder(value, folder)].some((text) => text.includes(wanted))
}

export interface AskedLeaf {
  readonly leaf: Leaf
  readonly end: TurnEnd
  readonly history: History
}
