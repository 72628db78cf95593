import { extensionOf } from '../place.ts'
import type { Finding, Report } from './report.ts'
import type { Row } from './row.ts'

type Named = readonly [string, Report['kind']]

export const PATH = String.raw`(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}`
const PYTHON = String.raw`-|<[^:]{1,80}|[^\s:][^:]{0,400}\.(?:pyi?|ipynb|toml)`
const LINE = String.raw`:(?<line>\d{1,9})`
export const COLUMN = String.raw`:(?<column>\d{1,9})(?:-\d{1,9})?`

/** A line that begins with `path:line:column:`, or the same without a column, and what follows. */
export const at = (rest: string, path = PATH, column = `(?:${COLUMN})?`, indent = ''): RegExp =>
  new RegExp(`^${indent}(?<path>${path})${LINE}${column}(?=[: ]|$):?${rest}`)
const IN_BRACKETS = String.raw`^\s{0,8}(?<path>[^\s(][^(]{0,400})\((?<line>\d{1,7}),(?<column>\d{1,6})\): `
const ARROW = /^ {0,12}--> (?<path>.{1,400}?):(?<line>\d{1,7}):(?<column>\d{1,6})$/
const RULE = String.raw`(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax|SyntaxError)`

const RUFF =
  /^(?:\[\*\] \d+ fixable with|No fixes available)|^Found \d+ errors? \(\d+ fixed, \d+ remaining\)|^All checks passed!$| [A-Z]{1,4}\d{2,4} \[\*\] |: invalid-syntax: /m
const CODED = [` ${RULE}:? (?:\\[[*-]\\] )?(?<message>\\S.{0,500})$`, ` \\[${RULE}\\] (?<message>.{1,500})$`]
/** How PHPStan words what it finds; its raw format is otherwise that of `grep -n`. */
const PHPSTAN = String.raw`(?:Access to|Call to|Cannot |Class \S|Constructor of|Function \S|Instantiated|Method \S|Offset |Parameter #|Property \S|Possibly|Return type|Result of|Static |Strict |Undefined variable|Unreachable|Unsafe|Variable \$|PHPDoc tag|Binary operation|Syntax error)`

