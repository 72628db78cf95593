import type { NumberedLine } from '../../packet/notes.ts'

/** What a unified diff says of one file. */
export interface FileChange {
  readonly path: string
  readonly state: 'modified' | 'added' | 'deleted' | 'renamed'
  readonly added: number
  readonly removed: number
  /** Lines of the new side with their numbers, those around a change included. */
  readonly lines: readonly NumberedLine[]
  /** Lines that only the old side had. */
  readonly gone: readonly string[]
  /** What git says the hunks are in: the text behind `@@`. */
  readonly inside: readonly string[]
  /** First and last new-side line of each hunk. */
  readonly hunks: readonly (readonly [number, number])[]
}

interface Header {
  readonly path: string
  readonly state: FileChange['state']
  readonly end: number
}

interface Hunk {
  readonly parents: number
  readonly from: number
  readonly inside: string
  oldLeft: number
  newLeft: number
}

/** The diff of one file that begins at a line: git's, or that of `diff -u`. Undefined when none begins there. */
export function readFileChange(
  lines: readonly string[],
  at: number,
): { change: FileChange; end: number } | undefined {
  const header = readHeader(lines, at)
  if (!header) return undefined
  const body: Body = { shown: [], gone: [], added: 0 }
  const inside = new Set<string>()
  const hunks: [number, number][] = []
  let end = header.end
  for (let hunk = hunkAt(lines[end]); hunk; hunk = hunkAt(lines[end])) {
    if (hunk.inside !== '') inside.add(hunk.inside)
    const next = readHunk(lines, end + 1, hunk, body)
    hunks.push([hunk.from, Math.max(hunk.from, next.line - 1)])
    end = next.end
  }
  const { path, state } = header
  const { shown, gone, added } = body
  return {
    change: { path, state, added, removed: gone.length, lines: shown, gone, inside: [...inside], hunks },
    end,
  }
}

const EXTENDED =
  /^(?:index |old mode |new mode |new file mode |deleted file mode |similarity index |dissimilarity index |rename from |copy from |Binary files |Index: |={20})/

function readHeader(lines: readonly string[], at: number): Header | undefined {
  const first = lines[at] ?? ''
  const named = first.startsWith('diff --git ') || first.startsWith('diff --cc ')
  if (!named && !first.startsWith('--- ') && !/^diff -\S/.test(first)) return undefined
  let path = named ? pathInFirst(first) : ''
  let state: FileChange['state'] = 'modified'
  let end = first.startsWith('--- ') ? at : at + 1
  for (; end < lines.length; end++) {
    const line = lines[end] ?? ''
    if (line.startsWith('--- ') && (lines[end + 1] ?? '').startsWith('+++ ')) {
      // Two such lines alone may be anything.
      if (!named && !(lines[end + 2] ?? '').startsWith('@@ ')) return undefined
      const [before, after] = sides(line.slice(4), (lines[end + 1] ?? '').slice(4))
      if (before === '/dev/null') state = 'added'
      if (after === '/dev/null') state = 'deleted'
      return { path: after === '/dev/null' ? before : after, state, end: end + 2 }
    }
    if (line.startsWith('rename to ') || line.startsWith('copy to ')) {
      path = unquoted(line.slice(line.indexOf(' to ') + 4))
      state = 'renamed'
    } else if (line.startsWith('new file mode')) state = 'added'
    else if (line.startsWith('deleted file mode')) state = 'deleted'
    else if (!EXTENDED.test(line)) break
  }
  return named && path !== '' ? { path, state, end } : undefined
}

/** Both paths without the `a/` and `b/` that git puts before them and the time that `diff -u` puts behind. */
function sides(before: string, after: string): [string, string] {
  const [one, other] = [before, after].map((side) => unquoted(side.split('\t', 1)[0] ?? ''))
  return [withoutPrefix(one ?? ''), withoutPrefix(other ?? '')]
}

const withoutPrefix = (path: string): string => (/^[abciow]\/./.test(path) ? path.slice(2) : path)

/** `diff --git a/x b/x`: there the two are the same, or a later line names them. */
function pathInFirst(line: string): string {
  if (line.startsWith('diff --cc ')) return unquoted(line.slice('diff --cc '.length))
  const both = line.slice('diff --git '.length)
  const middle = both.length >> 1
  return both[middle] === ' ' ? withoutPrefix(unquoted(both.slice(middle + 1))) : ''
}

/** Git quotes a path with unusual characters and writes their bytes as octal numbers. */
export function unquoted(path: string): string {
  if (path.length < 2 || !path.startsWith('"') || !path.endsWith('"')) return path
  const inner = path.slice(1, -1)
  try {
    return decodeURIComponent(
      inner
        .replaceAll('%', '%25')
        .replace(/\\([0-3][0-7][0-7])/g, (_, octal: string) => `%${Number.parseInt(octal, 8).toString(16)}`)
        .replace(/\\(["\\])/g, '$1'),
    )
  } catch {
    return inner
  }
}

const HUNK = /^(@{2,8}) ((?:-\d{1,9}(?:,\d{1,9})? ){1,7})\+(\d{1,9})(?:,(\d{1,9}))? @{2,8} ?(.*)$/

/** `@@ -10,7 +10,9 @@ function run() {`; a merge has one more `@` and range per parent. */
function hunkAt(line: string | undefined): Hunk | undefined {
  const match = line?.startsWith('@@') ? HUNK.exec(line) : null
  if (!match) return undefined
  const [, marks = '', olds = '', from = '', count = '1', inside = ''] = match
  const parents = marks.length - 1
  const old = olds.trim().split(',')[1] ?? '1'
  return {
    parents,
    from: Number(from),
    inside: inside.trim(),
    oldLeft: parents === 1 ? Number(old) : 0,
    newLeft: Number(count),
  }
}

interface Body {
  readonly shown: NumberedLine[]
  readonly gone: string[]
  added: number
}

/** Reads the lines of a hunk to the end that its head announces, or to the first that can't be one. */
function readHunk(
  lines: readonly string[],
  at: number,
  hunk: Hunk,
  body: Body,
): { end: number; line: number } {
  let line = hunk.from
  let end = at
  for (; end < lines.length; end++) {
    const text = lines[end] ?? ''
    if (text.startsWith('\\ ')) continue
    const marks = text.slice(0, hunk.parents)
    const removed = marks.includes('-')
    if (hunk.newLeft <= 0 && (hunk.parents > 1 ? !removed : hunk.oldLeft <= 0)) break
    if (!/^[ +-]*$/.test(marks)) break
    if (removed) {
      hunk.oldLeft--
      body.gone.push(text.slice(hunk.parents))
      continue
    }
    if (marks.includes('+')) body.added++
    else hunk.oldLeft--
    hunk.newLeft--
    body.shown.push([line++, text.slice(hunk.parents)])
  }
  return { end, line }
}
