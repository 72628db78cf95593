import { addFinding, type Findings, newFindings, reportOf, severityOf } from './findings.ts'
import type { Output, PlaceLine } from './output.ts'
import { extensionOf, looksLikePath, readPlace } from './place.ts'
import type { Reader } from './reader.ts'
import type { Report } from './report.ts'

/** How PHPStan words what it finds; its raw format is otherwise that of `grep -n`. */
const PHPSTAN_SAID =
  /^(?:Access to|Call to|Cannot |Class \S|Constructor of|Function \S|Instantiated class|Method \S|Negated boolean|Offset |Parameter #|Property \S|Possibly|Return type|Result of|Static |Strict comparison|Ternary|Undefined variable|Unreachable statement|Unsafe usage|Variable \$|PHPDoc tag|Binary operation|Expression |If condition|Left side|Right side|Anonymous|Argument of|Caught class|Closure|Comparison|Constant \S|Dead catch|Deprecated|Empty array|Interface \S|Invalid |Iterating over|Missing |No error|Trait \S|Unable|Unused|Using |Syntax error|Internal error)/

export const phpstan: Reader = {
  tool: 'phpstan',
  names: ['phpstan', 'phpstan analyse', 'larastan'],
  recognises: (output) =>
    /^ \[(?:ERROR\] Found \d{1,6} errors?|OK\] No errors) *$/m.test(output.text) ||
    (output.text.includes('.php:') &&
      output.places().some((place) => isRaw(place) && PHPSTAN_SAID.test(place.rest))),
  read: (output) => {
    const findings = newFindings()
    for (const place of output.places()) {
      if (isRaw(place))
        addFinding(findings, { path: place.path, line: place.line, severity: 'error', message: place.rest })
    }
    if (findings.total === 0) addTable(output, findings)
    const stated = /^ \[ERROR\] Found (\d{1,6}) errors? *$/m.exec(output.text)?.[1]
    const clean = /^ \[OK\] No errors *$/m.test(output.text)
    if (findings.total === 0 && stated === undefined && !clean) return undefined
    const errors = stated === undefined ? findings.total : Number(stated)
    return reportOf('phpstan', 'types', { errors, diagnostics: errors }, findings)
  },
}

function isRaw({ path, rest, column, indented }: PlaceLine): boolean {
  return extensionOf(path) === 'php' && column === undefined && !indented && /^[A-Z]/.test(rest)
}

/** PHPStan's table: `  Line   src/Foo.php` heads rows of `  12     message`. */
function addTable({ lines }: Output, findings: Findings): void {
  let path: string | undefined
  for (const line of lines) {
    const head = /^ {2}Line {3}(\S.{0,300}?) *$/.exec(line)?.[1]
    if (head !== undefined && looksLikePath(head)) path = head
    const row = /^ {2}:?(\d{1,7}) {2,8}(\S.{0,400})$/.exec(line)
    if (row !== null && path !== undefined) {
      addFinding(findings, { path, line: Number(row[1]), severity: 'error', message: row[2] ?? '' })
    }
  }
}

const PHPUNIT_TOTAL = /^Tests: (\d{1,9}), Assertions: \d{1,9}(.{0,200})\.$/m
const PHPUNIT_OK = /^OK \((\d{1,9}) tests?, \d{1,9} assertions?\)$/m

export const phpunit: Reader = {
  tool: 'phpunit',
  names: ['phpunit', 'artisan test', 'pest', 'simple phpunit'],
  recognises: ({ text }) => PHPUNIT_TOTAL.test(text) || PHPUNIT_OK.test(text) || PEST_TOTAL.test(text),
  read: readPhpunit,
}

const PEST_TOTAL = /^ {2}Tests: {4}(.{1,200}) \(\d{1,9} assertions\)$/m

function readPhpunit({ lines, text }: Output): Report | undefined {
  const findings = newFindings()
  for (const [i, line] of lines.entries()) {
    const test = /^\d{1,6}\) (\S{1,300}::\S.{0,200})$/.exec(line)?.[1]
    if (test === undefined) continue
    const block = lines.slice(i + 1, i + 30)
    const frame = block
      .map((below) => (below.includes('.php:') ? readPlace(below) : undefined))
      .find((place) => place !== undefined)
    addFinding(findings, {
      path: frame?.path,
      line: frame?.line,
      test,
      severity: 'error',
      message: block[0] ?? 'failed',
    })
  }
  const ok = PHPUNIT_OK.exec(text)?.[1]
  if (ok !== undefined) return reportOf('phpunit', 'tests', { passed: Number(ok), failed: 0 }, findings)
  const pest = PEST_TOTAL.exec(text)?.[1]
  if (pest !== undefined) {
    const of = (word: string): number => Number(new RegExp(`(\\d{1,9}) ${word}`).exec(pest)?.[1] ?? 0)
    return reportOf(
      'pest',
      'tests',
      { passed: of('passed'), failed: of('failed'), skipped: of('skipped') },
      findings,
    )
  }
  const total = PHPUNIT_TOTAL.exec(text)
  if (total === null) return undefined
  const of = (word: string): number =>
    Number(new RegExp(`${word}: (\\d{1,9})`).exec(total[2] ?? '')?.[1] ?? 0)
  const counts = { failed: of('Failures'), errors: of('Errors'), skipped: of('Skipped') + of('Incomplete') }
  const passed = Math.max(0, Number(total[1]) - counts.failed - counts.errors - counts.skipped)
  return reportOf('phpunit', 'tests', { passed, ...counts }, findings)
}

/** PHP_CodeSniffer: `FILE: path`, a total, then rows of ` 12 | ERROR | [x] message`. */
export const phpcs: Reader = {
  tool: 'phpcs',
  names: ['phpcs'],
  recognises: ({ text }) => /^FOUND \d{1,6} ERRORS? (?:AND \d{1,6} WARNINGS? )?AFFECTING \d/m.test(text),
  read: ({ lines }) => {
    const findings = newFindings()
    let path: string | undefined
    for (const line of lines) {
      path = /^FILE: (\S.{0,400})$/.exec(line)?.[1] ?? path
      const row = /^ {0,6}(\d{1,7}) \| (ERROR|WARNING) {1,3}\| (?:\[.\] )?(.{1,400})$/.exec(line)
      if (row === null) continue
      addFinding(findings, {
        path,
        line: Number(row[1]),
        severity: severityOf(row[2] ?? ''),
        message: row[3] ?? '',
      })
    }
    const { errors, warnings, total } = findings
    return total === 0
      ? undefined
      : reportOf('phpcs', 'lint', { errors, warnings, diagnostics: total }, findings)
  },
}
