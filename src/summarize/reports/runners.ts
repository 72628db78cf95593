import { isObject, tryParse } from '../../core/event/json.ts'
import { type RunnerFormat, runnerReader } from './runner-format.ts'

const PYTEST_COUNT = String.raw`\d{1,9} (?:passed|failed|errors?|skipped|warnings?|deselected|xfailed|xpassed|reruns?|subtests (?:passed|failed))`
const PYTEST_TOTAL = new RegExp(
  String.raw`^={0,200} ?(?:no tests ran|${PYTEST_COUNT}(?:, ${PYTEST_COUNT}){0,9}) in \d{1,6}\.\d\d`,
  'm',
)
const JEST_TOTAL = /^\s{0,20}Tests:? {1,20}\d{1,9} (?:passed|failed|total|skipped|todo|pending)\b/m
const CARGO_RESULT = /^test (?<test>\S.{0,300}?) \.\.\. (?<mark>ok|FAILED|ignored)\b/
const BUN_RESULT =
  /^(?:\((?=pass|fail|skip|todo)|(?=[✓✗»]))(?<mark>\w+|.)\)? (?<test>.{1,300}?)(?: \[[\d.]+m?s\])?$/
const BUN_FAILED = /^(?:\(fail\)|✗) (?<test>.{1,300}?)(?: \[[\d.]+m?s\])?$/
const PYTHON_FRAME = /^ {2}File "(?<path>[^"]{1,400})", line (?<line>\d{1,9})(?:, in (?<symbol>\S{1,200}))?/

/** `ok  	pkg	0.1s`, `FAIL	pkg [build failed]`, `?   	pkg	[no test files]`. */
const GO_PACKAGE =
  /^(?:ok|FAIL|\?)[ \t]{1,8}[\w./~-]{1,300}[ \t]{1,4}(?:\(cached\)|\d[\d.]*s|\[[a-z ]{1,40}\])/m
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
  const wrapped = text.includes('"Action":"') ? text.split('\n') : []
  const parts = wrapped.map((line) => {
    const event = line.startsWith('{') ? tryParse(line) : undefined
    if (!isObject(event)) return `${line}\n`
    return typeof event['Output'] === 'string' ? event['Output'] : ''
  })
  let failed = false
  let panic: string | undefined
  const lines = (wrapped.length > 0 ? parts.join('') : text).split('\n').map((line) => {
    failed ||= line.includes('--- FAIL: ')
    if (line.startsWith('panic: ')) panic ??= line.slice(0, 300)
    if (!GO_PACKAGE.test(line)) return line
    const isEarly = line.startsWith('FAIL') && !line.includes('[') && !failed
    const ended = isEarly ? `${line} [${panic ?? 'ended early'}]` : line
    failed = false
    panic = undefined
    return ended
  })
  return lines.join('\n').replace(TESTIFY, '$1 $2 $3')
}

