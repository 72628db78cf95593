import type { FileChange } from '../../core/event/delta.ts'
import { defined, isObject, type Json } from '../../core/event/json.ts'
import { fieldNumber, fieldText } from '../fields.ts'
import type { Intent } from './intent.ts'
import { patchesIn } from './patch.ts'

type Arguments = Record<string, unknown>

interface Asked {
  readonly intent: Intent
  readonly changes: readonly FileChange[]
}

const fieldNames = (text: string): readonly string[] => text.split(' ')
const PATH = fieldNames(
  'file_path path filepath filePath filename file absolute_path absolutePath target_file notebook_path file_name',
)
const CONTENT = ['content', 'file_text', 'contents', 'new_content', 'text']
const BEFORE = ['old_string', 'old_str', 'search', 'old_text', 'oldText', 'find']
const AFTER = ['new_string', 'new_str', 'replace', 'new_text', 'newText', 'replacement']
/** Names that mean an edit only both together: one of them alone may be a date, a cursor or a version. */
const REPLACED = fieldNames(
  'old/new before/after original/updated original/modified old_code/new_code old_content/new_content oldString/newString',
).map((pair) => pair.split('/'))
const PATTERN = ['pattern', 'regex', 'query', 'search_term', 'search_string', 'glob']
const PATCH = ['patch', 'diff', 'input', 'patch_text']

const asked = (intent: Intent, changes: readonly FileChange[] = []): Asked => ({ intent, changes })

export function intentOfArguments(args: Json): Asked {
  if (!isObject(args)) return asked({ kind: 'other' })
  const path = fieldText(args, PATH)
  const patched = patchesIn(fieldText(args, PATCH) ?? '', path)
  if (patched?.[0]) return asked({ kind: 'change', path: patched[0].path, verb: 'edit' }, patched)
  const changed = path === undefined ? undefined : askedChange(args, path)
  if (changed) return changed
  const pattern = fieldText(args, PATTERN)
  if (pattern !== undefined) return asked({ kind: 'search', pattern, ...defined({ path }) })
  return asked(path === undefined ? { kind: 'other' } : { kind: 'read', path, ...askedRange(args) })
}

function askedChange(args: Arguments, path: string): Asked | undefined {
  const edits = Array.isArray(args['edits']) ? args['edits'] : [args]
  const changes = edits.flatMap((edit): FileChange[] => {
    const replaced = isObject(edit) ? replacedIn(edit) : undefined
    if (replaced === undefined || replaced.before === '') return []
    const all = isObject(edit) && (edit['replace_all'] === true || edit['replaceAll'] === true)
    return [{ kind: 'edit', path, ...replaced, ...(all ? { all } : {}) }]
  })
  const given = (verb: 'edit' | 'insert' | 'write', made: readonly FileChange[]): Asked =>
    asked({ kind: 'change', path, verb }, made)
  if (changes.length > 0) return given('edit', changes)
  if (fieldNumber(args, ['insert_line', 'insertLine']) !== undefined) return given('insert', [])
  const content = fieldText(args, CONTENT)
  if (content !== undefined && replacedIn(args) === undefined)
    return given('write', [{ kind: 'write', path, text: content }])
  const after = fieldText(args, AFTER) ?? replacedIn(args)?.after
  return after === undefined ? undefined : given('edit', [])
}

function replacedIn(args: Arguments): { before: string; after: string } | undefined {
  const after = AFTER.map((name) => args[name]).find((value) => typeof value === 'string')
  const before = fieldText(args, BEFORE)
  if (typeof after === 'string' && before !== undefined) return { before, after }
  for (const [old = '', now = ''] of REPLACED) {
    const [was, is] = [args[old], args[now]]
    if (typeof was !== 'string' || typeof is !== 'string' || was === is) continue
    if (!isDate(was) && !isDate(is)) return { before: was, after: is }
  }
  return undefined
}

/** A history between two days has a path too. */
const isDate = (value: string): boolean => /^\d{4}-\d\d/.test(value)

function askedRange(args: Arguments): { from?: number; to?: number } {
  const range = args['view_range'] ?? args['range'] ?? args['lines']
  if (Array.isArray(range) && typeof range[0] === 'number')
    return defined({ from: range[0], to: range[1] > 0 ? Number(range[1]) : undefined })
  const from = fieldNumber(args, ['start_line', 'line_start', 'from_line', 'offset', 'line', 'start'])
  const limit = fieldNumber(args, ['limit', 'line_count', 'num_lines'])
  const end = fieldNumber(args, ['end_line', 'line_end', 'to_line', 'end'])
  return defined({ from, to: end ?? (limit === undefined ? undefined : (from ?? 1) + limit - 1) })
}
