import type { CheckRow } from '../../config/checks.ts'

/** A tool of a project as data. `{flags}` and `{subcommand}` are what the project's own script gives it. */
export interface ToolRow extends Pick<CheckRow, 'name' | 'files' | 'fix'> {
  /** The package that a `node_modules` has it from; a tool of a Python environment or the PATH has none. */
  readonly package?: string
  /** Files that say by being there that a folder and all below use it. */
  readonly markers?: readonly string[]
  /** Words that say so in a file that tells how a project is checked. */
  readonly mentioned?: readonly string[]
  /** Flags of a script's command that change what is found; those of `valued` have a value. */
  readonly flags?: readonly string[]
  readonly valued?: readonly string[]
  /** The usual one last. */
  readonly subcommands?: readonly string[]
  /** Its configuration can name code of the project that it then loads: also where it is installed elsewhere. */
  readonly loadsCode?: boolean
}

export interface LinterRow extends ToolRow, Pick<CheckRow, 'check' | 'report'> {
  /** Fixes one `{rule}` alone. */
  readonly fixRule?: string
  /** How a command line names the rule of a code. */
  readonly ruleOf?: (code: string) => string
  /** A rule that is fixed once nothing else is: what others leave may need no fix of it any more. */
  readonly last?: string
  /** What is added where a hook pins another version than the one that runs, and the configuration does not hold `unless`. */
  readonly unpinned?: { readonly hook: string; readonly unless: string; readonly add: string }
}

const PYTHON = '*.{py,pyi}'
const SCRIPT = '*.{js,jsx,mjs,cjs,ts,tsx,mts,cts}'

/** Rules that every version of ruff has by default: errors of names, syntax and statements. */
export const PLAIN_RULES = ['E4', 'E7', 'E9', 'F']