/** Linters, type checkers, compilers and formatters, in the order in which they are asked. A new one is one more row. */
export const diagnostics: readonly Row[] = [
  {
    tool: 'annotations',
    kind: 'lint',
    finding: [
      /^::(?<severity>error|warning|notice) (?:(?=(?:[^:]{0,300},)?title=(?:\w{1,20} \()?(?<code>[^,:)]{1,80}))|)(?=(?:[^:]{0,300},)?file=(?<path>[^,:]{1,400}))(?:(?=(?:[^:]{0,300},)?line=(?<line>\d{1,7}))|)(?:(?=(?:[^:]{0,300},)?col=(?<column>\d{1,6}))|)[^:]{0,900}::(?<message>.{0,800})$/,
    ],
    named: (text) => [text.includes('title=ruff (') ? 'ruff' : 'annotations', 'lint'],
  },
  {
    tool: 'biome',
    kind: 'lint',
    names: 'biome, biome check, biome lint, biome ci, biome format',
    finding: [
      /^(?: at )?(?<path>\S.{0,300}?)(?::(?<line>\d{1,7}):(?<column>\d{1,6}))? (?<code>(?:lint|assist|syntax|suppressions|internalError)\/[\w/]{1,100}|format|parse|organizeImports) {0,2}(?: FIXABLE )? {0,3}━━/,
    ],
    below: [/^ {2}(?<severity>[×✖✘!⚠iℹ]) (?<message>.{1,500})$/u],
    totals: /^Found \d{1,7} (?:errors?|warnings?|infos?)\.$/,
    clean: /^(?:Checked|Formatted|Linted) \d{1,7} files? in [\d.]{1,12}\s?(?:µs|ms|s|m)\b/m,
  },
  {
    tool: 'eslint',
    kind: 'lint',
    names: 'eslint, stylelint, remark, remark lint, next lint, xo, ng lint, textlint, alex, vale',
    head: /^(?<path>\S.{0,400}?) *$/,
    finding: [
      /^ {1,8}(?<line>\d{1,7}):(?<column>\d{1,6})(?:-\d{1,7}:\d{1,6})? {1,12}(?<severity>error|warning|info|✖|⚠|×|✘|ℹ) {1,6}(?<message>\S.{0,600})$/u,
      /^ {1,8}(?<line>\d{1,7}) {1,12}(?<severity>error|warning|✖|⚠) {2,6}(?<message>\S.{0,600})$/u,
      /^(?<path>\S.{0,400}?): line (?<line>\d{1,7}), col (?<column>\d{1,6}), (?<severity>Error|Warning) - (?<message>.{1,600})$/,
    ],
    totals: /^ {0,2}[✖×✘] \d{1,7} problems? \(|^⚠ \d{1,7} warnings?$|^✖ \d{1,7} errors?$/u,
    named: (text, [first]) => {
      const ending = extensionOf(first?.path ?? '')
      if (text.includes('remark-lint') || /^(?:md|mdx|markdown)$/.test(ending)) return ['remark', 'lint']
      if (/^ya?ml$/.test(ending)) return ['yamllint', 'lint']
      return [/^(?:css|scss|sass|less|pcss)$/.test(ending) ? 'stylelint' : 'eslint', 'lint']
    },
  },
  {
    tool: 'standard',
    kind: 'lint',
    names: 'standard, semistandard, ts standard, standardjs',
    sign: /^(?:semi|ts-)?standard: \S/m,
    finding: [at(' (?<message>\\S.{1,500})$', PATH, COLUMN, '\\s{1,8}')],
  },
  {
    tool: 'tslint',
    kind: 'lint',
    names: 'tslint',
    finding: [
      /^(?:(?<severity>ERROR|WARNING): (?:\((?<code>[\w-]{1,60})\) )?)?(?<path>[^\s[][^[]{0,300})\[(?<line>\d{1,7}), (?<column>\d{1,6})\]: (?<message>.{1,500})$/,
    ],
  },
  {
    tool: 'bandit',
    kind: 'lint',
    names: 'bandit',
    finding: [
      at(String.raw` (?<code>B\d{3})\[bandit\]: (?<severity>LOW|MEDIUM|HIGH): (?<message>.{1,500})$`),
      at(String.raw` \[(?<code>B\d{3})\] (?<message>.{1,500})$`),
      /^>> Issue: \[(?<code>B\d{3}):[\w-]{1,60}\] (?<message>.{1,400})$/,
    ],
    below: [/Location: (?<path>\S{1,400}?):(?<line>\d{1,7})(?::\d+)?$/],
  },
  {
    tool: 'ruff',
    kind: 'lint',
    names: 'ruff, ruff check',
    sign: RUFF,
    severity: 'error',
    head: /^(?<path>\S.{0,300}\.(?:pyi?|ipynb)):$/,
    finding: [
      ...CODED.map((rest) => at(rest, PYTHON)),
      /^ {2,8}(?<line>\d{1,7}):(?<column>\d{1,5}) {1,4}(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax):? (?:\[[*-]\] )?(?<message>.{1,400})$/,
    ],
    totals: /^Found \d{1,9} errors?(?:\.| \()/,
    clean: /^All checks passed!$/m,
  },
  {
    tool: 'ruff',
    kind: 'lint',
    severity: 'error',
    finding: [
      /^(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax|syntax-error|unformatted):? (?:\[[*-]\] )?(?<message>\S.{0,300})/,
    ],
    below: [ARROW],
    totals: /^Found \d{1,9} errors?(?:\.| \()/,
  },
  {
    tool: 'flake8',
    kind: 'lint',
    names: 'flake8, pycodestyle, pep8, pyflakes, autoflake, pylint',
    finding: CODED.map((rest) => at(rest, PYTHON, COLUMN)),
  },
  {
    tool: 'pydocstyle',
    kind: 'lint',
    names: 'pydocstyle, pep257',
    head: /^(?<path>[^\s:][^:]{0,300}):(?<line>\d{1,7}) (?:at module level|in (?:public|private) .{1,200}):$/,
    finding: [/^ {4,12}(?<code>D\d{3}): (?<message>.{1,400})$/],
  },
  {
    tool: 'phpstan',
    kind: 'types',
    names: 'phpstan, phpstan analyse, larastan',
    sign: new RegExp(String.raw`^ \[(?:ERROR\] Found \d|OK\] No errors)|\.php:\d{1,7}:${PHPSTAN}`, 'm'),
    severity: 'error',
    head: /^ {2}Line {3}(?<path>\S.{0,300}?) *$/,
    finding: [
      /^(?<path>\S.{0,300}\.php):(?<line>\d{1,7}):(?<message>[A-Z].{1,500})$/,
      /^ {2}:?(?<line>\d{1,7}) {2,8}(?<message>\S.{0,400})$/,
    ],
    totals: /^ \[ERROR\] Found \d{1,6} errors? *$/,
    clean: /^ \[OK\] No errors *$/m,
  },
  {
    tool: 'black',
    kind: 'format',
    names: 'black, ruff format, isort',
    severity: 'error',
    finding: [
      /^(?<message>[wW]ould reformat):? (?<path>\S.{0,400})$/,
      /^error: cannot format (?<path>\S.{0,400}?): (?<message>.{1,300})$/,
      /^error:(?<path>\S.{0,400}?):(?<line>\d{1,7}):(?<column>\d{1,6}):(?<message>.{1,300})$/,
      /^ERROR: (?<path>\S.{0,400}) (?<message>Imports are incorrectly sorted.{0,40})$/,
    ],
    clean: /^\d{1,7} files? (?:already formatted|left unchanged|reformatted)\b|^All done! ✨/mu,
    named: (_, [first]) => [first?.message?.startsWith('Imports') ? 'isort' : 'black', 'format'],
  },
  {
    tool: 'tsc',
    kind: 'types',
    names: 'tsc, vue tsc, tsgo, ng build, astro check, svelte check',
    finding: [
      new RegExp(
        `${IN_BRACKETS}(?<severity>error|warning|message) (?<code>TS\\d{1,6}): (?<message>.{0,500})`,
      ),
      /^(?<path>\S.{0,400}?):(?<line>\d{1,7}):(?<column>\d{1,6}) - (?<severity>error|warning|message) (?<code>TS\d{1,6}): (?<message>.{0,500})/,
      /^(?<severity>error|warning|message) (?<code>TS\d{1,6}): (?<message>.{0,500})/,
    ],
    totals: /^Found \d{1,6} errors?\b(?! in \d+ files? \(checked)/,
  },
  {
    tool: 'dotnet',
    kind: 'compile',
    names: 'dotnet build, dotnet, msbuild, dotnet publish, dotnet run, cl',
    once: true,
    finding: [
      new RegExp(
        `${IN_BRACKETS}(?<severity>error|warning) (?<code>(?!TS)[A-Z]{1,8}\\d{1,6}) ?: (?<message>.{1,600}?)(?: \\[[^\\]]{1,300}\\])?$`,
      ),
      /^ {0,8}(?:MSBUILD|CSC) ?: (?<severity>error|warning) (?<code>[A-Z]{2,8}\d{1,6}) ?: (?<message>.{1,600})$/,
    ],
    totals: /^ {4}\d{1,6} (?:Warning|Error)\(s\)$/,
    clean: /^Build succeeded(?: in |\.)/m,
  },
  {
    tool: 'rustc',
    kind: 'compile',
    names: 'cargo build, cargo check, cargo clippy, cargo run, cargo, rustc, typos, ty, ty check',
    finding: [/^(?<severity>error|warning)(?:\[(?<code>[\w:-]{1,60})\])?: (?<message>.{1,300})/],
    below: [ARROW],
    clean: /^ {4}Finished `?\w+`? .{0,80}target\(s\) in |^error: could not compile /m,
    named: (text) => {
      if (/`[^`\n]{1,80}` should be `/.test(text)) return ['typos', 'lint']
      return [text.includes('clippy::') ? 'clippy' : 'rustc', 'compile']
    },
  },
  {
    tool: 'go build',
    kind: 'compile',
    names:
      'go build, go vet, go install, go run, golangci lint, staticcheck, golint, gosec, govet, revive, go generate',
    sign: /^(?:vet(?:\.exe)?: )?[^\s:]{1,300}\.go:\d{1,7}:\d{1,7}: [^\s*/}{()]|^\[[^\]\n]{1,400}\.go:\d{1,7}\] - G\d|Severity:\w{1,10}, Confidence:|^# \S{3,300}(?: \[|$)|^\d{1,6} issues?[.:]/m,
    // Not indented, one space and prose: `go test` logs and `grep -n` differ in one of them.
    finding: [
      at(
        String.raw` (?<message>.{1,500}) \(Rule:(?<code>\w{1,20}), Severity:(?<severity>\w{1,10}), Confidence:\w{1,10}\)$`,
      ),
      at(
        String.raw` (?<message>(?![\s*/}{()]|\+0x)(?!.{0,600}(?:[{;]$|:= ))\S{1,200} .{1,600})$`,
        String.raw`[^\s:][^:]{0,300}\.go`,
      ),
      /^vet(?:\.exe)?: (?<path>\S.{0,300}?\.go):(?<line>\d{1,7})(?::(?<column>\d{1,6}))?: (?<message>.{1,500})$/,
      /^\[(?<path>[^\]]{1,400}\.go):(?<line>\d{1,7})\] - (?<code>G\d{3}) (?:\([\w-]{1,20}\))?: (?<message>.{1,500})$/,
    ],
    totals: /^\d{1,6} issues?[.:]$/,
    clean: /^0 issues\.$/m,
    named: goTool,
  },
  {
    tool: 'compiler',
    kind: 'compile',
    names:
      'mypy, dmypy, pyright, basedpyright, gcc, g++, clang, clang++, cc, c++, scalac, sbt compile, javac, kotlinc, swiftc, swift build, ghc, stack build, cabal build, clang tidy, hlint',
    // Without a space or a column it is a search through a log.
    finding: [[' ', undefined] as const, ['(?: ?)', COLUMN] as const].map(([gap, column]) =>
      at(
        String.raw`${gap}(?:- )?(?<severity>[Ff]atal error|[Ee]rror|ERROR|[Ww]arning|WARNING|[Nn]ote|[Ii]nfo(?:rmation)?|[Rr]emark|[Hh]int|[Ss]tyle|Suggestion)(?:\[(?<code>[\w:-]{1,60})\])?(?:: | - )(?<message>.{1,1000})$`,
        PATH,
        column,
        '\\s{0,8}',
      ),
    ),
    totals: /^Found \d{1,6} errors? in \d{1,6} files? \(|^\d{1,7} errors?, \d{1,7} warnings?, \d{1,7} \w/,
    clean: /^Success: no issues found in \d/m,
    named: compiler,
  },
]

/** Which compiler wrote it, by the extension in `path:line: error: message`. */
const BY_EXTENSION: readonly (readonly [RegExp, Named])[] = [
  [/^(?:pyi?|ipynb)$/, ['mypy', 'types']],
  [/^(?:[chms]|cc|cpp|cxx|hpp|hh|mm|cu|ino|inc)$/, ['gcc', 'compile']],
  [/^l?hsc?$/, ['hlint', 'lint']],
  [/^scala$/, ['scalac', 'compile']],
  [/^rs$/, ['rustc', 'compile']],
]

function compiler(text: string, [first]: readonly Finding[]): Named {
  if (/^Found \d+ errors? in \d+ files? \(|^Success: no issues/m.test(text)) return ['mypy', 'types']
  if (/ - error: .{1,300}\(report[A-Z]\w+\)$|^\d+ errors?, \d+ warnings?, /m.test(text))
    return ['pyright', 'types']
  const extension = extensionOf(first?.path ?? '')
  return BY_EXTENSION.find(([pattern]) => pattern.test(extension))?.[1] ?? ['compiler', 'compile']
}

/** What go vet's analyzers say; under `go test` and old versions nothing else names it. */
const VET =
  /possible misuse of|self-assignment of|unreachable code|printf? (?:format|call)|passes lock by value|uses unkeyed fields|call not used|struct field tag|the cancel function|loop variable|\+build comment|assignment to atomic value/i

function goTool(text: string, findings: readonly Finding[]): Named {
  const codes = findings.map(({ code = '' }) => code)
  const some = (pattern: RegExp) => codes.some((code) => pattern.test(code))
  if (some(/^G\d{3}$/)) return ['gosec', 'lint']
  if (some(/^(?:SA|S|ST|QF|U)\d{4}$/)) return ['staticcheck', 'lint']
  if (/^\d{1,6} issues?[.:]/m.test(text) || some(/^[a-z]{3,30}$/)) return ['golangci-lint', 'lint']
  if (/should have comment|should be of the form|don't use underscores/.test(text)) return ['golint', 'lint']
  const isVet = /^vet(?:\.exe)?: |^# \[/m.test(text) || VET.test(findings[0]?.message ?? '')
  return isVet ? ['go vet', 'lint'] : ['go build', 'compile']
}
