import type { FileChange } from '../../core/event/delta.ts'

const PATCH_CHARS_MAX = 500_000
/** Where a file's part of a patch begins: in the form of `apply_patch`, then in a unified diff. */
const SECTION = /^\*\*\* (Add|Update|Delete) File: (\S.*)$/
const DIFF_FILE = /^\+\+\+ (?:b\/)?([^\t]+)/

/**
 * What a patch changes, hunk by hunk: the form of `apply_patch` (`*** Update File: x`), or a unified diff. `path` is the
 * file of a diff without a header. Undefined where the text is no patch.
 */
export function patchesIn(text: string, path?: string): FileChange[] | undefined {
  if (text.length > PATCH_CHARS_MAX) return undefined
  const begin = text.indexOf('*** Begin Patch')
  if (begin !== -1) return changesIn(text.slice(begin).split('\n'), undefined)
  if (!/^@@ .{0,200}@@|^@@$/m.test(text) || /^(?:git (?:diff|show|log)|diff) /.test(text)) return undefined
  const lines = text.split('\n')
  const start = lines.findIndex((line) => /^(?:--- |diff --git |@@ )/.test(line))
  // A shell gives a diff only to what applies it.
  if (start > 0 && !/\b(?:git apply|patch|applypatch)\b/.test(lines.slice(0, start).join(' ')))
    return undefined
  const changes = changesIn(lines.slice(start), path)
  return changes.length > 0 ? changes : undefined
}

/** Each hunk as the text that stood there and the text that stands there now; a file that is new as a whole. */
function changesIn(lines: readonly string[], given: string | undefined): FileChange[] {
  const changes: FileChange[] = []
  let path = given
  let isNew = false
  let before: string[] = []
  let after: string[] = []
  const end = () => {
    const [old, now] = [before.join('\n'), after.join('\n')]
    if (path !== undefined && isNew && after.length > 0)
      changes.push({ kind: 'write', path, text: `${now}\n` })
    else if (path !== undefined && old !== now && old !== '')
      changes.push({ kind: 'edit', path, before: old, after: now })
    before = []
    after = []
  }
  for (const line of lines) {
    const [, verb, named = ''] = SECTION.exec(line) ?? []
    const file = DIFF_FILE.exec(line)?.[1]?.trim()
    if (verb !== undefined || file !== undefined || /^(?:@@|--- |\*\*\* |diff --git )/.test(line)) end()
    if (verb !== undefined) {
      path = named.trim()
      isNew = verb === 'Add'
      if (verb === 'Delete') changes.push({ kind: 'remove', path })
    } else if (file !== undefined) path = file === '/dev/null' ? path : file
    else if (line.startsWith('--- ')) isNew = line.startsWith('--- /dev/null')
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