/** `eslint(no-debugger)` is `no-debugger` on the command line, `unicorn(no-empty-file)` is `unicorn/no-empty-file`. */
const oxlintRule = (code: string): string =>
  code.replace(/^(?:eslint-plugin-)?(.+?)(?:-eslint)?\((.+)\)$/, '$1/$2').replace(/^eslint\//, '')

export const oxlint: LinterRow = {
  name: 'oxlint',
  files: SCRIPT,
  package: 'oxlint',
  markers: ['.oxlintrc.json', '.oxlintrc.jsonc', 'oxlint.config.*'],
  flags: [
    '--quiet',
    '--deny-warnings',
    '--type-aware',
    '--import-plugin',
    '--react-plugin',
    '--vitest-plugin',
  ],
  valued: ['-c', '--config', '-A', '-D', '-W', '--tsconfig', '--max-warnings'],
  check: 'oxlint {flags} --format=json {files}',
  fix: 'oxlint {flags} --format=json --fix {files}',
  fixRule: 'oxlint {flags} --format=json --fix -A all -D {rule} {files}',
  ruleOf: oxlintRule,
  report: 'json',
}

export const ruff: LinterRow = {
  name: 'ruff',
  files: PYTHON,
  markers: ['ruff.toml', '.ruff.toml'],
  mentioned: ['[tool.ruff', 'ruff-pre-commit'],
  check: 'ruff check --no-fix --output-format=json --no-cache --force-exclude --exit-zero {flags} {files}',
  report: 'json',
  last: 'I001',
  unpinned: { hook: 'ruff-pre-commit', unless: 'select', add: `--select=${PLAIN_RULES.join(',')}` },
}

/** One row for each linter; of two that are found in the same folder both are used. */
export const LINTERS: readonly LinterRow[] = [
  ruff,
  {
    name: 'flake8',
    files: PYTHON,
    markers: ['.flake8'],
    mentioned: ['[flake8]', 'id: flake8'],
    loadsCode: true,
    check: "flake8 '--format=%(path)s:%(row)d:%(col)d: %(code)s %(text)s' {files}",
    report: 'lines',
  },
  {
    name: 'pylint',
    files: PYTHON,
    markers: ['.pylintrc', 'pylintrc', '.pylintrc.toml', 'pylintrc.toml'],
    mentioned: ['[tool.pylint', '[pylint'],
    loadsCode: true,
    check: 'pylint --output-format=json --score=n --exit-zero {files}',
    report: 'json',
  },
  {
    name: 'eslint',
    files: SCRIPT,
    package: 'eslint',
    markers: ['eslint.config.*', '.eslintrc', '.eslintrc.*'],
    mentioned: ['"eslintConfig"'],
    flags: ['--quiet', '--no-inline-config', '--report-unused-disable-directives', '--no-eslintrc'],
    valued: ['--config', '-c', '--rule', '--ignore-path', '--ignore-pattern', '--flag', '--max-warnings'],
    check: 'eslint {flags} --format=json {files}',
    report: 'json',
  },
  {
    name: 'xo',
    files: SCRIPT,
    package: 'xo',
    markers: ['xo.config.*', '.xo-config', '.xo-config.*'],
    mentioned: ['"xo":'],
    flags: ['--semicolon=false', '--space', '--react', '--prettier', '--quiet'],
    valued: ['--config'],
    check: 'xo {flags} --reporter=json {files}',
    report: 'json',
  },
  {
    name: 'biome',
    files: SCRIPT,
    package: '@biomejs/biome',
    markers: ['biome.json', 'biome.jsonc', '.biome.json', '.biome.jsonc'],
    subcommands: ['check', 'ci', 'lint'],
    flags: ['--error-on-warnings'],
    valued: ['--config-path'],
    check:
      'biome {subcommand} --reporter=github --max-diagnostics=none --no-errors-on-unmatched --colors=off {flags} {files}',
    fix: 'biome {subcommand} --write --max-diagnostics=none --no-errors-on-unmatched --colors=off {flags} {files}',
    fixRule:
      'biome lint --write --only={rule} --max-diagnostics=none --no-errors-on-unmatched --colors=off {flags} {files}',
    ruleOf: (code) => code.replace(/^lint\//, ''),
    report:
      '^::(?<severity>\\w+) title=(?<code>[^,]*),file=(?<path>[^,]+),line=(?<line>\\d+),.*?col=(?<column>\\d+).*?::(?<message>.*)$',
  },
  oxlint,
  {
    name: 'standard',
    files: '*.{js,jsx,mjs,cjs}',
    package: 'standard',
    valued: ['--env', '--global', '--plugin', '--parser', '--ignore', '--ext'],
    check: 'standard --verbose {flags} {files}',
    fix: 'standard {flags} --fix {files}',
    report:
      '^\\s*(?<path>.+?):(?<line>\\d+):(?<column>\\d+): (?<message>.*?) \\((?<code>[\\w@/-]+)\\)(?: \\((?<severity>warning)\\))?$',
  },
]

/** Formatters write the files they are given, unless their configuration leaves them out. */
export const FORMATTERS: readonly (ToolRow & { readonly fix: string })[] = [
  {
    name: 'ruff',
    files: PYTHON,
    mentioned: ['ruff format', 'ruff-format', '[tool.ruff.format]'],
    fix: 'ruff format --quiet --no-cache --force-exclude {files}',
  },
  {
    name: 'black',
    files: PYTHON,
    mentioned: ['[tool.black]', 'id: black\n', 'black --check', 'black --diff', 'black .', 'black src'],
    fix: 'black --quiet {files}',
  },
  {
    name: 'prettier',
    files: SCRIPT,
    package: 'prettier',
    markers: ['.prettierrc', '.prettierrc.*', 'prettier.config.*'],
    mentioned: [
      ...['"prettier": {', '"prettier": "@', '"prettier": "."', 'prettier -c', 'prettier -l', 'prettier -w'],
      ...['prettier --check', 'prettier --write', 'prettier .'],
    ],
    fix: 'prettier --write --log-level=warn --ignore-unknown {files}',
  },
  {
    name: 'biome',
    files: SCRIPT,
    package: '@biomejs/biome',
    mentioned: ['biome format', 'biome check', 'biome ci'],
    fix: 'biome format --write --no-errors-on-unmatched --colors=off {files}',
  },
  {
    name: 'oxfmt',
    files: SCRIPT,
    package: 'oxfmt',
    markers: ['.oxfmtrc.json', '.oxfmtrc.jsonc'],
    mentioned: ['oxfmt'],
    fix: 'oxfmt --no-error-on-unmatched-pattern {files}',
  },
]
