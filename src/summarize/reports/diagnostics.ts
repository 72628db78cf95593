import type { ReportRow } from './row.ts'

export const PATH = String.raw`(?:[A-Za-z]:[\\/])?[^\s:][^:]{0,400}`
const PYTHON = String.raw`-|<[^:]{1,80}|[^\s:][^:]{0,400}\.(?:pyi?|ipynb|toml)`
const LINE = String.raw`:(?<line>\d{1,9})`
export const COLUMN = String.raw`:(?<column>\d{1,9})(?:-\d{1,9})?`

/** A line that begins with `path:line:column:`, or the same without a column, and what follows. */
export const atPlace = (rest: string, path = PATH, column = `(?:${COLUMN})?`, indent = ''): RegExp =>
  new RegExp(`^${indent}(?<path>${path})${LINE}${column}(?=[: ]|$):?${rest}`)

const RULE = String.raw`(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax|SyntaxError)`
/** `path:line:column: error[code]: message`. */
const SEVERE = atPlace(
  String.raw` (?:- )?(?<severity>[Ff]atal error|[Ee]rror|ERROR|[Ww]arning|WARNING|[Nn]ote|[Ii]nfo(?:rmation)?|[Rr]emark|[Hh]int|[Ss]tyle|Suggestion)(?:\[(?<code>[\w:-]{1,60})\]| (?<code>TS\d{1,6}))?(?:: | - )(?<message>.{1,1000})$`,
  PATH,
  undefined,
  '\\s{0,8}',
)
const FOUND = /^Found \d{1,9} (?:errors?|warnings?|infos?)(?:\.| \(| in \d)/
/** How PHPStan words what it finds; its raw format is otherwise that of `grep -n`. */
const PHPSTAN = String.raw`(?:Access to|Call to|Cannot |Class \S|Constructor of|Function \S|Instantiated|Method \S|Offset |Parameter #|Property \S|Possibly|Return type|Result of|Static |Strict |Undefined variable|Unreachable|Unsafe|Variable \$|PHPDoc tag|Binary operation|Syntax error)`

/** What linters, type checkers, compilers and formatters print: one row for all forms that cannot be taken for another. */
export const diagnostics: readonly ReportRow[] = [
  {
    tool: 'linter',
    kind: 'lint',
    // biome, rustc, ruff: the place of the latter two stands below.
    finding: [
      /^(?: at )?(?<path>\S.{0,300}?)(?::(?<line>\d{1,7}):(?<column>\d{1,6}))? (?<code>(?:lint|assist|syntax|suppressions|internalError)\/[\w/]{1,100}|format|parse|organizeImports) {0,2}(?: FIXABLE )? {0,3}━━/,
      /^(?<severity>error|warning)(?:\[(?<code>[\w:-]{1,60})\])?: (?<message>.{1,300})/,
      /^(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax|syntax-error|unformatted):? (?:\[[*-]\] )?(?<message>\S.{0,300})/,
    ],
    below: [
      /^ {0,12}--> (?<path>.{1,400}?):(?<line>\d{1,7}):(?<column>\d{1,6})$/,
      /^ {2}(?<severity>[×✖✘!⚠iℹ]) (?<message>.{1,500})$/u,
    ],
    totals: FOUND,
  },
  {
    tool: 'linter',
    kind: 'lint',
    // The file above its findings; pydocstyle names the line there too.
    head: /^(?<path>\S.{0,400}?)(?::(?<line>\d{1,7}) (?:at module level|in (?:public|private) .{1,200}))?:? *$/,
    finding: [
      // Annotations of GitHub, whose fields stand in any order.
      /^::(?<severity>error|warning|notice) (?:(?=(?:[^:]{0,300},)?title=(?:\w{1,20} \()?(?<code>[^,:)]{1,80}))|)(?=(?:[^:]{0,300},)?file=(?<path>[^,:]{1,400}))(?:(?=(?:[^:]{0,300},)?line=(?<line>\d{1,7}))|)(?:(?=(?:[^:]{0,300},)?col=(?<column>\d{1,6}))|)[^:]{0,900}::(?<message>.{0,800})$/,
      // tsc, MSBuild.
      /^\s{0,8}(?<path>[^\s(][^(]{0,400})\((?<line>\d{1,7}),(?<column>\d{1,6})\): (?<severity>error|warning|message) (?<code>[A-Z]{1,8}\d{1,6}) ?: (?<message>.{0,600}?)(?: \[[^\]]{1,300}\])?$/,
      // tslint.
      /^(?:(?<severity>ERROR|WARNING): (?:\((?<code>[\w-]{1,60})\) )?)?(?<path>[^\s[][^[]{0,300})\[(?<line>\d{1,7}), (?<column>\d{1,6})\]: (?<message>.{1,500})$/,
      SEVERE,
      // ruff, flake8, bandit.
      atPlace(
        ` (?:${RULE}(?:\\[\\w{1,20}\\])?:? (?:(?<severity>LOW|MEDIUM|HIGH): )?(?:\\[[*-]\\] )?|\\[${RULE}\\] )(?<message>\\S.{0,500})$`,
        PYTHON,
      ),
      // eslint and its kin, below the file; ruff grouped; pydocstyle.
      /^ {1,8}(?<line>\d{1,7})(?::(?<column>\d{1,6})(?:-\d{1,7}:\d{1,6})?)? {1,12}(?<severity>error|warning|info|✖|⚠|×|✘|ℹ) {1,6}(?<message>\S.{0,600})$/u,
      /^ {2,8}(?<line>\d{1,7}):(?<column>\d{1,5}) {1,4}(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax):? (?:\[[*-]\] )?(?<message>.{1,400})$/,
      /^ {4,12}(?<code>D\d{3}): (?<message>.{1,400})$/,
      /^(?<path>\S.{0,400}?): line (?<line>\d{1,7}), col (?<column>\d{1,6}), (?<severity>Error|Warning) - (?<message>.{1,600})$/,
      // standard.
      atPlace(' (?<message>\\S.{1,500})$', PATH, COLUMN, '\\s{2,8}'),
      // Formatters.
      /^(?<message>[wW]ould reformat):? (?<path>\S.{0,400})$/,
      /^error: cannot format (?<path>\S.{0,400}?): (?<message>.{1,300})$/,
      /^error:(?<path>\S.{0,400}?):(?<line>\d{1,7}):(?<column>\d{1,6}):(?<message>.{1,300})$/,
      /^ERROR: (?<path>\S.{0,400}) (?<message>Imports are incorrectly sorted.{0,40})$/,
    ],
    totals:
      /^Found \d{1,9} (?:errors?|warnings?|infos?)(?:\.| \(| in \d)|^ {0,2}[✖×✘⚠] \d{1,7} (?:problems? \(|warnings?$|errors?$)|^\d{1,7} errors?, \d{1,7} warnings?, \d{1,7} \w|^ {4}\d{1,6} (?:Warning|Error)\(s\)$/u,
    clean:
      /^(?:All checks passed!|Success: no issues found in \d.{0,80}|0 issues\.|\d{1,7} files? (?:already formatted|left unchanged|reformatted)\b.{0,80}| {4}Finished `?\w+`? .{0,80}target\(s\) in .{1,20})$|^(?:Checked|Formatted|Linted) \d{1,7} files? in [\d.]{1,12}\s?(?:µs|ms|s|m)\b|^All done! ✨|^Build succeeded(?: in |\.)/mu,
  },
  {
    tool: 'phpstan',
    kind: 'lint',
    sign: new RegExp(String.raw`^ \[(?:ERROR\] Found \d|OK\] No errors)|\.php:\d{1,7}:${PHPSTAN}`, 'm'),
    severity: 'error',
    head: /^ {2}Line {3}(?<path>\S.{0,300}?) *$/,
    finding: [
      /^(?<path>\S.{0,300}\.php):(?<line>\d{1,7}):(?<message>[A-Z].{1,500})$/,
      /^ {2}:?(?<line>\d{1,7}) {2,8}(?<message>\S.{0,400})$/,
    ],
    clean: /^ \[OK\] No errors *$/m,
  },
  {
    tool: 'go',
    kind: 'lint',
    severity: 'error',
    sign: /^(?:vet(?:\.exe)?: )?[^\s:]{1,300}\.go:\d{1,7}:\d{1,7}: [^\s*/}{()]|^\[[^\]\n]{1,400}\.go:\d{1,7}\] - G\d|Severity:\w{1,10}, Confidence:|^# \S{3,300}(?: \[|$)|^\d{1,6} issues?[.:]/m,
    // Not indented, one space and prose: `go test` logs and `grep -n` differ in one of them.
    finding: [
      atPlace(
        String.raw` (?<message>.{1,500}) \(Rule:(?<code>\w{1,20}), Severity:(?<severity>\w{1,10}), Confidence:\w{1,10}\)$`,
      ),
      atPlace(
        String.raw` (?<message>(?![\s*/}{()]|\+0x)(?!.{0,600}(?:[{;]$|:= ))\S{1,200} .{1,600})$`,
        String.raw`[^\s:][^:]{0,300}\.go`,
      ),
      /^vet(?:\.exe)?: (?<path>\S.{0,300}?\.go):(?<line>\d{1,7})(?::(?<column>\d{1,6}))?: (?<message>.{1,500})$/,
      /^\[(?<path>[^\]]{1,400}\.go):(?<line>\d{1,7})\] - (?<code>G\d{3}) (?:\([\w-]{1,20}\))?: (?<message>.{1,500})$/,
    ],
    totals: /^\d{1,6} issues?[.:]$/,
  },
]
