import { isObject, tryParse } from '../../core/event/json.ts'
import type { ReportRow } from './row.ts'
import { tapText } from './tap.ts'

const PYTEST_COUNT = String.raw`\d{1,9} (?:passed|failed|errors?|skipped|warnings?|deselected|xfailed|xpassed|reruns?|subtests (?:passed|failed))`
const PYTEST_TOTAL = String.raw`^={0,200} ?(?:no tests ran|${PYTEST_COUNT}(?:, ${PYTEST_COUNT}){0,9}) in \d{1,6}\.\d\d`
const JEST_TOTAL = String.raw`^\s{0,20}Tests:? {1,20}\d{1,9} (?:passed|failed|total|skipped|todo|pending)\b`
const NODE_TOTAL = /^\s{0,40}[ℹ#] {1,3}(?:pass|fail|skipped|cancelled) {1,6}\d{1,9}\s*$/
const BUN_RESULT =
  /^(?:\((?=pass|fail|skip|todo)|(?=[✓✗»]))(?<mark>\w+|.)\)? (?<test>.{1,300}?)(?: \[[\d.]+m?s\])?$/
const PYTHON_FRAME =
  /^[ |+]{2,40}File "(?<path>[^"]{1,400})", line (?<line>\d{1,9})(?:, in (?<symbol>\S{1,200}))?/
const AT = String.raw`:\d{1,7}:\d{1,7}`
/**
 * Between brackets, or from the root on, a path may have spaces. Not a literal: for two groups of one name an older Node
 * would refuse the whole package before it can say why.
 */
const SCRIPT_FRAME = new RegExp(
  String.raw`^\s{0,40}(?:at |❯ )(?:async )?(?:.{0,200}?\((?<place>(?!/?node_modules)[^()]{1,400}${AT})\)|(?:[^\s/]\S{0,199} )?(?<place>(?!/?node_modules)(?:/[^()]{1,400}|[^() ]{1,400})${AT}))(?: \{)?$`,
)
const FIRST_WORDS = /^\s{0,40}(?<message>\S.{0,500})$/
/** What vitest writes before a path where tests are in projects: `|unit| `, and in colours the name alone. */
const LABEL = String.raw`(?:\|[^|]{1,80}\| {1,2}|[\w.-][\w .-]{0,60}? {2})?`

