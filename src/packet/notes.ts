import { isObject, type Json } from '../event/json.ts'

/**
 * The knowledge value that the bound can shorten piece by piece: what a thing is, the lines of it that may be
 * needed, and names in it that are worth knowing without their line. `[12, 'def run():']` is line 12 of the source;
 * 0 stands for a line without a number.
 */
export interface Notes {
  readonly about: string
  readonly lines: readonly NumberedLine[]
  readonly names?: readonly string[]
}

export type NumberedLine = readonly [number, string]

export function notes(
  about: string,
  lines: readonly NumberedLine[] = [],
  names: readonly string[] = [],
): Json {
  return {
    about,
    lines: lines.map(([line, text]) => [line, text]),
    ...(names.length > 0 ? { names: [...names] } : {}),
  }
}

export function isNotes(value: unknown): value is Notes & { [key: string]: Json } {
  if (!isObject(value)) return false
  const { about, lines, names, ...rest } = value
  if (typeof about !== 'string' || !Array.isArray(lines) || Object.keys(rest).length > 0) return false
  const numbered = lines.every(
    (line) =>
      Array.isArray(line) && line.length === 2 && typeof line[0] === 'number' && typeof line[1] === 'string',
  )
  return (
    numbered &&
    (names === undefined || (Array.isArray(names) && names.every((name) => typeof name === 'string')))
  )
}

/**
 * The thing that a key is about: keys of several notes on one file share their beginning, `path lines 10-40` and
 * `path (search "x")`, so that they can be shown together.
 */
export function subjectOf(key: string): string {
  const aside = key.endsWith(')') ? key.indexOf(' (') : -1
  const place = aside === -1 ? key : key.slice(0, aside)
  const lines = place.lastIndexOf(' lines ')
  return lines > 0 && /^[\d,-]+$/.test(place.slice(lines + 7)) ? place.slice(0, lines) : place
}

/** What a key says besides its subject: `lines 10-40`, `search "x"`. */
export function asideOf(key: string): string {
  const aside = key.slice(subjectOf(key).length).trim()
  return aside.startsWith('(') && aside.endsWith(')') ? aside.slice(1, -1) : aside
}

/** The folder of a subject that is a path, with its last separator; empty for others. */
export function folderOf(subject: string): string {
  if (subject.includes(' ')) return ''
  return subject.slice(0, Math.max(subject.lastIndexOf('/'), subject.lastIndexOf('\\')) + 1)
}

const plainPath = (subject: string): string =>
  subject.replaceAll('\\', '/').replace(/^\.\//, '').toLowerCase()

/** Whether two subjects are one file, written from different folders: `/repo/src/a.ts`, `src/a.ts`, `a.ts`. */
export function isSameSubject(one: string, other: string): boolean {
  if (one === other) return true
  if (one.includes(' ') || other.includes(' ')) return false
  const [short, long] = [plainPath(one), plainPath(other)].sort((a, b) => a.length - b.length)
  if (short === undefined || long === undefined || !lastPart(short).includes('.')) return short === long
  return long === short || long.endsWith(`/${short}`)
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * Each subject with the first given one that it is the same as. A short path may fit several long ones: it
 * belongs to the first, and one joins only where it is the same as all before it.
 */
export function firstOfSame(subjects: Iterable<string>): Map<string, string> {
  const first = new Map<string, string>()
  const byLast = new Map<string, string[][]>()
  for (const subject of subjects) {
    if (first.has(subject)) continue
    const last = lastPart(plainPath(subject))
    const groups = byLast.get(last) ?? []
    const group = groups.find((members) => members.every((other) => isSameSubject(subject, other)))
    if (group) group.push(subject)
    else byLast.set(last, [...groups, [subject]])
    first.set(subject, group?.[0] ?? subject)
  }
  return first
}