const FORMATS: readonly RunnerFormat[] = [
  {
    tool: 'go test',
    names: 'go test, gotestsum, richgo test',
    recognises: (text) =>
      /--- (?:PASS|FAIL|SKIP): \S{1,300} \(\d|^=== RUN {1,3}\S/m.test(text) ||
      GO_PACKAGE.test(text) ||
      (text.includes('"Action":"') && /^\{".{0,2000}"Package":"/m.test(text)),
    prepare: goText,
    totals: [],
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
    heads: [/^=== (?:RUN|CONT|NAME) {1,3}(?<test>\S{1,300})$/, GO_FAILED],
    end: /^(?:ok|FAIL|\?)[ \t]|--- (?:PASS|SKIP): /,
    message: /^\s{1,40}(?:[^\s:]{1,300}\.go:\d{1,7}: |Error:\s{1,20})(?<message>\S.{0,500})/,
    places: [/^\s{1,40}(?<place>[^\s:]{1,300}\.go:\d{1,7}):/],
    clean: /^(?:ok|\?)[ \t]/m,
  },
  {
    tool: 'pytest',
    names: 'pytest, py.test, tox, nox',
    recognises: (text) =>
      /= (?:test session starts|short test summary info) =/.test(text) || PYTEST_TOTAL.test(text),
    totals: [PYTEST_TOTAL],
    results: [
      /^(?<path>[^\s:]{1,300})::(?<test>.{1,300}?) (?<mark>PASSED|FAILED|ERROR|SKIPPED)\b/,
      /^\S{1,300}\.py (?<marks>[.FEsxX]{1,200}) {0,200}(?:\[ {0,2}\d{1,3}%\])?$/,
    ],
    listed: [
      /^(?<path>[^\s:]{1,300})::(?<test>.{1,300}?) (?:FAILED|ERROR)\b/,
      /^(?:FAILED|ERROR) (?<path>\S[^:]{0,300}\.pyi?|\S[^:]{0,300}(?=::))(?:::(?<test>\S.{0,600}?))?(?: - (?<message>.{0,600}))?$/,
    ],
    heads: [
      /^_{2,}(?: _)* (?:ERROR (?:collecting|at (?:setup|teardown) of) )?(?<test>\S.{0,300}?) (?:_ )*_{2,}$/,
    ],
    end: /^=====/,
    // `--tb=native` has Python's own form, without the `E`.
    message:
      /^(?:E {2,9}|(?=[A-Za-z_][\w.]{0,200}(?:Error|Exception|Failed|Exit)(?:: |$)))(?<message>.{1,2000})/,
    places: [
      PYTHON_FRAME,
      /^(?<place>\S.{0,300}\.py:\d{1,9}):(?= ?(?:in |\w*(?:Error|Exception|Failed|Exit|Warning)|$))/,
    ],
    clean: /= test session starts =/,
  },
  {
    tool: 'unittest',
    names: 'unittest, manage.py test, nosetests, trial, runtests.py',
    recognises: (text) => /^[ \t]*Ran \d{1,9} tests? in [\d.]{1,12}s[ \t\r]*$/m.test(text),
    totals: [/^\s*Ran \d{1,9} tests? in [\d.]{1,12}s\s*$/, /^\s*(?:OK|FAILED) \([a-z =,\d]{1,200}\)\s*$/],
    heads: [/^(?:FAIL|ERROR): (?<test>\S.{0,300})$/],
    beforeHead: /^=====/,
    end: /^=====|^Ran \d/,
    message: /^(?<message>[A-Za-z_][\w.]{0,200}(?:: .*)?)$/,
    messageAfterPlace: true,
    places: [PYTHON_FRAME],
  },
  {
    tool: 'cargo test',
    names: 'cargo test, cargo t',
    recognises: (text) =>
      /^(?:test result: \w{1,10}\. \d|running \d{1,9} tests?$)/m.test(text) ||
      /^test \S.{0,300} \.\.\. (?:ok|FAILED|ignored)$/m.test(text),
    totals: [/^test result: \w{1,10}\. \d/],
    results: [CARGO_RESULT],
    listed: [/^test (?<test>\S.{0,300}?) \.\.\. FAILED\b/],
    // With the reason below, or before Rust 1.73 in quotes on the line.
    heads: [
      /^thread '(?<test>[^']{1,300})'.{0,40} panicked at (?:'(?<message>.{0,400})', )?(?<place>\S{1,400}?:\d{1,7}:\d{1,6}):?$/,
    ],
    message: /^(?!)/,
    places: [],
  },
  {
    tool: 'bun test',
    names: 'bun test',
    recognises: (text) => /^(?:Ran \d{1,9} tests? across \d{1,9} files?\.|bun test v\d)/m.test(text),
    totals: [/^ {0,3}\d{1,9} (?:pass|fail|skip|todo|errors?)$/],
    results: [BUN_RESULT],
    heads: [BUN_FAILED],
    above: true,
    end: BUN_RESULT,
    message: /^error: (?<message>.{1,2000})/,
    places: [/^ {2,8}at (?:.{0,200}?\()?(?<place>[^() ]{1,400}:\d{1,7}(?::\d{1,7})?)\)?$/],
  },
  {
    tool: 'jest',
    names: 'jest, vitest, vitest run, react scripts, vue cli service, craco',
    recognises: (text) =>
      JEST_TOTAL.test(text) || (/[✕●]/.test(text) && /^ ?(?:FAIL|PASS) {1,2}\S/m.test(text)),
    totals: [JEST_TOTAL, /^ {5}Errors {2}\d{1,6} errors?$/],
    results: [/^ {1,70}(?<mark>[✓√✕×○↓]) \S/],
    error: /^\s*● Test suite failed to run\s*$/,
    file: /^ ?FAIL {1,2}(?<path>\S.{0,400}?)(?: \([\d.]+ m?s\)| > .{1,300})?\s*$/,
    heads: [/^ {2}● (?!Console)(?<test>\S.{0,300})$/, /^ ?FAIL {1,2}\S.{0,300}? > (?<test>\S.{0,300})$/],
    end: /^ ?FAIL {1,2}\S|⎯⎯⎯\[/,
    places: [
      /^\s*(?:at .{0,200}?\(|❯ (?:\S{1,200} )?|at )(?!.{0,400}node_modules)(?<place>[^() ]{1,400}:\d{1,7}:\d{1,7})\)?$/,
    ],
    clean: /^ ?PASS {1,2}\S/m,
    named: (text) => (/ Test Files {2}| RUN {2}v\d|⎯⎯⎯/.test(text) ? 'vitest' : 'jest'),
  },
  {
    // TAP 12–14, and the `spec` and `tap` reporters of node:test, which end in the same totals.
    tool: 'tap',
    names: 'tap, tape, bats, node',
    recognises: (text) =>
      /^TAP version 1[234]$/m.test(text) ||
      (/[ℹ#] pass \d/.test(text) && /[ℹ#] fail \d/.test(text)) ||
      (/^1\.\.\d/m.test(text) && /^(?:not )?ok 1\b/m.test(text)),
    // A failure of `spec` (its place, then its name) as TAP would write it.
    prepare: (text) =>
      text.replace(
        /^test at (.{1,400})\n✖ (.{1,300}?)(?: \([\d.]+ms\))?$/gm,
        'not ok 1 - $2\nlocation: $1\nmessage: |',
      ),
    totals: [/^\s{0,40}[ℹ#] {1,3}(?:pass|fail|skipped|cancelled) {1,6}\d{1,9}\s*$/],
    results: [/^(?<indent> {0,40})(?<mark>not ok|ok) \d{1,9}\b/],
    heads: [
      /^ {0,40}not ok \d{1,9}\b(?!.{0,300} # (?:SKIP|TODO))(?: -)? ?(?<test>.{0,300}?)(?: # time=[\d.]{1,12}m?s)?$/i,
    ],
    end: /^\s*(?:ok \d|\.\.\.$)/,
    message: /^\s*(?:error|message): {0,4}(?:[|>]-?$|['"]?(?<message>.*?)['"]?$)/,
    places: [/^\s*(?:location|at): ['"]?(?<place>.{1,400}?)['"]?$/],
    named: (text) => (/ℹ pass |duration_ms/.test(text) ? 'node:test' : 'tap'),
  },
]

export const runners = FORMATS.map(runnerReader)
