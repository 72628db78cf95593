import type { FileChange } from '../../core/event/delta.ts'
import { isSamePath } from '../../text/paths.ts'
import { type Asked, itemOf, type Origin, valueAt } from './leaves.ts'

/** Lines that one event read or wrote. */
interface Written {
  readonly seq: number
  readonly field: string
  readonly lines: readonly string[]
}

/**
 * A file's present text was read by one event and changed by others. Each stretch of lines goes to the event that holds
 * the longest part of it, the newest where several do.
 */
export function fileOrigins(asked: Asked): Origin[] {
  const { leaf, end, history } = asked
  const item = itemOf(asked) ?? null
  const path = String(valueAt(item, ['path']) ?? '')
  const ref = Number(valueAt(item, ['ref']) ?? 0)
  switch (leaf.path[2]) {
    case 'path':
      return [{ seq: namedAt(asked, path) ?? ref, field: '/delta/change_files' }]
    case 'ref':
      return [{ seq: ref, field: '/seq' }]
    case 'stale':
      return leaf.value === null ? [] : [{ seq: Number(leaf.value), field: '/seq' }]
  }
  const written = changesOf(asked, path, end.seq)
  const found = leaf.path[4] === 'text' ? stretches(String(leaf.value).split('\n'), written) : []
  if (found.length > 0) return found
  // The number of a line: of what was read there, moved by the edits before it. Lines that are all blank are as old.
  const number = Number(valueAt(item, ['regions', leaf.path[3] ?? '', 'from']))
  const known = Object.values(end.state.files).find((file) => file.path === path)
  const region = known?.regions.find(({ from, lines }) => from <= number && number < from + lines.length)
  return [{ seq: region?.ref ?? ref, field: '/delta/change_files', counted: true }].filter(
    ({ seq }) => history.event(seq) !== undefined,
  )
}

/** A file keeps the name that it was first known by; the last event that wrote it like that. */
export function namedAt({ history, end }: Asked, path: string): number | undefined {
  for (let seq = end.seq; seq > 0; seq--)
    if (history.event(seq)?.delta?.change_files?.some((change) => change.path === path)) return seq
  return undefined
}

/** The newest text of a file that holds a name. */
export function definitionOrigins(asked: Asked, path: string, name: string): Origin[] {
  const found = changesOf(asked, path, asked.end.seq).find(({ lines }) =>
    lines.some((line) => line.includes(name)),
  )
  return found ? [{ seq: found.seq, field: found.field, part: name }] : []
}

/** Newest first. */
function changesOf({ history }: Asked, path: string, to: number): Written[] {
  const written: Written[] = []
  for (let seq = to; seq > 0; seq--)
    for (const [at, change] of (history.event(seq)?.delta?.change_files ?? []).entries()) {
      if (!isSamePath(change.path, path)) continue
      const text = writtenText(change)
      if (text)
        written.push({ seq, field: `/delta/change_files/${at}/${text.name}`, lines: text.text.split('\n') })
      // What was written whole, or taken away, has nothing to do with what stood there before.
      if (change.kind === 'write' || change.kind === 'remove') return written
    }
  return written
}

function writtenText(change: FileChange): { name: string; text: string } | undefined {
  if (change.kind === 'read' || change.kind === 'write') return { name: 'text', text: change.text }
  if (change.kind === 'lines' && change.text !== null) return { name: 'text', text: change.text }
  return change.kind === 'edit' ? { name: 'after', text: change.after } : undefined
}

function stretches(lines: readonly string[], written: readonly Written[]): Origin[] {
  const origins: Origin[] = []
  for (let at = 0; at < lines.length; ) {
    if (/^\s*…?$/.test(lines[at] ?? '')) {
      at++
      continue
    }
    const best = longest(lines, at, written)
    if (!best) {
      origins.push(...piecesOf(lines[at] ?? '', written))
      at++
      continue
    }
    origins.push({ seq: best.seq, field: best.field, part: lines.slice(at, at + best.length).join('\n') })
    at += best.length
  }
  return origins
}

function longest(
  lines: readonly string[],
  at: number,
  written: readonly Written[],
): { seq: number; field: string; length: number } | undefined {
  let best: { seq: number; field: string; length: number } | undefined
  for (const { seq, field, lines: own } of written)
    for (let from = 0; from < own.length; from++) {
      let length = 0
      while (
        at + length < lines.length &&
        from + length < own.length &&
        isSameLine(lines[at + length] ?? '', own[from + length] ?? '')
      )
        length++
      if (length > (best?.length ?? 0)) best = { seq, field, length }
    }
  return best
}

/** A very long line is shown by a piece of it. */
function isSameLine(shown: string, own: string): boolean {
  if (shown === own) return true
  if (!shown.startsWith('…') && !shown.endsWith('…')) return false
  const piece = shown.replace(/^…/, '').replace(/…$/, '')
  return piece !== '' && own.includes(piece)
}

/** A line that was changed in its middle: what the edit put there, and the line that it was put into. */
function piecesOf(line: string, written: readonly Written[]): Origin[] {
  const origins: Origin[] = []
  for (const { seq, field, lines } of written) {
    const piece = lines
      .filter((own) => own.trim() !== '' && line.includes(own))
      .sort((a, b) => b.length - a.length)[0]
    if (piece !== undefined) origins.push({ seq, field, part: piece })
    else {
      const around = lines.map((own) => commonEnds(line, own)).sort((a, b) => b.length - a.length)[0] ?? ''
      if (around.trim() !== '' && around.length * 3 >= line.length)
        return [...origins, { seq, field, part: around }]
    }
  }
  return origins
}

/** The longer of the ends that two lines share. */
function commonEnds(line: string, own: string): string {
  let head = 0
  while (head < line.length && line[head] === own[head]) head++
  let tail = 0
  while (tail < line.length && line.at(-1 - tail) === own.at(-1 - tail) && tail < own.length) tail++
  return head >= tail ? line.slice(0, head) : line.slice(line.length - tail)
}
