import { matchesGlob } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { z } from 'zod'
import { isObject, type JsonObject } from '../../core/event/json.ts'
import { messageOf, TwotrackError } from '../../errors.ts'
import { readInside } from '../../files/files.ts'
import { parentOf } from '../../files/ignore.ts'
import { hasSafeFix } from './bundled-safe.ts'
import type { Linter, LintProblem } from './linter.ts'
import { editOf } from './report.ts'
import { PLAIN_RULES } from './rows.ts'

// Compiled in one pass: optimising it takes four times the time of a run and three times its memory.
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--liftoff-only'])
  setFlagsFromString(flag)
const { PositionEncoding, Workspace: Ruff } = await import('@astral-sh/ruff-wasm-nodejs')

const SYNTAX = 'invalid-syntax'
/**
 * Rules that look at what the WebAssembly build does not see: which modules are the project's own, and the name and place
 * of a file. A comment that turns one of them off would seem unused.
 */
const UNSEEN = [
  'I001',
  'TC001',
  'TC002',
  'A005',
  'D100',
  'D104',
  'EXE',
  'F822',
  'INP001',
  'N999',
  'PLW0406',
  'RUF100',
]
/** Rules that ask for the least Python of the project, which is often said elsewhere. */
const BY_TARGET = ['UP', 'FA', 'FURB', 'PYI', 'ASYNC109', 'B905', 'PERF203', 'RUF007']

const diagnostics = z.array(
  z.object({
    code: z.string().nullable(),
    message: z.string(),
    start_location: z.object({ row: z.number(), column: z.number() }),
    fix: z.object({ edits: z.array(z.unknown()) }).nullable(),
  }),
)

/**
 * Ruff itself, in its WebAssembly build, for projects that are linted with ruff and have it not installed, and for those
 * without a linter. It gets the project's own table as it is. Undefined where that is not all of the configuration.
 */
export async function bundledRuff(project: string, config: string | undefined): Promise<Linter | undefined> {
  const options = config === undefined ? {} : await tableIn(project, config)
  if ('extend' in options) return undefined
  const lint = tableAt(options, 'lint')
  const lists = (key: string) => [options[key], lint[key]].flat().filter((one) => typeof one === 'string')
  const namesRules = lists('select').length > 0
  const excluded = [...lists('exclude'), ...lists('extend-exclude')]
  const left = new Set([...UNSEEN, ...('target-version' in options ? [] : BY_TARGET)])
  // From Python 3.14 on an annotation may name what comes later.
  if ('per-file-target-version' in options) for (const rule of [...BY_TARGET, 'F821']) left.add(rule)
  for (const key of ['per-file-ignores', 'extend-per-file-ignores'])
    for (const [pattern, codes] of Object.entries({ ...tableAt(options, key), ...tableAt(lint, key) })) {
      // Where all is ignored nothing is looked at.
      if ([codes].flat().includes('ALL')) excluded.push(pattern)
      else for (const code of [codes].flat()) left.add(String(code))
    }
  const folder = parentOf(config ?? '') ?? ''
  const ruff = opened(namesRules ? options : { ...options, lint: { ...lint, select: PLAIN_RULES } }, config)
  const found = (path: string, text: string): LintProblem[] =>
    diagnostics
      .parse(ruff.check(text.replace(/^\uFEFF/, '')))
      .filter(({ code }) => !left.values().some((selector) => isSelected(code ?? SYNTAX, selector)))
      .map(({ code: named, message, start_location: { row: line, column }, fix }) => {
        const code = named ?? SYNTAX
        const isSafe =
          hasSafeFix(code, message, path, config !== undefined) && !(code === 'F401' && isTried(text, line))
        return { code, message, line, column, ...(fix ? { edits: fix.edits.map(editOf), isSafe } : {}) }
      })
  const rules = namesRules ? '' : `rules ${PLAIN_RULES.join(', ')}`
  const chosen = [...lists('select'), ...lists('extend-select')]
  const missed = [...left].filter((one) =>
    chosen.some((rule) => isSelected(one, rule) || isSelected(rule, one)),
  )
  const unseen = missed.length === 0 ? '' : `without ${missed.join(', ')}, which take an installed ruff`
  return {
    name: `bundled ruff ${Ruff.version()}`,
    config: [config ?? 'no configuration', rules, unseen].filter(Boolean).join(': '),
    covers: (path) => !isExcluded(path.slice(folder === '' ? 0 : folder.length + 1), excluded),
    async check(tree, paths) {
      const problems = new Map<string, LintProblem[]>()
      for (const path of paths) problems.set(path, found(path, await tree.read(path)))
      return problems
    },
  }
}

/** Whether a line stands in the body of a `try`: what is imported there is asked for whether it can be. */
function isTried(text: string, line: number): boolean {
  const lines = text.split('\n').slice(0, line)
  const indentOf = (one: string) => one.length - one.trimStart().length
  const own = indentOf(lines.pop() ?? '')
  return (
    lines
      .findLast((one) => one.trim() !== '' && indentOf(one) < own)
      ?.trim()
      .startsWith('try:') ?? false
  )
}

function opened(options: JsonObject, config = 'its options') {
  try {
    return new Ruff(options, PositionEncoding.Utf32)
  } catch (cause) {
    throw new TwotrackError('bad_config', `ruff can't use ${config}: ${messageOf(cause)}`, { cause })
  }
}

/** The options in a file; a hook only says that ruff is used. */
async function tableIn(project: string, file: string): Promise<JsonObject> {
  if (!file.endsWith('.toml')) return {}
  const table = await parseToml(file, (await readInside(project, file)).toString())
  return file.endsWith('pyproject.toml') ? tableAt(tableAt(table, 'tool'), 'ruff') : table
}

const tableAt = (holder: JsonObject, key: string): JsonObject => {
  const value = Object.hasOwn(holder, key) ? holder[key] : undefined
  return isObject(value) ? (value as JsonObject) : {}
}

/** Whether a code is meant by a selector: `ALL`, a family of rules such as `E` or `PL`, or the beginning of a code. */
function isSelected(code: string, selector: string): boolean {
  if (/\d/.test(selector)) return code.startsWith(selector)
  const family = code.replace(/\d.*$/, '')
  return selector === 'ALL' || family === selector || (selector === 'PL' && family.startsWith('PL'))
}

/** Whether a pattern means the path, a folder on the way to it, or a bare name. */
const isExcluded = (path: string, patterns: readonly string[]): boolean =>
  path.split('/').some((name, depth, parts) =>
    patterns.some((pattern) => {
      const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '')
      return matchesGlob(name, plain) || matchesGlob(parts.slice(0, depth + 1).join('/'), plain)
    }),
  )

/** Reads a TOML file; a date becomes its text. Throws `bad_config` with the line. */
async function parseToml(file: string, text: string): Promise<JsonObject> {
  const { parse, TomlError } = await import('smol-toml')
  try {
    return JSON.parse(JSON.stringify(parse(text, { maxDepth: 32 })))
  } catch (thrown) {
    const [what = ''] = messageOf(thrown).replace('Invalid TOML document: ', '').split('\n')
    const line = thrown instanceof TomlError ? thrown.line : undefined
    const place = line === undefined ? '' : `line ${line}: `
    throw new TwotrackError('bad_config', `${file} can't be used by ruff: ${place}${what}`, {
      cause: thrown,
      details: { line },
    })
  }
}
