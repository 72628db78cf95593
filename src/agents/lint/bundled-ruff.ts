import { PositionEncoding, Workspace as Ruff } from '@astral-sh/ruff-wasm-nodejs'
import { z } from 'zod'
import type { JsonObject } from '../../core/event/json.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { parentOf } from '../../files/ignore.ts'
import {
  type FolderConfig,
  forFile,
  isSelected,
  PLAIN_RULES,
  ruffConfigIn,
  withFirstParty,
} from '../ruff-config.ts'
import { hasSafeFix } from './bundled-safe.ts'
import type { Linter, Problem, Wanted } from './linter.ts'

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

/** Rules that look at where a file lies. The wasm build does not know it, and takes a `noqa` for one of them for unused. */
const BY_PLACE = /\b(?:A005|D10[04]|EXE\d+|INP001|N999|PLW0406)\b/

const UNCONFIGURED: JsonObject = { lint: { select: [...PLAIN_RULES] } }

/**
 * Ruff itself, in its WebAssembly build, with the project's configuration where it has one: for projects that are
 * linted with ruff and have it not installed, and for those without a linter.
 */
export function bundledRuff(project: string, config: string | undefined): Linter {
  const known = new Map<string, Ruff>()
  const configs = new Map<string, Promise<FolderConfig>>()
  const openedIn = new Map<string, Promise<Ruff>>()
  const diagnoserOf = async (root: string, path: string): Promise<Diagnose> => {
    const folder = parentOf(path) ?? ''
    const found = configs.get(folder) ?? ruffConfigIn(root, folder)
    configs.set(folder, found)
    const of = await found
    const { ignored, isExcluded, target } = forFile(of, path)
    if (isExcluded) return () => []
    const open = async () => {
      const options = of.file === undefined ? UNCONFIGURED : of.options
      const aimed = target === undefined ? options : { ...options, 'target-version': target }
      const used = await withFirstParty(aimed, project, of.folder, folder)
      const key = JSON.stringify(used)
      const linter = known.get(key) ?? opened(used, of.file)
      known.set(key, linter)
      return linter
    }
    const place = `${folder} ${target ?? ''}`
    const opening = openedIn.get(place) ?? open()
    openedIn.set(place, opening)
    const linter = await opening
    const counts = ({ code, message }: Diagnostic) =>
      !ignored.some((selector) => isSelected(code ?? SYNTAX, selector)) &&
      !(code === 'RUF100' && BY_PLACE.test(message))
    return (text) => z.array(diagnostic).parse(linter.check(text)).filter(counts)
  }
  return {
    name: `bundled ruff ${Ruff.version()}`,
    config: config ?? `no configuration: rules ${PLAIN_RULES.join(', ')}`,
    covers: () => true,
    async check(tree, paths) {
      const problems = new Map<string, Problem[]>()
      for (const path of paths) {
        const diagnose = await diagnoserOf(tree.root, path)
        problems.set(path, diagnose(await tree.read(path)).map(problemOf))
      }
      return problems
    },
    async fix(tree, paths, { only, without = [] }) {
      for (const path of paths) {
        const isSafe = ({ code, message }: Diagnostic) =>
          hasSafeFix(code ?? SYNTAX, message, path, config !== undefined) && !without.includes(code ?? SYNTAX)
        const text = await tree.read(path)
        const diagnose = await diagnoserOf(tree.root, path)
        tree.write(path, only ? fixedOnce(text, diagnose, only) : fixedText(text, diagnose, isSafe))
      }
    },
  }
}

type Diagnose = (text: string) => Diagnostic[]

function opened(options: JsonObject, file: string | undefined): Ruff {
  try {
    return new Ruff(options, PositionEncoding.Utf16)
  } catch (cause) {
    throw new TwotrackError('bad_config', `ruff can't use ${file ?? 'its options'}: ${messageOf(cause)}`, {
      cause,
    })
  }
}

const problemOf = ({ code, message, start_location }: Diagnostic): Problem => ({
  code: code ?? SYNTAX,
  line: start_location.row,
  column: start_location.column,
  message,
})

function fixedText(text: string, diagnose: Diagnose, isWanted: (found: Diagnostic) => boolean): string {
  let fixed = text
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const wanted = diagnose(fixed).filter((one) => one.fix !== null && isWanted(one))
    const next = wanted.length === 0 ? fixed : checked(fixed, apply(fixed, wanted), diagnose)
    if (next === fixed) return fixed
    fixed = next
  }
  return fixed
}

function fixedOnce(text: string, diagnose: Diagnose, { code, line }: Wanted): string {
  const found = diagnose(text).find(
    (one) => one.code === code && one.start_location.row === line && one.fix !== null,
  )
  return found ? checked(text, apply(text, [found]), diagnose) : text
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
