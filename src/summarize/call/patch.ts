import type { FileChange } from '../../event/delta.ts'

const PATCH_CHARS_MAX = 500_000

/**
 * What a patch changes, hunk by hunk: the form of `apply_patch` (`*** Update File: x`), or a unified diff. `path` is the
 * file of a diff without a header. Undefined where the text is no patch.
 */
export function patchesIn(text: string, path?: string): FileChange[] | undefined {
  if (text.length > PATCH_CHARS_MAX) return undefined
  const begin = text.indexOf('*** Begin Patch')
  if (begin !== -1) return inSections(text.slice(begin).split('\n'))
  if (!/^@@ .{0,200}@@|^@@$/m.test(text) || /^(?:git (?:diff|show|log)|diff) /.test(text)) return undefined
  const lines = text.split('\n')
  const start = lines.findIndex((line) => /^(?:--- |diff --git |@@ )/.test(line))
  // A shell gives a diff only to what applies it.
  if (start > 0 && !/\b(?:git apply|patch|applypatch)\b/.test(lines.slice(0, start).join(' ')))
    return undefined
  const changes = inDiff(lines.slice(start), path)
  return changes.length > 0 ? changes : undefined
}

function inSections(lines: readonly string[]): FileChange[] {
  const changes: FileChange[] = []
  for (let at = 0; at < lines.length; at++) {
    const head = /^\*\*\* (Add|Update|Delete) File: (\S.*)$/.exec(lines[at] ?? '')
    if (!head) continue
    const path = (head[2] ?? '').trim()
    const end = nextAt(lines, at + 1, /^\*\*\* (?:Add|Update|Delete|End)/)
    const body = lines.slice(at + 1, end)
    if (head[1] === 'Delete') changes.push({ kind: 'remove', path })
    else if (head[1] === 'Add')
      changes.push({
        kind: 'write',
        path,
        text: body.map((line) => `${line.replace(/^\+/, '')}\n`).join(''),
      })
    else changes.push(...inHunks(path, body))
    at = end - 1
  }
  return changes
}

function inDiff(lines: readonly string[], given: string | undefined): FileChange[] {
  const changes: FileChange[] = []
  let path = given
  let created = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.startsWith('--- ')) created = line.startsWith('--- /dev/null')
    else if (line.startsWith('+++ ')) {
      const name = line.slice(4).split('\t', 1)[0]?.trim().replace(/^b\//, '')
      path = name === '/dev/null' ? path : name
    } else if (line.startsWith('@@') && path !== undefined) {
      const end = nextAt(lines, at + 1, /^(?:diff --git |--- |@@)/)
      const body = lines.slice(at, end).filter((text) => !text.startsWith('\\ No newline'))
      if (created)
        changes.push({
          kind: 'write',
          path,
          text: body.flatMap((text) => (text.startsWith('+') ? [`${text.slice(1)}\n`] : [])).join(''),
        })
      else changes.push(...inHunks(path, body))
      at = end - 1
    }
  }
  return changes
}

function nextAt(lines: readonly string[], from: number, pattern: RegExp): number {
  for (let at = from; at < lines.length; at++) if (pattern.test(lines[at] ?? '')) return at
  return lines.length
}

/** Each hunk as the text that stood there and the text that stands there now. */
function inHunks(path: string, lines: readonly string[]): FileChange[] {
  const changes: FileChange[] = []
  let before: string[] = []
  let after: string[] = []
  const end = () => {
    const [old, now] = [before.join('\n'), after.join('\n')]
    if (old !== now && old !== '') changes.push({ kind: 'edit', path, before: old, after: now })
    before = []
    after = []
  }
  for (const line of lines) {
    if (line.startsWith('@@')) end()
    else if (line.startsWith('-')) before.push(line.slice(1))
    else if (line.startsWith('+')) after.push(line.slice(1))
    else if (line.startsWith(' ')) {
      before.push(line.slice(1))
      after.push(line.slice(1))
    }
  }
  end()
  return changes
}
