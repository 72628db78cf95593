import { z } from 'zod'
import { tryParse } from '../../core/event/json.ts'
import type { FixOptions, Problem } from './linter.ts'

/** A problem with the file it is in, as the linter names it: absolute, or relative to where it ran. */
export interface Reported extends Problem {
  readonly path: string
  /** Where the linter tells offsets in UTF-8 bytes and no line. */
  readonly offset?: number
}

/** How a tool is recognised. */
export interface ToolKind {
  readonly name: string
  readonly language: 'python' | 'script'
  /** The package that a `node_modules` has it from. */
  readonly package?: string
  /** Names of files that say by being there that a folder and all below use it. */
  readonly files?: RegExp
  /** Files that say so by what is in them. */
  readonly inside?: Readonly<Record<string, RegExp>>
  /**
   * Flags of the project's own command that change what is found; those with a value are listed in `valued`. A tool that
   * has such is also known by a script of `package.json` that calls it.
   */
  readonly flags?: readonly string[]
  readonly valued?: readonly string[]
}

/** How a linter is called and read. One row for each. */
export interface LinterKind extends ToolKind {
  check(command: readonly string[]): readonly string[]
  /** Absent: it only reports. */
  fix?(command: readonly string[], options: FixOptions): readonly string[]
  /** It looks at everything that its configuration names, and takes no paths. */
  readonly whole?: boolean
  /** How often it has to run until its fixes leave nothing to fix; the others do that by themselves. */
  readonly passes?: number
  /** Rules that fix in the last pass alone: what others leave may need no fix of theirs any more. */
  readonly last?: readonly string[]
  /** Undefined when the output is no report. */
  read(stdout: string, exit_code: number): Reported[] | undefined
}

export const oxlint: LinterKind = {
  name: 'oxlint',
  language: 'script',
  package: 'oxlint',
  files: /^(?:\.oxlintrc\.jsonc?|oxlint\.config\.[cm]?[jt]s)$/,
  flags: ['--quiet', '--type-aware', '--import-plugin', '--react-plugin', '--vitest-plugin'],
  valued: ['-c', '--config', '-A', '-D', '-W', '--tsconfig'],
  check: (command) => [...command, '--format=json'],
  fix: (command, { only, without = [] }) => [
    ...[...command, '--format=json', '--fix'],
    ...(only === undefined ? [] : ['-A', 'all', '-D', oxlintRule(only.code)]),
    ...without.flatMap((code) => ['-A', oxlintRule(code)]),
  ],
  read: reader(
    z.object({
      diagnostics: z.array(
        z.object({
          ...{ message: z.string(), code: z.string().optional(), filename: z.string() },
          labels: z
            .array(z.object({ span: z.object({ line: z.number(), column: z.number() }).partial() }))
            .default([]),
        }),
      ),
    }),
    ({ diagnostics }) =>
      diagnostics.map(({ message, code = 'syntax', filename: path, labels }) => {
        const { line = 1, column = 1 } = labels[0]?.span ?? {}
        return { path, code, line, column, message }
      }),
  ),
}

