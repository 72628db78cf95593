import { extensionOf, type Place } from '../place.ts'
import { type LineFormat, lineReader } from './line-format.ts'

const isPython = ({ path, indented }: Place): boolean =>
  !indented && (path === '-' || path.startsWith('<') || /^(?:pyi?|ipynb|toml)$/.test(extensionOf(path)))

const RUFF =
  /^(?:\[\*\] \d+ fixable with|No fixes available)|^Found \d+ errors? \(\d+ fixed, \d+ remaining\)|^All checks passed!$| [A-Z]{1,4}\d{2,4} \[\*\] |: invalid-syntax: /m
const CODED: readonly RegExp[] = [
  /^ (?<code>[A-Z]{1,4}\d{2,4}):? (?:\[[*-]\] )?(?<message>\S.{0,500})$/,
  /^ (?<code>invalid-syntax|SyntaxError): (?<message>.{1,500})$/,
  /^ \[(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax)\] (?<message>.{1,500})$/,
]
/** How PHPStan words what it finds; its raw format is otherwise that of `grep -n`. */
const PHPSTAN =
  /^(?:Access to|Call to|Cannot |Class \S|Constructor of|Function \S|Instantiated class|Method \S|Negated|Offset |Parameter #|Property \S|Possibly|Return type|Result of|Static |Strict comparison|Ternary|Undefined variable|Unreachable|Unsafe|Variable \$|PHPDoc tag|Binary operation|Expression |If condition|Left side|Right side|Anonymous|Argument of|Comparison|Constant \S|Dead catch|Deprecated|Interface \S|Invalid |Missing |Trait \S|Unused|Using |Syntax error)/

/** Linters and formatters, in the order in which they are asked. A new one is one more row. */
const FORMATS: readonly LineFormat[] = [
  {
    tool: 'annotations',
    signature: '::',
    rows: [
      /^::(?<severity>error|warning|notice) (?:(?=(?:[^:]{0,300},)?title=(?:\w{1,20} \()?(?<code>[^,:)]{1,80}))|)(?=(?:[^:]{0,300},)?file=(?<path>[^,:]{1,400}))(?:(?=(?:[^:]{0,300},)?line=(?<line>\d{1,7}))|)(?:(?=(?:[^:]{0,300},)?col=(?<column>\d{1,6}))|)[^:]{0,900}::(?<message>.{0,800})$/,
    ],
    named: ({ text }) => [text.includes('title=ruff (') ? 'ruff' : 'annotations', 'lint'],
  },
  {
    tool: 'biome',
    names: 'biome, biome check, biome lint, biome ci, biome format',
    rows: [
      /^(?: at )?(?<path>\S.{0,300}?)(?::(?<line>\d{1,7}):(?<column>\d{1,6}))? (?<code>(?:lint|assist|syntax|suppressions|internalError)\/[\w/]{1,100}|format|parse|organizeImports) {0,2}(?: FIXABLE )? {0,3}━━/,
    ],
    below: /^ {2}(?<severity>[×✖✘!⚠iℹ]) (?<message>.{1,500})$/u,
    totals: [
      /^Found (?<errors>\d{1,7}) errors?\.$/gm,
      /^Found (?<warnings>\d{1,7}) warnings?\.$/gm,
      /^Found (?<infos>\d{1,7}) infos?\.$/gm,
    ],
    sure: ({ text }) => text.includes('━━━'),
    clean: /^(?:Checked|Formatted|Linted) \d{1,7} files? in [\d.]{1,12}\s?(?:µs|ms|s|m)\b/m,
  },
  {
    tool: 'eslint',
    names: 'eslint, stylelint, remark, remark lint, next lint, xo, ng lint, textlint, alex, vale',
    head: /^(?<path>\S.{0,400}?) *$/,
    rows: [
      /^ {1,8}(?<line>\d{1,7}):(?<column>\d{1,6})(?:-\d{1,7}:\d{1,6})? {1,12}(?<severity>error|warning|info|✖|⚠|×|✘|ℹ) {1,6}(?<message>\S.{0,600})$/u,
      /^ {1,8}(?<line>\d{1,7}) {1,12}(?<severity>error|warning|✖|⚠) {2,6}(?<message>\S.{0,600})$/u,
      /^(?<path>\S.{0,400}?): line (?<line>\d{1,7}), col (?<column>\d{1,6}), (?<severity>Error|Warning) - (?<message>.{1,600})$/,
    ],
    totals: [
      /^ {0,2}[✖×✘] (?<diagnostics>\d{1,7}) problems? \((?<errors>\d{1,7}) errors?, (?<warnings>\d{1,7}) warnings?/gmu,
      /^⚠ (?<warnings>\d{1,7}) warnings?$/gmu,
      /^✖ (?<errors>\d{1,7}) errors?$/gmu,
    ],
    named: ({ text }, { problems }) => {
      const path = problems[0]?.path ?? ''
      if (text.includes('remark-lint') || /\.(?:md|mdx|markdown)$/.test(path)) return ['remark', 'lint']
      if (/\.ya?ml$/.test(path)) return ['yamllint', 'lint']
      return [/\.(?:css|scss|sass|less|pcss)$/.test(path) ? 'stylelint' : 'eslint', 'lint']
    },
  },
  {
    tool: 'standard',
    names: 'standard, semistandard, ts standard, standardjs',
    messages: [/^ (?<message>\S.{1,500})$/],
    place: ({ indented, column }) => indented && column !== undefined,
    sure: ({ text }) => /^(?:semi|ts-)?standard: \S/m.test(text),
  },
  {
    tool: 'tslint',
    names: 'tslint',
    signature: ']: ',
    rows: [
      /^(?:(?<severity>ERROR|WARNING): (?:\((?<code>[\w-]{1,60})\) )?)?(?<path>[^\s[][^[]{0,300})\[(?<line>\d{1,7}), (?<column>\d{1,6})\]: (?<message>.{1,500})$/,
    ],
  },
  {
    tool: 'bandit',
    names: 'bandit',
    messages: [
      /^ (?<code>B\d{3})\[bandit\]: (?<severity>LOW|MEDIUM|HIGH): (?<message>.{1,500})$/,
      /^ \[(?<code>B\d{3})\] (?<message>.{1,500})$/,
    ],
    rows: [/^>> Issue: \[(?<code>B\d{3}):[\w-]{1,60}\] (?<message>.{1,400})$/],
    below: /Location: (?<path>\S{1,400}?):(?<line>\d{1,7})(?::\d+)?$/,
  },
  {
    tool: 'hlint',
    names: 'hlint',
    messages: [/^ (?<severity>Suggestion|Warning|Error): (?<message>.{1,300})$/],
    place: ({ path }) => /^l?hsc?$/.test(extensionOf(path)),
  },
  {
    tool: 'ruff',
    names: 'ruff, ruff check',
    severity: 'error',
    messages: CODED,
    place: isPython,
    head: /^(?<path>\S.{0,300}\.(?:pyi?|ipynb)):$/,
    rows: [
      /^ {2,8}(?<line>\d{1,7}):(?<column>\d{1,5}) {1,4}(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax):? (?:\[[*-]\] )?(?<message>.{1,400})$/,
    ],
    sure: ({ text }) => RUFF.test(text),
    totals: [/^Found (?<errors>\d{1,9}) errors?(?:\.| \()/gm],
    clean: /^All checks passed!$/m,
  },
  {
    tool: 'ruff',
    signature: '--> ',
    severity: 'error',
    rows: [
      /^(?<code>[A-Z]{1,4}\d{2,4}|invalid-syntax|syntax-error|unformatted):? (?:\[[*-]\] )?(?<message>\S.{0,300})/,
    ],
    below: /^ {0,12}--> (?<path>.{1,400}?):(?<line>\d{1,7}):(?<column>\d{1,6})$/,
    totals: [/^Found (?<errors>\d{1,9}) errors?(?:\.| \()/gm],
  },
  {
    tool: 'flake8',
    names: 'flake8, pycodestyle, pep8, pyflakes, autoflake, pylint',
    messages: CODED,
    place: (place) => isPython(place) && place.column !== undefined,
    sure: ({ text }) => !RUFF.test(text),
  },
  {
    tool: 'pydocstyle',
    names: 'pydocstyle, pep257',
    head: /^(?<path>[^\s:][^:]{0,300}):(?<line>\d{1,7}) (?:at module level|in (?:public|private) .{1,200}):$/,
    rows: [/^ {4,12}(?<code>D\d{3}): (?<message>.{1,400})$/],
  },
  {
    tool: 'phpstan',
    kind: 'types',
    names: 'phpstan, phpstan analyse, larastan',
    severity: 'error',
    messages: [/^(?<message>[A-Z].{1,500})$/],
    place: ({ path, column, indented }) => extensionOf(path) === 'php' && column === undefined && !indented,
    head: /^ {2}Line {3}(?<path>\S.{0,300}?) *$/,
    rows: [/^ {2}:?(?<line>\d{1,7}) {2,8}(?<message>\S.{0,400})$/],
    sure: ({ text }, { problems }) =>
      / \[ERROR\] Found \d/.test(text) ||
      problems.some(({ path, message }) => path?.endsWith('.php') && PHPSTAN.test(message)),
    totals: [/^ \[ERROR\] Found (?<errors>\d{1,6}) errors? *$/gm],
    clean: /^ \[OK\] No errors *$/m,
  },
  {
    tool: 'black',
    kind: 'format',
    names: 'black, ruff format',
    severity: 'error',
    rows: [
      /^(?<message>[wW]ould reformat):? (?<path>\S.{0,400})$/,
      /^error: cannot format (?<path>\S.{0,400}?): (?<message>.{1,300})$/,
      /^error:(?<path>\S.{0,400}?):(?<line>\d{1,7}):(?<column>\d{1,6}):(?<message>.{1,300})$/,
    ],
    clean: /^\d{1,7} files? (?:already formatted|left unchanged|reformatted)\b|^All done! ✨/mu,
  },
  {
    tool: 'isort',
    kind: 'format',
    names: 'isort',
    rows: [/^(?<severity>ERROR): (?<path>\S.{0,400}) (?<message>Imports are incorrectly sorted.{0,40})$/],
  },
]

export const linters = FORMATS.map(lineReader)

const NOT_SOURCE = /\.(?:log|json|csv|com|net|org|io|lock)$/i
const CODE =
  /[{;,=]$|=>|\)\s?;| [:=]= | = |^\s?(?:import|from|return|const|let|var|def|class|if|for|while|func|fn|public|private|export|package|use|#include)\b/
const PROSE = /^ ?\[?["'`A-Za-z]/

/**
 * `path:line:column: message` of a tool that nobody has described yet. Search results, logs and stack traces look
 * alike; so the lines must read as prose, and have a column or a rule, and most places of the output must be such.
 */
export const unknownTool = lineReader({
  tool: 'linter',
  messages: [
    /^ ?\[?(?<severity>[Ee]rror|ERROR|[Ww]arning|WARNING|[Ii]nfo|INFO|[Nn]ote|[Hh]int|[EWCR])\]?(?:: | - | )(?:\[?(?<code>[A-Z]{1,5}-?\d{2,5})\]?:? )?(?<message>.{1,500})$/,
    /^ ?\[?(?<code>[A-Z]{1,5}-?\d{2,5})\]?:? (?<message>.{1,500})$/,
    /^ ?(?<message>.{1,600})$/,
  ],
  place: isProse,
  sure: (output) => {
    const places = output.places()
    return places.filter((place) => isProse(place) && isSure(place)).length * 2 > places.length
  },
})

function isProse({ rest, path, indented }: Place): boolean {
  return (
    !indented && rest.indexOf(' ', 1) !== -1 && PROSE.test(rest) && !CODE.test(rest) && !NOT_SOURCE.test(path)
  )
}

function isSure({ rest, column }: Place): boolean {
  // A search result follows its colon at once; a message has one space.
  if (column !== undefined && /^ \S/.test(rest)) return true
  if (column !== undefined && /^[A-Z].{10,400}\.$/.test(rest)) return true
  return /^ \[[A-Z]{1,5}-?\d{0,5}\] /.test(rest) || /^ .{1,500} [[(][a-z][\w@./-]{2,60}[\])]$/.test(rest)
}
