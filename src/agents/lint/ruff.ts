import { PositionEncoding, Workspace as Ruff } from '@astral-sh/ruff-wasm-nodejs'
import { z } from 'zod'
import { messageOf, TwotrackError } from '../../errors.ts'
import { isSelected, ruffConfigFor } from '../ruff-config.ts'
import { byPlace, type Issue, type Linter, type LintPlace } from './linter.ts'
import { hasSafeFix } from './ruff-safe.ts'

/** A fix can make room for another one; after this many rounds they are at odds with each other. */
const ROUNDS_MAX = 10
const SYNTAX = 'invalid-syntax'

const location = z.object({ row: z.number(), column: z.number() })
const diagnostic = z.object({
  code: z.string().nullable(),
  message: z.string(),
  start_location: location,
  end_location: location,
  fix: z
    .object({
      edits: z.array(z.object({ content: z.string().nullable(), location, end_location: location })),
    })
    .nullable(),
})
type Diagnostic = z.infer<typeof diagnostic>

/** Ruff itself, in its WebAssembly build: the same rules and fixes, no installation. */
export const ruff: Linter = {
  name: `ruff ${Ruff.version()}`,
  find: check,
  check,
  fixAll: (place) =>
    withRuff(place, (diagnose) => {
      const text = fixedText(place, diagnose)
      return { text, left: issuesIn(text, place.path, diagnose) }
    }),
  fixOne: (place, issue) =>
    withRuff(place, (diagnose) => {
      const found = diagnose(place.text).find(
        ({ code, start_location, fix }) =>
          code === issue.code && start_location.row === issue.line && fix !== null,
      )
      return found ? checked(place.text, apply(place.text, [found]), diagnose) : place.text
    }),
  async configuration({ workspace, path }) {
    const { file } = await ruffConfigFor(workspace, path)
    return file ?? "ruff's defaults"
  },
}

type Diagnose = (text: string) => Diagnostic[]

function check(place: LintPlace): Promise<Issue[]> {
  return withRuff(place, (diagnose) => issuesIn(place.text, place.path, diagnose))
}

const issuesIn = (text: string, path: string, diagnose: Diagnose): Issue[] =>
  diagnose(text)
    .map((found) => issueOf(found, path))
    .sort(byPlace)

async function withRuff<Value>(place: LintPlace, use: (diagnose: Diagnose) => Value): Promise<Value> {
  const { options, file, ignored } = await ruffConfigFor(place.workspace, place.path)
  let linter: Ruff
  try {
    linter = new Ruff(options, PositionEncoding.Utf16)
  } catch (cause) {
    throw new TwotrackError('bad_config', `ruff can't use ${file ?? 'its options'}: ${messageOf(cause)}`, {
      cause,
    })
  }
  try {
    const counts = ({ code }: Diagnostic) => !ignored.some((selector) => isSelected(code ?? SYNTAX, selector))
    return use((text) => z.array(diagnostic).parse(linter.check(text)).filter(counts))
  } finally {
    linter.free()
  }
}

const issueOf = ({ code, message, start_location, fix }: Diagnostic, path: string): Issue => ({
  code: code ?? SYNTAX,
  line: start_location.row,
  column: start_location.column,
  message,
  fixable: fix !== null && hasSafeFix(code ?? SYNTAX, path),
})

function fixedText({ text, path }: LintPlace, diagnose: Diagnose): string {
  let fixed = text
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const safe = diagnose(fixed).filter(({ code, fix }) => fix !== null && hasSafeFix(code ?? SYNTAX, path))
    const next = safe.length === 0 ? fixed : checked(fixed, apply(fixed, safe), diagnose)
    if (next === fixed) return fixed
    fixed = next
  }
  return fixed
}

/** A fix never leaves a file that does not parse any more. */
function checked(before: string, after: string, diagnose: Diagnose): string {
  const broken = (text: string) => diagnose(text).some(({ code }) => code === SYNTAX || code === null)
  return broken(after) && !broken(before) ? before : after
}

/** Applies the fixes that do not touch each other, the first of two that do. */
function apply(text: string, diagnostics: readonly Diagnostic[]): string {
  const offset = offsets(text)
  const fixes = diagnostics
    .map(({ fix }) =>
      (fix?.edits ?? [])
        .map(({ content, location: from, end_location: to }) => ({
          from: offset(from),
          to: offset(to),
          content: content ?? '',
        }))
        .sort((one, other) => one.from - other.from),
    )
    .filter((edits) => edits.length > 0)
    .sort((one, other) => (one[0]?.from ?? 0) - (other[0]?.from ?? 0))
  const taken: { from: number; to: number; content: string }[] = []
  let end = -1
  for (const edits of fixes) {
    if ((edits[0]?.from ?? 0) <= end) continue
    taken.push(...edits)
    end = Math.max(...edits.map(({ to }) => to))
  }
  let result = ''
  let at = 0
  for (const { from, to, content } of taken) {
    result += text.slice(at, from) + content
    at = to
  }
  return result + text.slice(at)
}

/** Rows and columns count from 1, columns in UTF-16 units; a row ends as Python says. */
function offsets(text: string): (place: { row: number; column: number }) => number {
  const starts = [0]
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]
    if (unit === '\n' || (unit === '\r' && text[at + 1] !== '\n')) starts.push(at + 1)
  }
  return ({ row, column }) => Math.min((starts[row - 1] ?? text.length) + column - 1, text.length)
}