/** `ok  	pkg	0.1s`, `FAIL	pkg [build failed]`, `?   	pkg	[no test files]`. */
const GO_PACKAGE = String.raw`^(?:ok|FAIL|\?)[ \t]{1,8}[\w./~-]{1,300}[ \t]{1,4}(?:\(cached\)|\d[\d.]*s|\[[a-z ]{1,40}\])`
const GO_FAILED = /--- FAIL: (?<test>\S{1,300}) \(\d/
const GO_BROKEN =
  /^FAIL[ \t]{1,8}(?<path>[\w./~-]{1,300}).{0,40}?\[(?<message>(?:build|setup) failed|ended early|panic: .{1,300})\]$/
/** The parts of a message that testify writes on lines of their own. */
const TESTIFY =
  /^(\s{1,40}Error:\s{1,20}.{0,300})\n\s{1,60}(expected\s?: .{0,300})\n\s{1,60}(actual\s{0,3}: .{0,300})/gm

/**
 * `go test -json` as the plain text that it wraps. A package that failed without a failing test did not build, which
 * it says, or ended before its tests did.
 */
function goText(text: string): string {
  const unwrapped = text.includes('"Action":"') ? text.split('\n').map(goOutput).join('') : text
  const isPackage = new RegExp(GO_PACKAGE)
  let failed = false
  let panic: string | undefined
  const lines = unwrapped.split('\n').map((line) => {
    failed ||= line.includes('--- FAIL: ')
    if (line.startsWith('panic: ')) panic ??= line.slice(0, 300)
    if (!isPackage.test(line)) return line
    const isEarly = line.startsWith('FAIL') && !line.includes('[') && !failed
    const ended = isEarly ? `${line} [${panic ?? 'ended early'}]` : line
    failed = false
    panic = undefined
    return ended
  })
  return lines.join('\n').replace(TESTIFY, '$1 $2 $3')
}

function goOutput(line: string): string {
  const event = line.startsWith('{') ? tryParse(line) : undefined
  if (!isObject(event)) return `${line}\n`
  return typeof event['Output'] === 'string' ? event['Output'] : ''
}

/** Test runners. A new one is one more row. */
export const testRuns: readonly ReportRow[] = [
  {
    tool: 'go test',
    kind: 'tests',
    sign: new RegExp(
      String.raw`--- (?:PASS|FAIL|SKIP): \S{1,300} \(\d|^=== RUN {1,3}\S|^\{".{0,2000}"Package":"|${GO_PACKAGE}`,
      'm',
    ),
    prepare: goText,
    results: [/--- (?<mark>PASS|FAIL|SKIP): (?<test>\S{1,300}) \(\d/],
    error: GO_BROKEN,
    packageOk: /^ok[ \t]/,
    listed: [
      GO_FAILED,
      /^(?:vet(?:\.exe)?: )?(?<place>[^\s:]{1,300}\.go:\d{1,7}:\d{1,6}): (?<message>.{1,500})$/,
      GO_BROKEN,
    ],
    listsAll: true,
    // With `-v` the messages stand above the result, else below it.
    finding: [/^=== (?:RUN|CONT|NAME) {1,3}(?<test>\S{1,300})$/, GO_FAILED],
    below: [
      /^\s{1,40}(?<place>[^\s:]{1,300}\.go:\d{1,7}):(?: (?<message>\S.{0,500}))?/,
      /^\s{1,40}Error:\s{1,20}(?<message>\S.{0,500})/,
    ],
    clean: /^(?:ok|\?)[ \t]/m,
  },
  {
    tool: 'pytest',
    kind: 'tests',
    sign: new RegExp(`= (?:test session starts|short test summary info) =|${PYTEST_TOTAL}`, 'm'),
    totals: new RegExp(PYTEST_TOTAL),
    results: [
      /^(?<path>[^\s:]{1,300})::(?<test>.{1,300}?) (?<mark>PASSED|FAILED|ERROR|SKIPPED)\b/,
      /^\S{1,300}\.py (?<marks>[.FEsxX]{1,200}) {0,200}(?:\[ {0,2}\d{1,3}%\])?$/,
    ],
    listed: [
      /^(?<path>[^\s:]{1,300})::(?<test>.{1,300}?) (?:FAILED|ERROR)\b/,
      /^(?:FAILED|ERROR) (?<path>\S[^:]{0,300}\.pyi?|\S[^:]{0,300}(?=::))(?:::(?<test>\S.{0,600}?))?(?: - (?<message>.{0,600}))?$/,
    ],
    finding: [
      /^_{2,}(?: _)* (?:ERROR (?:collecting|at (?:setup|teardown) of) )?(?<test>\S.{0,300}?) (?:_ )*_{2,}$/,
    ],
    below: [
      PYTHON_FRAME,
      /^(?<place>\S.{0,300}\.py:\d{1,9}):(?= ?(?:in |\w*(?:Error|Exception|Failed|Exit|Warning)|$))/,
      // `--tb=native` has Python's own form, without the `E`.
      /^(?:E {2,9}|(?=[A-Za-z_][\w.]{0,200}(?:Error|Exception|Failed|Exit)(?:: |$)))(?<message>.{1,2000})/,
    ],
    clean: /= test session starts =/,
  },
  {
    tool: 'unittest',
    kind: 'tests',
    sign: /^[ \t]*Ran \d{1,9} tests? in [\d.]{1,12}s[ \t\r]*$/m,
    totals: /^\s*Ran \d{1,9} tests? in [\d.]{1,12}s\s*$|^\s*(?:OK|FAILED) \([a-z =,\d]{1,200}\)\s*$/,
    finding: [/^(?:FAIL|ERROR): (?<test>\S.{0,300})$/],
    below: [PYTHON_FRAME, /^(?<message>[A-Za-z_][\w.]{0,200}(?:: .*)?)$/],
  },
  {
    tool: 'cargo test',
    kind: 'tests',
    sign: /^(?:test result: \w{1,10}\. \d|running \d{1,9} tests?$)|^test \S.{0,300} \.\.\. (?:ok|FAILED|ignored)$/m,
    totals: /^test result: \w{1,10}\. \d/,
    results: [/^test (?<test>\S.{0,300}?) \.\.\. (?<mark>ok|FAILED|ignored)\b/],
    listed: [/^test (?<test>\S.{0,300}?) \.\.\. FAILED\b/],
    // With the reason below, or before Rust 1.73 in quotes on the line.
    finding: [
      /^thread '(?<test>[^']{1,300})'.{0,40} panicked at (?:'(?<message>.{0,400})', )?(?<place>\S{1,400}?:\d{1,7}:\d{1,6}):?$/,
    ],
    below: [FIRST_WORDS],
  },
  {
    tool: 'bun test',
    kind: 'tests',
    sign: /^(?:Ran \d{1,9} tests? across \d{1,9} files?\.|bun test v\d)/m,
    totals: /^ {0,3}\d{1,9} (?:pass|fail|skip|todo|errors?)$/,
    results: [BUN_RESULT],
    finding: [/^(?:\(fail\)|✗) (?<test>.{1,300}?)(?: \[[\d.]+m?s\])?$/],
    above: true,
    below: [
      /^error: (?<message>.{1,2000})/,
      /^ {2,8}at (?:.{0,200}?\()?(?<place>[^() ]{1,400}:\d{1,7}(?::\d{1,7})?)\)?$/,
    ],
  },
  {
    tool: 'jest',
    kind: 'tests',
    sign: new RegExp(String.raw`${JEST_TOTAL}|^ ?(?:FAIL|PASS) {1,2}\S{1,300}\.[cm]?[jt]sx?(?: |$)`, 'm'),
    totals: new RegExp(`${JEST_TOTAL}|^ {5}Errors {2}\\d{1,6} errors?$`),
    results: [/^ {1,70}(?<mark>[✓√✕×○↓]) \S/],
    error: /^\s*● Test suite failed to run\s*$|^ ?FAIL {1,3}\S.{0,400} \[ \S.{0,400} \]\s*$/,
    head: new RegExp(String.raw`^ ?FAIL {1,3}${LABEL}(?:\./)?(?<path>\S.{0,400}?)(?: \([\d.]+ m?s\))?\s*$`),
    finding: [
      /^ {2}● (?!Console)(?<test>\S.{0,300})$/,
      new RegExp(
        String.raw`^ ?FAIL {1,3}${LABEL}(?<path>\S.{0,300}?)(?: > | \[ )(?<test>\S.{0,300}?)(?: \])?$`,
      ),
    ],
    below: [SCRIPT_FRAME, FIRST_WORDS],
    clean: /^ ?PASS {1,2}\S/m,
    named: (text) => (/ Test Files {2}| RUN {2}v\d|⎯⎯⎯/.test(text) ? 'vitest' : 'jest'),
  },
  {
    tool: 'node:test',
    kind: 'tests',
    sign: /^ℹ (?:pass|fail) \d/m,
    totals: NODE_TOTAL,
    nests: true,
    results: [/^(?<indent> {0,40})(?<mark>[✔✖﹣]) \S/],
    finding: [/^test at (?<place>.{1,400})$/],
    below: [/^✖ (?<test>.{1,300}?)(?: \([\d.]+ms\))?$/, FIRST_WORDS],
  },
  {
    tool: 'tap',
    kind: 'tests',
    prepare: tapText,
    sign: /^TAP version 1[234]$|^# pass {1,6}\d|^1\.\.\d{1,6}\n(?:not )?ok 1\b|^(?:not )?ok 1 - \S/m,
    totals: NODE_TOTAL,
    nests: true,
    results: [/^(?<indent> {0,40})(?<mark>not ok|ok) \d{1,9}\b/],
    finding: [
      /^(?<indent> {0,40})not ok \d{1,9}\b(?!.{0,300} # (?:SKIP|TODO)|.{0,400}\{\s*$)(?: -)? ?(?<test>.{0,300}?)(?: # time=[\d.]{1,12}m?s)?$/i,
    ],
    below: [
      /^\s*(?:error|message): {0,4}(?:[|>]-?$|(?<message>.*)$)/,
      /^\s*(?:location|at): ['"]?(?<place>.{1,400}?)['"]?$/,
      SCRIPT_FRAME,
    ],
    named: (text) => (text.includes('duration_ms') ? 'node:test' : 'tap'),
  },
  {
    tool: 'mocha',
    kind: 'tests',
    sign: /^ {2}\d{1,9} passing \([\w. ]{1,12}\)$/m,
    totals: /^ {2}\d{1,9} (?:passing|failing|pending)(?: \([\w. ]{1,12}\))?$/,
    finding: [/^ {2}\d{1,4}\) (?<test>\S.{0,200}?)$/],
    below: [/^ {7,60}(?<test>\S.{0,200}):$/, SCRIPT_FRAME, /^ {5,6}(?<message>\S.{0,500})$/],
  },
]

/** Programs that die, in the order in which they are asked. */
export const crashes: readonly ReportRow[] = [
  {
    tool: 'Python',
    kind: 'crash',
    finding: [/^[ |+]{0,40}Traceback \(most recent call last\)/],
    below: [PYTHON_FRAME, /^[|+]?(?: [|+] ?)?(?<message>[A-Za-z_][\w.]{0,200}(?:: .{0,500})?)$/],
    lastPlace: true,
  },
  {
    tool: 'program',
    kind: 'crash',
    finding: [
      /^(?<message>(?:Uncaught |Caused by: |Exception in thread "[^"]{1,100}" )?[\w.$]{0,200}(?:Error|Exception|Throwable|Failure)(?:: .{0,500}| \[.{0,500})?)$/,
      /^(?<message>(?:panic|fatal error): ?\S.{0,500})$/,
      /^thread '[^']{1,300}'.{0,40} panicked at (?:'(?<message>.{0,400})', )?(?<place>[^\s']{1,400}\.rs:\d{1,9}:\d{1,9}):?$/,
    ],
    below: [
      /^\s{1,40}at (?<symbol>[\w$.<>/@-]{1,300})\((?<path>[\w$-]{1,200}\.(?:java|kt|scala|groovy|clj)):(?<line>\d{1,9})\)/,
      /^\t(?<path>\S.{0,400}\.go):(?<line>\d{1,9})(?: \+0x[0-9a-f]{1,16})?$/,
      SCRIPT_FRAME,
      FIRST_WORDS,
    ],
  },
]