/** The rows; of two that are found in the same folder both are used. */
export const KINDS: readonly LinterKind[] = [
  {
    name: 'ruff',
    language: 'python',
    files: /^\.?ruff\.toml$/,
    inside: { 'pyproject.toml': /^\[tool\.ruff\b/m, '.pre-commit-config.yaml': /ruff-pre-commit/ },
    passes: 2,
    last: ['I001'],
    check: (flags) => [
      ...['check', '--no-fix', '--output-format=json', '--no-cache', '--force-exclude', '--exit-zero'],
      ...flags,
    ],
    fix: (flags, { only, without = [] }) => [
      ...['check', '--fix-only', '--quiet', '--no-cache', '--force-exclude', '--exit-zero'],
      ...flags,
      ...(only === undefined ? [] : ['--fixable', only.code, '--unsafe-fixes']),
      ...(without.length === 0 ? [] : ['--unfixable', without.join(',')]),
    ],
    read: reader(
      z.array(
        z.object({
          code: z.string().nullable(),
          filename: z.string(),
          message: z.string(),
          location: z.object({ row: z.number(), column: z.number() }),
        }),
      ),
      (found) =>
        found.map(({ code, filename: path, message, location: { row: line, column } }) => ({
          ...{ path, code: code ?? 'invalid-syntax', message, line, column },
        })),
    ),
  },
  {
    name: 'flake8',
    language: 'python',
    files: /^\.flake8$/,
    inside: {
      'setup.cfg': /^\[flake8\]/m,
      'tox.ini': /^\[flake8\]/m,
      '.pre-commit-config.yaml': /\bid:\s*flake8\b/,
    },
    check: () => ['--format=%(path)s:%(row)d:%(col)d: %(code)s %(text)s'],
    read: lineReader(/^(?<path>.+?):(?<line>\d+):(?<column>\d+): (?<code>\S+) (?<message>.*)$/),
  },
  {
    name: 'pylint',
    language: 'python',
    files: /^\.?pylintrc(?:\.toml)?$/,
    inside: { 'pyproject.toml': /^\[tool\.pylint\b/m, 'setup.cfg': /^\[pylint\b/m },
    check: () => ['--output-format=json', '--score=n', '--exit-zero'],
    read: reader(
      z.array(
        z.object({
          ...{ path: z.string(), line: z.number(), column: z.number() },
          ...{ symbol: z.string(), message: z.string() },
        }),
      ),
      (found) => found.map(({ symbol: code, ...one }) => ({ ...one, code })),
    ),
  },
  {
    name: 'eslint',
    language: 'script',
    package: 'eslint',
    files: /^(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.(?:[cm]?js|json|ya?ml))?)$/,
    inside: { 'package.json': /"eslintConfig"\s*:/ },
    flags: ['--quiet', '--no-inline-config', '--report-unused-disable-directives', '--no-eslintrc'],
    valued: ['--config', '-c', '--rule', '--ignore-path', '--ignore-pattern', '--flag'],
    check: (command) => [...command, '--format=json'],
    fix: (command, { without = [] }) => [
      ...[...command, '--format=json', '--fix'],
      ...without.flatMap((code) => ['--rule', `${code}: off`]),
    ],
    read: eslintReport,
  },
  {
    name: 'xo',
    language: 'script',
    package: 'xo',
    files: /^(?:xo\.config\.[cm]?[jt]s|\.xo-config(?:\.(?:c?js|json))?)$/,
    inside: { 'package.json': /"xo"\s*:/ },
    flags: ['--semicolon=false', '--space', '--react', '--prettier', '--quiet'],
    valued: ['--config'],
    check: (command) => [...command, '--reporter=json'],
    fix: (command) => [...command, '--reporter=json', '--fix'],
    read: eslintReport,
  },
  {
    name: 'biome',
    language: 'script',
    package: '@biomejs/biome',
    files: /^\.?biome\.jsonc?$/,
    valued: ['--config-path'],
    passes: 2,
    check: (command) => [...biome(command), '--reporter=json'],
    fix: (command, { only, without = [] }) => [
      ...[...biome(only === undefined && without.length === 0 ? command : ['lint']), '--write'],
      ...(only === undefined ? [] : [`--only=${only.code.replace(/^lint\//, '')}`, '--unsafe']),
      ...without.map((code) => `--skip=${code.replace(/^lint\//, '')}`),
    ],
    read: reader(biomeReport(), ({ diagnostics }) =>
      diagnostics.map(({ category, description, message, location: { path, start, span } }) => ({
        path: typeof path === 'string' ? path : (path?.file ?? ''),
        code: category ?? 'syntax',
        line: Math.max(1, start?.line ?? 1),
        column: start?.column ?? 1,
        message: description ?? (typeof message === 'string' ? message : ''),
        ...(start || !span ? {} : { offset: span[0] }),
      })),
    ),
  },
  oxlint,
]

/** Type checkers: they are found, called and read as linters are, and fix nothing. */
export const TYPE_CHECKERS: readonly LinterKind[] = [
  {
    name: 'mypy',
    language: 'python',
    files: /^\.?mypy\.ini$/,
    inside: { 'pyproject.toml': /^\[tool\.mypy\b/m, 'setup.cfg': /^\[mypy\]/m },
    check: () => [
      ...['--no-error-summary', '--no-color-output', '--no-pretty', '--hide-error-context'],
      '--show-error-codes',
    ],
    read: lineReader(/^(?<path>.+?):(?<line>\d+): error: (?<message>.*?) +\[(?<code>[\w-]+)\]$/),
  },
  {
    name: 'pyright',
    language: 'python',
    files: /^pyrightconfig\.json$/,
    inside: { 'pyproject.toml': /^\[tool\.pyright\b/m },
    check: () => [],
    read: lineReader(
      /^ *(?<path>\S.*?):(?<line>\d+):(?<column>\d+) - error: (?<message>.*?) \((?<code>\w+)\)$/,
    ),
  },
  {
    name: 'tsc',
    language: 'script',
    package: 'typescript',
    files: /^tsconfig\.json$/,
    valued: ['-p', '--project'],
    whole: true,
    check: (command) => [...command, '--noEmit', '--pretty', 'false'],
    read: lineReader(/^(?<path>.+?)\((?<line>\d+),(?<column>\d+)\): error (?<code>TS\d+): (?<message>.*)$/),
  },
]

/** `check` does more than `lint`: it formats and sorts imports. Which one counts is the project's decision. */
const biome = ([mode = 'lint', ...rest]: readonly string[]): string[] => [
  ...[mode, '--max-diagnostics=none', '--no-errors-on-unmatched', '--colors=off'],
  ...rest,
]

/** `eslint(no-debugger)` is `no-debugger` on the command line, `unicorn(no-empty-file)` is `unicorn/no-empty-file`. */
export function oxlintRule(code: string): string {
  const [, plugin = '', rule = code] = /^(.+)\((.+)\)$/.exec(code) ?? []
  const name = plugin.replace('-eslint', '').replace('eslint-plugin-', '')
  return name === '' || name === 'eslint' ? rule : `${name}/${rule}`
}

function biomeReport() {
  const place = z.object({ line: z.number(), column: z.number() })
  return z.object({
    diagnostics: z.array(
      z.object({
        ...{ category: z.string().nullish(), description: z.string().optional() },
        message: z.unknown(),
        location: z.object({
          path: z.union([z.string(), z.object({ file: z.string() })]).nullish(),
          start: place.optional(),
          span: z.tuple([z.number(), z.number()]).nullish(),
        }),
      }),
    ),
  })
}

/** Of eslint and of what is built on it. */
function eslintReport(stdout: string): Reported[] | undefined {
  const message = z.object({
    ...{ ruleId: z.string().nullable(), message: z.string() },
    ...{ line: z.number().default(1), column: z.number().default(1) },
  })
  const schema = z.array(z.object({ filePath: z.string(), messages: z.array(message) }))
  return reader(schema, (files) =>
    files.flatMap(({ filePath: path, messages }) =>
      messages
        // A file that the configuration leaves out is told as a message without a rule.
        .filter(
          ({ ruleId, message }) => ruleId !== null || !/^File ignored\b|no matching config/.test(message),
        )
        .map(({ ruleId, ...rest }) => ({ path, code: ruleId ?? 'syntax', ...rest })),
    ),
  )(stdout)
}

/** Reads the JSON in an output; other tools write around it. */
function reader<Shape>(schema: z.ZodType<Shape>, of: (report: Shape) => Reported[]) {
  return (stdout: string): Reported[] | undefined => {
    const start = stdout.search(/[[{]/)
    const end = Math.max(stdout.lastIndexOf('}'), stdout.lastIndexOf(']'))
    const parsed = start === -1 ? undefined : schema.safeParse(tryParse(stdout.slice(start, end + 1)))
    return parsed?.success ? of(parsed.data) : undefined
  }
}

/** Reads a report in lines by a pattern that names the parts of one. */
function lineReader(pattern: RegExp) {
  return (stdout: string, exit_code: number): Reported[] | undefined => {
    const found = stdout.split('\n').flatMap((text) => {
      const { path, line, column = 1, code, message } = pattern.exec(text)?.groups ?? {}
      if (path === undefined || code === undefined || message === undefined) return []
      return { path, line: Number(line), column: Number(column), code, message }
    })
    // What ends with an error and names none could not look.
    return found.length === 0 && exit_code !== 0 ? undefined : found
  }
}
